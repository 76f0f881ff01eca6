#include "properties/conform/apart.hpp"

#include <sys/resource.h>

#include "sim/runner.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

// The sanitizers make a run that many times slower.
#ifdef __SANITIZE_ADDRESS__
constexpr int kSlower = 20;
#else
constexpr int kSlower = 1;
#endif

void limit_processor_time(int seconds) {
  rlimit limit{};
  if (getrlimit(RLIMIT_CPU, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(seconds) * kSlower);
  (void)setrlimit(RLIMIT_CPU, &limit);
}

// CBOR keeps texts that are not UTF-8.
std::string in_child(const std::function<StatusOr<Json>()>& judge, int seconds) {
  limit_processor_time(seconds);
  const auto judged = judge();
  std::string bytes;
  Json::to_cbor(judged.ok() ? Json{{"judged", *judged}}
                            : Json{{"code", static_cast<int>(judged.status().code())},
                                   {"text", std::string(text_of(judged.status()))}},
                bytes);
  return bytes;
}

}  // namespace

StatusOr<Json> judge_apart(const std::function<StatusOr<Json>()>& judge, int seconds) {
  const auto bytes = run_in_child([&] { return in_child(judge, seconds); });
  if (bytes.status().code() == Code::kResourceExhausted)
    return with_suffix(bytes.status(), fmt::format("; a recording may take {} s of processor time", seconds));
  if (!bytes.ok()) return bytes.status();
  Json all = Json::from_cbor(*bytes);
  if (all.contains("judged")) return std::move(all.at("judged"));
  return Status(static_cast<Code>(all.at("code").get<int>()), all.at("text").get<std::string>());
}

}  // namespace tarry
