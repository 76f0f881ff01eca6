#include "results/stored_run.hpp"

#include <nlohmann/json.hpp>

#include "placer/core/hash.hpp"
#include "results/json_text.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kMagic = "tarry log 5\n";

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
                   {"harm", static_cast<int>(p.harm)},
                   {"what", p.what},
                   {"instead", p.instead},
                   {"gain", p.gain},
                   {"together", p.together},
                   {"goes_on", p.goes_on},
                   {"beside", p.beside},
                   {"beside_gain", p.beside_gain},
                   {"does_more", p.does_more}});
  return all;
}

std::vector<Proof> proofs_from(const Json& all) {
  std::vector<Proof> proofs;
  for (const Json& j : all) {
    Proof p{.cause = static_cast<Proof::Cause>(j.value("cause", 0))};
    p.task.value = j.value("task", TaskId::kNone);
    p.a = j.value("a", ""), p.b = j.value("b", ""), p.what = j.value("what", ""), p.instead = j.value("instead", "");
    p.harm = static_cast<Proof::Harm>(j.value("harm", 0));
    p.gain = j.value("gain", 0.0);
    p.together = j.value("together", false);
    p.goes_on = j.value("goes_on", false);
    p.beside = j.value("beside", "");
    p.beside_gain = j.value("beside_gain", 0.0);
    p.does_more = j.value("does_more", false);
    proofs.push_back(std::move(p));
  }
  return proofs;
}

}  // namespace

std::string to_bytes(const std::string& title, const TaskNames& tasks, std::span<const Proof> proofs,
                     const EventLog& log) {
  const std::string bytes = log.to_bytes();
  const std::string head =
      json_text({{"title", title}, {"tasks", tasks.names}, {"hosts", tasks.hosts}, {"proofs", to_json(proofs)}});
  return sealed(head, bytes);
}

std::string sealed(std::string_view head, std::string_view log) {
  return fmt::format("{}{}\n{}\n{}", kMagic, checksum(std::string(head) + std::string(log)), head, log);
}

StatusOr<StoredRun> stored_run(std::string_view bytes) {
  if (bytes.starts_with("tarry log ") && !bytes.starts_with(kMagic))
    return invalid("a log of another version of tarry; run the scenario again with `tarry run --log FILE`");
  if (!bytes.starts_with(kMagic)) return invalid("not a log of tarry; expected one that `tarry run --log FILE` wrote");
  bytes.remove_prefix(kMagic.size());
  const auto line = [&bytes] {
    const std::string_view text = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(text.size() + 1, bytes.size()));
    return text;
  };
  const std::string_view sum = line(), head = line();
  if (sum != checksum(std::string(head) + std::string(bytes))) return invalid("a damaged log");
  TARRY_ASSIGN(EventLog log, EventLog::from_bytes(bytes));
  if (!log.is_plausible()) return invalid("a log with times or counts that are too large to be judged");
  try {  // a right checksum does not say that we made it
    const Json j = Json::parse(head);
    return StoredRun{j.at("title"), {j.at("tasks"), j.at("hosts")}, proofs_from(j.at("proofs")), std::move(log)};
  } catch (const Json::exception&) {
    return invalid("a damaged log");
  }
}

}  // namespace tarry
