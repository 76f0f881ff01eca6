#include "properties/partition/same_cut.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "properties/placement/case.hpp"
#include "properties/programs/hunt.hpp"

namespace tarry {
namespace {

constexpr std::string_view kCpu = "/device:CPU:", kGpu = "/device:GPU:";
constexpr const char* kWays[] = {"both", "both", "worker", "device"};

struct Drawn {  // by a program's id, so that smaller programs are asked about in the same way
  explicit Drawn(const Program& p) : bits(schedule_of(p)) {}
  [[nodiscard]] const char* by() const { return kWays[bits % 4]; }
  [[nodiscard]] bool is_scheduled() const { return bits / 4 % 4 == 0; }
  [[nodiscard]] bool has_gpus() const { return bits / 16 % 2 == 0; }
  [[nodiscard]] std::int64_t start_of(std::size_t node) const {
    return static_cast<std::int64_t>((bits >> 8) * (2 * node + 1) % 1000);
  }
  std::uint64_t bits;
};

std::string on_gpu(std::string device) {
  const auto at = device.find(kCpu);
  if (at != std::string::npos && !device.ends_with(":0")) device.replace(at, kCpu.size(), kGpu);
  return device;
}

std::string first_cpu(std::string_view device) {
  return fmt::format("{}{}0", device.substr(0, device.find("/device:")), kCpu);
}

// Every task has a CPU, where soft placement puts what has no kernel for a GPU. Incarnations count from 1.
Json devices_json(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names)
    for (const std::string& device : {first_cpu(name), name})
      if (std::ranges::find(all, device) == all.end()) all.push_back(device);
  Json devices = Json::array();
  for (const std::string& device : all) devices.push_back({device, "", devices.size() + 1});
  return devices;
}

std::vector<std::string> device_names(const Program& p, const Drawn& drawn) {
  std::vector<std::string> names;
  for (const std::string& device : p.devices) names.push_back(drawn.has_gpus() ? on_gpu(device) : device);
  return names;
}

PlacementCase placement_of(const Program& p, const Drawn& drawn) {
  PlacementCase c{.id = p.id, .soft = true};
  for (const NodeSpec& n : p.nodes) c.nodes.push_back({n, ""});
  for (CaseNode& n : c.nodes)
    n.spec.device = drawn.has_gpus() ? on_gpu(n.spec.device.empty() ? p.devices[0] : n.spec.device) : n.spec.device;
  return c;
}

Json start_times(const Program& p, const Drawn& drawn) {
  Json start = Json::object();
  for (std::size_t i = 0; i < p.nodes.size(); ++i) start[p.nodes[i].name] = drawn.start_of(i);
  return start;
}

constexpr std::size_t kHistories = 6;
constexpr std::size_t kAsks = 24;  // some answers change once in ten times only

bool has_whole_tables(const WholeRelease& release) { return release.tables.rules.release == "2.15"; }

// The ops of a program by the names that they have in a release that lacks the newer ones.
Program in_older_words(Program p, const WholeRelease& release) {
  constexpr std::pair<const char*, const char*> kOlder[] = {{"AddV2", "Add"}, {"VariableV2", "Variable"}};
  for (const auto& [newer, older] : kOlder) {
    if (has_whole_tables(release) || release.own.contains(newer)) continue;
    for (NodeSpec& n : p.nodes)
      if (n.op == newer) n.op = older;
  }
  return p;
}

// Compares, and counts what comes of it.
class SameCut {
 public:
  SameCut(AskPartitioner ask, AskPartitioner ask_again, const WholeRelease& release, SameCutCounts& counts)
      : ask_(std::move(ask)), ask_again_(std::move(ask_again)), release_(release), counts_(counts) {}

  std::optional<std::string> operator()(const Program& program) {
    const Program p = in_older_words(program, release_);
    if (!is_recorded(p)) return ++counts_.unknown, std::nullopt;
    const Json question = cut_question(p);
    const StatusOr<Json> theirs = ask_(question);
    if (!theirs.ok()) return fmt::format("no answer: {}", text_of(theirs.status()));
    if (!theirs->contains("parts")) return ++counts_.refused, std::nullopt;
    ++counts_.compared;
    const auto difference = cut_difference(question, *theirs, release_.tables);
    if (!difference) return remember(question), std::nullopt;
    if (changes(question, *theirs)) return ++counts_.unstable, std::nullopt;
    return fmt::format("cut by {}{}; theirs:\n  {}\nours:\n  {}", question["partition"]["by"].get<std::string>(),
                       question["partition"].contains("start") ? ", receives scheduled" : "", difference->first,
                       difference->second);
  }

 private:
  [[nodiscard]] bool is_recorded(const Program& p) const {
    return has_whole_tables(release_) ||
           std::ranges::all_of(p.nodes, [&](const NodeSpec& n) { return release_.own.contains(n.op); });
  }

  void remember(const Json& question) { earlier_[next_++ % kHistories] = question; }

  // Behind other questions, memory lies otherwise.
  bool changes(const Json& question, const Json& answer) {
    for (std::size_t i = 0; i < kAsks; ++i) {
      if (const Json& before = earlier_[i % kHistories]; !before.is_null()) (void)ask_again_(before);
      const StatusOr<Json> again = ask_again_(question);
      if (again.ok() && *again != answer) return true;
    }
    return false;
  }

  AskPartitioner ask_, ask_again_;
  const WholeRelease& release_;
  SameCutCounts& counts_;
  std::array<Json, kHistories> earlier_;
  std::size_t next_ = 0;
};

}  // namespace

Json cut_question(const Program& p) {
  const Drawn drawn(p);
  Json question = to_json(placement_of(p, drawn));
  question["devices"] = devices_json(device_names(p, drawn));
  question["partition"]["by"] = drawn.by();
  if (drawn.is_scheduled()) question["partition"]["start"] = start_times(p, drawn);
  return question;
}

ProgramProperty same_cut(AskPartitioner ask, AskPartitioner ask_again, const WholeRelease& release,
                         SameCutCounts& counts) {
  const auto same = std::make_shared<SameCut>(std::move(ask), std::move(ask_again), release, counts);
  return {"same_as",
          "Another partitioner makes our partitions: nodes and their order, names, inputs, devices, attributes.",
          [same](ProgramTrial& t) { return (*same)(t.program); }};
}

}  // namespace tarry
