#include "results/stored_run.hpp"

#include <nlohmann/json.hpp>

#include "placer/core/hash.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kMagic = "tarry log 1\n";

std::string checksum(std::string_view bytes) {
  Hasher h;
  h.bytes(bytes);
  return to_string(h.digest());
}

}  // namespace

std::string to_bytes(const std::string& title, const TaskNames& tasks, const EventLog& log) {
  const std::string bytes = log.to_bytes();
  return std::string(kMagic) + Json{{"title", title}, {"tasks", tasks.names}, {"checksum", checksum(bytes)}}.dump() +
         "\n" + bytes;
}

StatusOr<StoredRun> stored_run(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return invalid("not a log of tarry; expected one that `tarry run --log FILE` wrote");
  bytes.remove_prefix(kMagic.size());
  const std::size_t end = bytes.find('\n');
  const Json head = Json::parse(bytes.substr(0, end), nullptr, false);
  if (end == bytes.npos || !head.is_object() || head.value("checksum", "") != checksum(bytes.substr(end + 1)))
    return invalid("a damaged log");
  TARRY_ASSIGN(EventLog log, EventLog::from_bytes(bytes.substr(end + 1)));
  return StoredRun{head.value("title", ""), {head.value("tasks", std::vector<std::string>())}, std::move(log)};
}

}  // namespace tarry
