#include "properties/cluster/shrunk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "placer/core/text.hpp"
#include "scenarios/file/faults.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

const Breach* find_breach(const Trial& t, const std::string& wanted) {
  const auto it = std::ranges::find(t.broken, wanted, [](const Breach& b) { return fingerprint(b); });
  return it == t.broken.end() ? nullptr : &*it;
}

// A fault whose first field is a pair without an order, as if it had the other one.
Fault turned(Fault fault) {
  std::visit(
      []<class K>(K& kind) {
        constexpr auto kFirst = std::get<0>(K::fields());
        if constexpr (requires { (kind.*kFirst.member).b; })
          if (kFirst.key == "between") std::swap((kind.*kFirst.member).a, (kind.*kFirst.member).b);
      },
      fault.what);
  return fault;
}

// "kill ps/#": the kind of a fault and who it is done to. The first worker, which is the chief, is not like the others.
std::string shape_of(const Fault& fault, const ClusterSpec& cluster) {
  const std::string line = faults_line({&fault, 1}, cluster);
  const std::size_t target = line.find(' ') + 1;
  std::string shape = without_numbers(line.substr(0, line.find(' ', target)));
  if (line.substr(target).starts_with("worker/0 ")) shape.back() = '0';
  return shape;
}

bool is_of_two_runs(const std::string& print) { return print.starts_with(kDeterminism); }

class ScheduleShrinking {
 public:
  ScheduleShrinking(Trials& trials, std::uint64_t number, const std::string& print, const ShrinkLimits& limits)
      : trials_(trials), number_(number), print_(print), limits_(limits) {}

  StatusOr<ShrunkTo<Schedule>> run(const Schedule& found) {
    auto out = shrink_greedily(
        found, [this](const Schedule& smaller) { return is_next(smaller); }, limits_.most);
    out.tried = tried_;
    TARRY_RETURN_IF_ERROR(failed_);
    // Two runs that differ may differ once and not again.
    if (!last_ && !breaks(found, {})) return error(Code::kInternal, "what was found does not come again: {}", print_);
    return out;
  }
  // REQUIRES: run() has ended well.
  [[nodiscard]] const Trial& smallest() const { return *last_; }
  [[nodiscard]] bool is_cut_short() const { return is_cut_short_; }
  // From what was found to the smallest: how many smaller ones each step left out before it took one.
  [[nodiscard]] const std::vector<std::uint64_t>& way() const { return way_; }

 private:
  bool is_next(const Schedule& smaller) {
    ++looked_at_;
    if (is_time_up() || !breaks(smaller, limits_.is_time_up)) return false;
    way_.push_back(std::exchange(looked_at_, 0) - 1);
    return true;
  }
  bool is_time_up() { return is_cut_short_ = is_cut_short_ || (limits_.is_time_up && limits_.is_time_up()); }
  bool breaks(const Schedule& smaller, std::function<bool()> ends) {
    if (limits_.watch) limits_.watch(number_, tried_);
    ++tried_;
    auto t = trials_.run(smaller, {.twice = is_of_two_runs(print_), .is_time_up = std::move(ends)});
    if (!t.ok() && is_given_up(t.status())) return !(is_cut_short_ = true);
    if (!t.ok()) failed_ = t.status();
    if (!t.ok() || find_breach(*t, print_) == nullptr) return false;
    last_ = *std::move(t);
    return true;
  }

  Trials& trials_;
  const std::uint64_t number_;
  const std::string& print_;
  const ShrinkLimits& limits_;
  std::uint64_t tried_ = 0, looked_at_ = 0;  // looked at: since the last step
  std::vector<std::uint64_t> way_;
  bool is_cut_short_ = false;
  std::optional<Trial> last_;  // that broke it: at the end, the smallest
  Status failed_;
};

// `of` is the smallest, `broke` its run.
ClusterFinding finding_of(const Trials& trials, const ToShrink& s, ShrunkTo<Schedule> of, const Trial& broke) {
  ClusterFinding f{.number = s.number, .found = s.found, .shrunk = std::move(of)};
  f.broken = *find_breach(broke, s.fingerprint);
  f.verdicts = broke.verdicts;
  f.hash = broke.hash;
  f.healed = broke.healed;
  f.hazard = hazard_of(f.broken, f.shrunk.smallest, trials.cluster());
  return f;
}
void note_checked(ClusterFinding& f, const ShrinkLimits& limits, bool is_cut_short) {
  f.is_cut_short = is_cut_short;
  f.checked = f.shrunk.tried < limits.most && !is_cut_short ? f.shrunk.smallest.faults.size() : 0;
}

// ---- in a process of its own ----

std::string way_to_smallest(Trials& trials, const ToShrink& s, const ShrinkLimits& limits) {
  ScheduleShrinking shrinking(trials, s.number, s.fingerprint, limits);
  const auto shrunk = shrinking.run(s.found);
  if (!shrunk.ok()) throw Refused(std::string(text_of(shrunk.status())));
  const std::vector<std::uint8_t> bytes =
      nlohmann::json::to_cbor({{"way", shrinking.way()}, {"tried", shrunk->tried}, {"cut", shrinking.is_cut_short()}});
  return {bytes.begin(), bytes.end()};
}

Schedule after(Schedule s, const std::vector<std::uint64_t>& way) {
  for (std::uint64_t left_out : way) {
    std::optional<Schedule> next;
    for_each_smaller(s, [&](const Schedule& smaller) {
      if (left_out-- > 0) return false;
      next = smaller;
      return true;
    });
    s = *std::move(next);
  }
  return s;
}

// Its run is made here again, where all that it shows is known. What failed in the other process fails here likewise.
StatusOr<ClusterFinding> brought_back(Trials& trials, const ToShrink& s, const ShrinkLimits& limits,
                                      const StatusOr<std::string>& said) {
  if (!said.ok()) return shrunk(trials, s.number, s.found, s.fingerprint, limits);
  const nlohmann::json j = nlohmann::json::from_cbor(*said);
  const std::vector<std::uint64_t> way = j["way"];
  ShrunkTo<Schedule> to{after(s.found, way), static_cast<int>(way.size()), j["tried"]};
  TARRY_ASSIGN(const Trial broke, trials.run(to.smallest, {.twice = is_of_two_runs(s.fingerprint)}));
  if (find_breach(broke, s.fingerprint) == nullptr) return shrunk(trials, s.number, s.found, s.fingerprint, limits);
  ClusterFinding f = finding_of(trials, s, std::move(to), broke);
  note_checked(f, limits, j["cut"]);
  return f;
}

}  // namespace

std::string hazard_of(const Breach& broken, const Schedule& s, const ClusterSpec& cluster) {
  constexpr std::string_view kNever = "never ";
  const std::string what =
      broken.property.starts_with(kNever) ? broken.property.substr(kNever.size()) : broken.property;
  if (s.faults.empty()) return what + " without any fault";
  std::vector<std::string> shapes;
  for (const Fault& f : s.faults) shapes.push_back(std::min(shape_of(f, cluster), shape_of(turned(f), cluster)));
  std::ranges::sort(shapes);
  return fmt::format("{} by {}", what, join(shapes, ", "));
}

StatusOr<ClusterFinding> shrunk(Trials& trials, std::uint64_t number, const Schedule& found, const std::string& print,
                                const ShrinkLimits& limits) {
  ScheduleShrinking shrinking(trials, number, print, limits);
  TARRY_ASSIGN(ShrunkTo<Schedule> to, shrinking.run(found));
  ClusterFinding f = finding_of(trials, {number, found, print}, std::move(to), shrinking.smallest());
  note_checked(f, limits, shrinking.is_cut_short());
  return f;
}

StatusOr<std::vector<ClusterFinding>> shrunk_apart(Trials& trials, const std::vector<ToShrink>& all,
                                                   const ShrinkLimits& limits, int processes) {
  std::vector<StatusOr<std::string>> said(all.size());
  const ShrinkLimits unwatched{limits.most, limits.is_time_up};  // one of them shows how far it is
  const auto shrink = [&](int i) {
    return way_to_smallest(trials, all[static_cast<std::size_t>(i)], i == 0 ? limits : unwatched);
  };
  run_in_pool(static_cast<int>(all.size()), processes, shrink,
              [&](int i, StatusOr<std::string> way) { said[static_cast<std::size_t>(i)] = std::move(way); });
  std::vector<ClusterFinding> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    TARRY_ASSIGN(ClusterFinding f, brought_back(trials, all[i], limits, said[i]));
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace tarry
