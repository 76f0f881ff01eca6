#include "workers/kernels/logged_error.hpp"

namespace tarry {
namespace {

constexpr char kLine[] = "tarry/log_line";

}  // namespace

Status as_logged(Status s, std::string_view where) {
  s.SetPayload(kLine,
               absl::Cord(fmt::format("OP_REQUIRES failed at {} : {}: {}", where, code_name(s.code()), text_of(s))));
  return s;
}

std::string take_log_line(Status& s) {
  const auto line = s.GetPayload(kLine);
  if (!line) return "";
  s.ErasePayload(kLine);
  return std::string(*line);
}

}  // namespace tarry
