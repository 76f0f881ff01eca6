#include "results/stored_run.hpp"

#include <nlohmann/json.hpp>

#include "placer/core/hash.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kMagic = "tarry log 2\n";

std::string checksum(std::string_view bytes) {
  Hasher h;
  h.bytes(bytes);
  return to_string(h.digest());
}

Json to_json(std::span<const Proof> proofs) {
  Json all = Json::array();
  for (const Proof& p : proofs)
    all.push_back({{"cause", static_cast<int>(p.cause)},
                   {"task", p.task.value},
                   {"a", p.a},
                   {"b", p.b},
                   {"what", p.what},
                   {"instead", p.instead},
                   {"gain", p.gain},
                   {"goes_on", p.goes_on}});
  return all;
}

std::vector<Proof> proofs_from(const Json& all) {
  std::vector<Proof> proofs;
  for (const Json& j : all) {
    Proof p{.cause = static_cast<Proof::Cause>(j.value("cause", 0))};
    p.task.value = j.value("task", TaskId::kNone);
    p.a = j.value("a", ""), p.b = j.value("b", ""), p.what = j.value("what", ""), p.instead = j.value("instead", "");
    p.gain = j.value("gain", 0.0);
    p.goes_on = j.value("goes_on", false);
    proofs.push_back(std::move(p));
  }
  return proofs;
}

}  // namespace

std::string to_bytes(const std::string& title, const TaskNames& tasks, std::span<const Proof> proofs,
                     const EventLog& log) {
  const std::string bytes = log.to_bytes();
  const Json head{{"title", title},
                  {"tasks", tasks.names},
                  {"hosts", tasks.hosts},
                  {"proofs", to_json(proofs)},
                  {"checksum", checksum(bytes)}};
  return std::string(kMagic) + head.dump() + "\n" + bytes;
}

StatusOr<StoredRun> stored_run(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return invalid("not a log of tarry; expected one that `tarry run --log FILE` wrote");
  bytes.remove_prefix(kMagic.size());
  const std::size_t end = bytes.find('\n');
  const Json head = Json::parse(bytes.substr(0, end), nullptr, false);
  if (end == bytes.npos || !head.is_object() || head.value("checksum", "") != checksum(bytes.substr(end + 1)))
    return invalid("a damaged log");
  TARRY_ASSIGN(EventLog log, EventLog::from_bytes(bytes.substr(end + 1)));
  return StoredRun{head.value("title", ""),
                   {head.value("tasks", std::vector<std::string>()), head.value("hosts", std::vector<std::string>())},
                   proofs_from(head.value("proofs", Json::array())),
                   std::move(log)};
}

}  // namespace tarry
