#include "results/event_names.hpp"

namespace tarry {
namespace {

constexpr std::string_view kPurposes[] = {"init",           "ready check", "local init", "hook init",
                                          "initial tokens", "train step",  "sync step",  "queue runner",
                                          "close queue",    "other",       "save",       "restore"};
constexpr std::string_view kStages[] = {"created", "waiting", "ready", "looping", "left loop", "closed", "failed"};

}  // namespace

std::string_view label_of(Purpose purpose) { return kPurposes[static_cast<int>(purpose)]; }
std::string_view label_of(SessionStage stage) { return kStages[static_cast<int>(stage)]; }

std::string_view tensor_of(std::string_view key) {
  std::string_view rest = key;
  for (int part = 0; part < 3; ++part) {
    const std::size_t end = rest.find(';');
    if (end == rest.npos) return key;
    rest.remove_prefix(end + 1);
  }
  return rest.substr(0, rest.find(';'));
}

}  // namespace tarry
