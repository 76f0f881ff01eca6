#include "results/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "results/whole_aggregates.hpp"

namespace tarry {
namespace {

constexpr PathKindRow kRows[] = {
    {PathKind::computing, "computing", "a kernel runs"},
    {PathKind::message_cost, "message cost", "a task's CPU is busy with sending or receiving a tensor"},
    {PathKind::device, "busy device", "a kernel waits for another to end on its device"},
    {PathKind::latency, "latency", "a message is on its way, whatever its size"},
    {PathKind::transfer, "transfer", "the bytes of a message, at the bandwidth of their way"},
    {PathKind::turn, "turn", "a message waits for another one between the same two tasks"},
    {PathKind::sharing, "sharing", "what other messages take of a message's way"},
    {PathKind::thread, "busy thread", "a message waits for a thread of a task that sends or receives it"},
    {PathKind::transport, "transport", "a thread of a task serialises or copies a message"},
    {PathKind::storage, "storage", "a checkpoint is written"},
    {PathKind::timer, "timer", "a process looks or tries again later, or waits before it gives up"},
    {PathKind::world, "world", "until a fault came or ended, or the time of a call was up"}};

template <class E>
const E* as(const EventLog& log, std::size_t entry) {
  return entry == kNoEntry ? nullptr : std::get_if<E>(&log.events()[entry].event);
}

bool is_kernel(WaitKind k) { return k == WaitKind::kernel; }
bool is_message(WaitKind k) { return k == WaitKind::message || k == WaitKind::flow || k == WaitKind::transport; }

class Walk {
 public:
  Walk(const EventLog& log, const Causes& causes) : log_(log), causes_(causes) {}

  CriticalPath back(const PathEnds& ends) {
    CriticalPath path{.from = ends.since, .to = log_.events()[ends.entry].at};
    for (std::uint32_t n = causes_.noted_in[ends.entry]; n != 0 && causes_.events[n].at > ends.since;
         n = causes_.events[n].wait.cause) {
      visited_.insert(n);
      add(n, ends.since, path.parts);
    }
    std::ranges::reverse(path.parts);
    path.pushes = last_pushes();
    return path;
  }

 private:
  struct Cut {
    PathKind kind;
    Nanos until;
  };

  // The last part first.
  void add(std::uint32_t n, Nanos since, std::vector<PathPart>& parts) {
    const auto& [at, wait] = causes_.events[n];
    const std::size_t entry = entry_of(n, wait.kind);
    const std::size_t holder = wait.holder == 0 ? kNoEntry : noted(wait.holder, wait.kind);
    Nanos from = std::max(since, causes_.events[wait.cause].at);
    std::vector<PathPart> of_wait;
    for (const Cut& c : cuts(wait, entry)) {
      const Nanos until = std::clamp(c.until, from, at);
      if (until > from) of_wait.push_back({c.kind, from, until, entry, holder, wait.task});
      from = until;
    }
    parts.insert(parts.end(), of_wait.rbegin(), of_wait.rend());
  }

  [[nodiscard]] std::vector<Cut> cuts(const Wait& w, std::size_t entry) const {
    constexpr Nanos kEnd = std::numeric_limits<Nanos>::max();
    switch (w.kind) {
      case WaitKind::timer:
        return {{PathKind::timer, kEnd}};
      case WaitKind::world:
        return {{PathKind::world, kEnd}};
      case WaitKind::storage:
        return {{PathKind::storage, kEnd}};
      case WaitKind::kernel:
        return {{PathKind::device, w.first_until},
                {is_for_messages(entry) ? PathKind::message_cost : PathKind::computing,
                 w.second_until == 0 ? kEnd : w.second_until},
                {PathKind::sharing, kEnd}};
      case WaitKind::message:
        return {{PathKind::latency, w.first_until}, {PathKind::transfer, kEnd}};
      case WaitKind::transport:
        return {{PathKind::thread, w.first_until}, {PathKind::transport, kEnd}};
      case WaitKind::flow:
        break;
    }
    return {{PathKind::turn, w.first_until}, {PathKind::transfer, w.second_until}, {PathKind::sharing, kEnd}};
  }

  [[nodiscard]] bool is_for_messages(std::size_t entry) const {
    const auto* k = as<KernelRan>(log_, entry);
    return k != nullptr && (log_.name(k->op) == "_Send" || log_.name(k->op) == "_Recv");
  }

  // The kernel or message whose end event n noted.
  [[nodiscard]] std::size_t noted(std::uint32_t n, WaitKind kind) const {
    const auto [first, last] = std::equal_range(causes_.noted_in.begin(), causes_.noted_in.end(), n);
    for (auto it = first; it != last; ++it) {
      const auto entry = static_cast<std::size_t>(it - causes_.noted_in.begin());
      if (is_kernel(kind) ? as<KernelRan>(log_, entry) != nullptr : as<MessageDelivered>(log_, entry) != nullptr)
        return entry;
    }
    return kNoEntry;
  }

  // A wait that is no end of a kernel or message is the earlier part of the one that the path came from.
  [[nodiscard]] std::size_t entry_of(std::uint32_t n, WaitKind kind) {
    std::size_t entry = kNoEntry;
    if (is_kernel(kind) || is_message(kind)) {
      entry = noted(n, kind);
      if (entry == kNoEntry && (is_kernel(kind) ? is_kernel(later_) : is_message(later_))) entry = later_entry_;
    }
    later_ = kind;
    return later_entry_ = entry;
  }

  [[nodiscard]] std::vector<LastPush> last_pushes() const {
    std::vector<LastPush> all;
    std::map<StepId, TaskId> client;
    std::map<NameId, std::int64_t> taken;
    std::map<NameId, std::vector<std::pair<Nanos, TaskId>>> pushed;  // accepted, in order
    for (std::size_t i = 0; i < log_.events().size(); ++i) {
      if (const auto* began = as<StepBegan>(log_, i)) client[began->step] = began->task;
      if (const auto* push = as<GradientPushed>(log_, i); push != nullptr && push->accepted)
        pushed[push->accumulator].emplace_back(log_.events()[i].at, client[push->step]);
      const auto* aggregate = as<AggregateTaken>(log_, i);
      if (aggregate == nullptr) continue;
      LastPush last{aggregate->accumulator, ++taken[aggregate->accumulator], {}, {}};
      const auto in_it = std::exchange(pushed[aggregate->accumulator], {});
      if (in_it.empty() || !visited_.contains(causes_.noted_in[i])) continue;
      last.task = in_it.back().second;
      for (const auto& [at, task] : in_it)
        if (at == in_it.back().first && task != last.task) last.tied.push_back(task);
      all.push_back(std::move(last));
    }
    return all;
  }

  const EventLog& log_;
  const Causes& causes_;
  std::set<std::uint32_t> visited_;
  WaitKind later_ = WaitKind::world;  // of the wait that comes after this one on the path
  std::size_t later_entry_ = kNoEntry;
};

// "CPU:0" of ".../device:CPU:0".
std::string_view short_device(std::string_view device) {
  const std::size_t at = device.rfind("device:");
  return at == std::string_view::npos ? device : device.substr(at + std::string_view("device:").size());
}

std::string place_of(const KernelRan& k, const EventLog& log, const TaskNames& tasks) {
  const std::string_view device = short_device(log.name(k.device));
  return device == "CPU:0" ? tasks.show(k.task) : fmt::format("{} {}", tasks.show(k.task), device);
}

std::string who_computes(const PathPart& p, const KernelRan& k, const EventLog& log, const TaskNames& tasks) {
  if (p.kind == PathKind::message_cost) return place_of(k, log, tasks);
  if (p.kind == PathKind::computing) return fmt::format("{} on {}", log.name(k.op), place_of(k, log, tasks));
  const auto* holder = as<KernelRan>(log, p.holder);
  if (holder == nullptr) return place_of(k, log, tasks);
  return fmt::format("{}, which runs {}", place_of(k, log, tasks), log.name(holder->op));
}

}  // namespace

const PathKindRow& row_of(PathKind kind) { return kRows[static_cast<std::size_t>(kind)]; }

// ---- ends ----

namespace {

std::optional<std::size_t> last_entry(const EventLog& log, const std::function<bool(std::size_t)>& fits) {
  for (std::size_t i = log.events().size(); i-- > 0;)
    if (fits(i)) return i;
  return std::nullopt;
}

}  // namespace

std::optional<PathEnds> ends_of_run(const EventLog& log) {
  const std::vector<std::size_t> aggregates = whole_aggregates(log);
  if (!aggregates.empty()) return PathEnds{aggregates.back(), log.started_at};
  std::set<StepId> training;
  for (std::size_t i = 0; i < log.events().size(); ++i)
    if (const auto* began = as<StepBegan>(log, i); began != nullptr && began->purpose == Purpose::train)
      training.insert(began->step);
  const auto last = last_entry(log, [&](std::size_t i) {
    const auto* ended = as<StepEnded>(log, i);
    return ended != nullptr && ended->code == 0 && training.contains(ended->step);
  });
  if (!last) return std::nullopt;
  return PathEnds{*last, log.started_at};
}

std::optional<PathEnds> ends_of_aggregate(const EventLog& log, std::int64_t n) {
  const std::vector<std::size_t> all = whole_aggregates(log);
  if (n > std::ssize(all)) return std::nullopt;
  const auto at = static_cast<std::size_t>(n - 1);
  return PathEnds{all[at], at == 0 ? log.started_at : log.events()[all[at - 1]].at};
}

std::optional<PathEnds> ends_of_step(const EventLog& log, TaskId task, std::int64_t n) {
  std::optional<StepId> step;
  Nanos since = 0;
  for (std::size_t i = 0; i < log.events().size(); ++i) {
    if (const auto* began = as<StepBegan>(log, i);
        began != nullptr && began->task == task && began->purpose == Purpose::train && --n == 0)
      step = began->step, since = log.events()[i].at;
    if (const auto* ended = as<StepEnded>(log, i); ended != nullptr && step == ended->step) return PathEnds{i, since};
  }
  return std::nullopt;
}

// ---- the path ----

CriticalPath critical_path(const EventLog& log, const Causes& causes, const PathEnds& ends) {
  return Walk(log, causes).back(ends);
}

std::string who(const PathPart& part, const EventLog& log, const TaskNames& tasks) {
  if (part.kind == PathKind::thread || part.kind == PathKind::transport) return tasks.show(part.task);
  if (const auto* k = as<KernelRan>(log, part.entry)) return who_computes(part, *k, log, tasks);
  if (const auto* m = as<MessageDelivered>(log, part.entry))
    return fmt::format("{} to {}", tasks.show(m->from), tasks.show(m->to));
  return part.task.valid() ? tasks.show(part.task) : std::string();
}

std::vector<PathSum> sums(const CriticalPath& path, const EventLog& log, const TaskNames& tasks) {
  std::map<std::pair<PathKind, std::string>, Nanos> times;
  for (const PathPart& p : path.parts) times[{p.kind, who(p, log, tasks)}] += p.to - p.from;
  std::vector<PathSum> all;
  for (const auto& [key, time] : times) all.push_back({key.first, key.second, time});
  std::ranges::stable_sort(all, std::greater(), &PathSum::time);
  return all;
}

}  // namespace tarry
