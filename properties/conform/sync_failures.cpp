#include "properties/conform/sync_failures.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <regex>
#include <span>

#include "properties/conform/checked.hpp"
#include "results/contributions.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using Counts = std::vector<std::int64_t>;

struct Said {
  double at = 0;  // seconds
  std::string what;
};
using TimeLine = std::map<std::string, std::vector<Said>>;  // by process: "worker:2", "worker:2#1"

// Without what differs between machines, or between a recorder's graph and ours.
std::string bare(std::string text) {
  static const std::pair<std::regex, const char*> rules[] = {
      {std::regex(R"(\nAdditional GRPC error information from remote target[\s\S]*?(\n(?=[A-Z_]+: From|=====)|$))"),
       "$1"},
      {std::regex(R"(^((?:An error was raised|An error occurred)[\s\S]* Error: )Graph execution error:\n)"), "$1"},
      {std::regex(R"(^Graph execution error:\n(?:Node: '[^']*'\n)?)"), ""},
      {std::regex(R"(\nRecent warning and error logs:[\s\S]*$)"), ""},
      {std::regex(R"((into|from) (<dir>|checkpoints/\S*))"), "$1 <dir>"},
      {std::regex(R"(Variables not initialized: .*?, ready)"), "Variables not initialized: <names>, ready"},
      {std::regex(R"(RecvTensor cancelled for \d+)"), "RecvTensor cancelled for <step>"},
      // Several calls break with one process; how many are told of, and which first, is a race (the recordings of one
      // fault differ in it), and nodes have the names of the recorder's graph.
      {std::regex(R"((?:\n?=====+\n)?(?:UNAVAILABLE: )?From /job:\w+/replica:0/task:\d+:\nSocket closed[\s\S]*$)"),
       "<Socket closed>"},
  };
  for (const auto& [pattern, replacement] : rules) text = std::regex_replace(text, pattern, replacement);
  return text;
}

// ---- theirs ----

std::string said(const Json& event) {
  const std::string what = event.at(2);
  if (what == "log") return fmt::format("{} {}", event.at(3).get<std::string>()[0], bare(event.at(4)));
  if (what == "raised") return "raised " + bare(event.at(4));
  if (what == "session_up" || what == "loop_left" || what == "session_closed") return what;
  return "";
}

TimeLine theirs(const Json& recorded) {
  TimeLine line;
  for (const Json& e : recorded.at("timeline"))
    if (std::string what = said(e); !what.empty()) line[e.at(1)].push_back({e.at(0), std::move(what)});
  return line;
}

// ---- ours ----

// A time line holds what the clients said in Python; the servers' own lines are elsewhere.
bool is_of_server(const std::string& text) {
  static const std::regex pattern(
      "^(RecvTensor cancelled|Cancellation requested|Attempt to set|CreateSession|Scanning workers|When creating "
      "WorkerSession|Client requested|.*: Skipping cancelled)");
  return std::regex_search(text, pattern);
}

class Reader {
 public:
  Reader(const EventLog& log, const RecordedConfig& c) : log_(log), config_(c) {}
  TimeLine run() {
    for (const LoggedEvent& e : log_.events()) {
      at_ = in_seconds(e.at - log_.started_at);
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    return std::move(line_);
  }

 private:
  void say(TaskId task, std::string what) {
    const auto w = static_cast<int>(task.index()) - config_.ps;
    if (w < 0) return;
    const int processes = began_[task];
    line_[processes == 0 ? fmt::format("worker:{}", w) : fmt::format("worker:{}#{}", w, processes)].push_back(
        {at_, std::move(what)});
  }
  void on(const ProcessBegan& e) {
    ++began_[e.task];
    is_up_[e.task] = false;
  }
  void on(const LogLine& e) {
    const std::string text(log_.name(e.text));
    if (!is_of_server(text)) say(e.task, fmt::format("{} {}", e.level, bare(text)));
  }
  void on(const SessionMoved& e) {
    if (e.stage == SessionStage::ready && !std::exchange(is_up_[e.task], true))
      say(e.task, "session_up");  // recorded once a process
    if (e.stage == SessionStage::left_loop && log_.name(e.detail).empty()) say(e.task, "loop_left");
    if (e.stage == SessionStage::closed && !failed_[e.task]) say(e.task, "session_closed");
    if (e.stage == SessionStage::failed) say(e.task, "raised " + bare(std::string(log_.name(e.detail))));
    failed_[e.task] = e.stage == SessionStage::failed;
  }
  template <class E>
  void on(const E&) {}

  const EventLog& log_;
  const RecordedConfig& config_;
  TimeLine line_;
  std::map<TaskId, int> began_;
  std::map<TaskId, bool> is_up_, failed_;
  double at_ = 0;
};

// ---- the job ----

TaskId task_of(const std::string& name, const RecordedConfig& c) {  // "ps:1", "worker:2#1"
  const std::string_view number = std::string_view(name).substr(name.find(':') + 1);
  const bool is_ps = name.starts_with("ps");
  const auto i =
      whole_number(number.substr(0, number.find('#')), static_cast<std::uint64_t>(is_ps ? c.ps : c.workers) - 1);
  return TaskId{is_ps ? i : static_cast<std::uint64_t>(c.ps) + i};
}

// When the n-th later process of a task had its server up.
double server_up(const Json& recorded, const std::string& process) {
  for (const Json& e : recorded.at("timeline"))
    if (e.at(1) == process && e.at(2) == "server_up") return e.at(0);
  return 1e9;
}

// A kill as long after the worker's last token as in the recording (the chief's, when a server dies): steps there cost
// some milliseconds more than ours, which add up, and it matters whether a worker dies before or after its push, or in
// which step a server dies.
std::variant<Nanos, Trigger> time_of_kill(const Json& recorded, const std::string& task, double at,
                                          const RecordedConfig& c) {
  const std::string who = task.starts_with("worker") ? task : "worker:0";
  Trigger last{Moment::token_taken, task_of(who, c), 0, 0};
  for (const Json& e : recorded.at("timeline"))
    if (e.at(2) == "step" && e.at(1).get<std::string>().starts_with(who) && e.at(0) < at) {
      ++last.count;
      last.delay = nanos(at - e.at(0).get<double>());
    }
  if (last.count == 0 || c.is_async) return nanos(at);
  return last;
}

std::vector<Fault> faults_of(const Json& recorded, const RecordedConfig& c) {
  std::vector<Fault> faults;
  std::map<std::string, int> restarts;
  for (const Json& f : recorded.at("faults")) {
    const std::string task = f.at(1);
    if (f.at(2) == "killed")
      faults.push_back({time_of_kill(recorded, task, f.at(0), c), Kill{task_of(task, c)}});
    else
      faults.push_back(
          {nanos(server_up(recorded, fmt::format("{}#{}", task, ++restarts[task]))), Restart{task_of(task, c)}});
  }
  return faults;
}

constexpr std::int64_t kMostSteps = 1'000'000'000;

std::int64_t steps_at(const Json& config, const std::string& key) {
  return integer_within(config.at(key), 1, kMostSteps, key);
}

ClientJob& client_at(Job& job, const std::string& number) {
  if (job.clients.empty()) malformed("config: about: no worker runs");
  return job.clients[whole_number(number, job.clients.size() - 1)];
}

// Own limits: `own_steps`, `last_step_all`, and StopAtStepHook(num_steps), which only the description tells.
void set_limits(const Json& config, const RecordedConfig& c, Job& job) {
  for (ClientJob& client : job.clients) {
    const auto w = static_cast<int>(client.task.index()) - c.ps;
    if (config.contains("own_steps") && config.at("own_steps").contains(fmt::format("worker:{}", w)))
      client.options.steps = steps_at(config.at("own_steps"), fmt::format("worker:{}", w));
    if (config.contains("last_step_all")) client.options.last_global_step = steps_at(config, "last_step_all");
    if (config.contains("save_steps")) client.options.save_steps = steps_at(config, "save_steps");
  }
  static const std::regex limit(R"(num_steps=(\d+)\)? on (w\d(?:(?:,| and) w\d)*))"), worker(R"(w(\d))");
  const std::string about = config.value("about", "");
  for (std::sregex_iterator it(about.begin(), about.end(), limit), end; it != end; ++it) {
    const std::string who = (*it)[2];
    for (std::sregex_iterator w(who.begin(), who.end(), worker); w != end; ++w)
      client_at(job, (*w)[1]).options.last_global_step =
          static_cast<std::int64_t>(whole_number((*it)[1].str(), kMostSteps));
  }
}

double ended_at(const Json& recorded) {
  if (recorded.at("timeline").empty()) malformed("'timeline' is empty");
  return seconds_within(recorded.at("timeline").back().at(0).get<double>(), "the time line's end");
}

// What is read of every row of the time line and of the faults.
void check_rows(const Json& rows, const char* key) {
  for (const Json& row : rows) {
    (void)within(row.at(0).get<double>(), -kLongestSeconds, kLongestSeconds, key);
    if (!row.at(1).is_string() || !row.at(2).is_string()) malformed("{}: expected a time, a process and what", key);
  }
}

// ---- comparing ----

bool is_near(double a, double b) { return std::abs(a - b) <= 1 + 0.05 * std::abs(a); }

bool is_save(const Said& s) { return s.what.find("Saving checkpoints") != std::string::npos; }

// Checkpoints go on until the end, at the pace of the steps: the slower one is some behind.
bool only_saves_follow(std::span<const Said> said) { return std::ranges::all_of(said, is_save); }

std::string shown(std::span<const Said> said) {
  if (said.empty()) return "nothing more";
  const std::string& what = said[0].what;
  return fmt::format("{:.2f} s {}", said[0].at,
                     what.size() > 700 ? what.substr(0, 100) + " ... " + what.substr(what.size() - 500) : what);
}

std::string compare_process(const std::string& process, std::span<const Said> theirs, std::span<const Said> ours) {
  const auto same = [](const Said& a, const Said& b) { return a.what == b.what && (a.at < 0 || is_near(a.at, b.at)); };
  const auto [t, o] = std::ranges::mismatch(theirs, ours, same);
  const std::span rest_of_theirs(t, theirs.end()), rest_of_ours(o, ours.end());
  if ((rest_of_theirs.empty() || rest_of_ours.empty()) && only_saves_follow(rest_of_theirs) &&
      only_saves_follow(rest_of_ours))
    return "";
  return fmt::format("{}, {}: theirs {}\n      ours {}", process, t - theirs.begin(), shown(rest_of_theirs),
                     shown(rest_of_ours));
}

// Two of the four recorders noted it.
bool is_noted_sometimes(const Said& s) { return s.what.find("Create CheckpointSaverHook") != std::string::npos; }

std::string compare_lines(TimeLine theirs, TimeLine ours) {
  for (auto& [process, said] : theirs) {
    std::erase_if(said, is_noted_sometimes);
    if (std::string difference = compare_process(process, said, ours[process]); !difference.empty()) return difference;
  }
  for (const auto& [process, said] : ours)
    if (!theirs.contains(process) && !said.empty())
      return fmt::format("{}: theirs nothing\n      ours {:.2f} s {}", process, said[0].at, said[0].what);
  return "";
}

// What an aggregate held, the same for all exchanges of equal workers.
std::vector<std::pair<int, Counts>> by_group(const Counts& v, const RecordedConfig& c) {
  std::map<int, Counts> groups;
  const std::vector<int> equal = equal_workers(c);
  for (std::size_t w = 0; w < equal.size(); ++w) groups[equal[w]].push_back(w < v.size() ? v[w] : 0);
  for (auto& [group, counts] : groups) std::ranges::sort(counts);
  return {groups.begin(), groups.end()};
}

struct Taken {
  double at = 0;
  Counts by_worker;
};

std::vector<Taken> taken_by_us(const EventLog& log, const RecordedConfig& c) {
  const Contributions all = read_contributions(log);
  std::vector<Taken> out;
  if (all.accumulators.empty()) return out;
  for (const Aggregate& g : all.accumulators[0].aggregates) {
    Counts v(static_cast<std::size_t>(c.workers), 0);
    for (std::size_t i = 0; i < all.workers.size(); ++i)
      v[all.workers[i].task.index() - static_cast<std::size_t>(c.ps)] = g.by_worker[i];
    out.push_back({in_seconds(g.at), std::move(v)});
  }
  return out;
}

// Since the last fault before a dump. A server or a chief that was restarted issues its takes anew; any other fault
// happens while a take waits.
struct Stretch {
  double from = -100, until = 0;
  bool is_new_chief = false;
};

Stretch stretch_before(const Json& dump, const Json& faults) {
  Stretch s{.until = dump.at(0)};
  for (const Json& f : faults)
    if (f.at(0) < s.until)
      s = {f.at(0), s.until,
           f.at(2) != "killed" && (f.at(1) == "worker:0" || f.at(1).get<std::string>().starts_with("ps"))};
  return s;
}

// Recorded aggregates carry the time at which their take was issued.
std::vector<Counts> taken_by_them(const Json& rows, const Stretch& s) {
  std::vector<Counts> out;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double issued = rows.at(k).at(0),
                 complete = k + 1 < rows.size() ? rows.at(k + 1).at(0).get<double>() : s.until;
    if ((s.is_new_chief ? issued : complete) > s.from) out.push_back(rows.at(k).at(1).get<Counts>());
  }
  return out;
}

std::int64_t total(const Counts& v) { return std::accumulate(v.begin(), v.end(), std::int64_t{0}); }

std::string compare_aggregates(const Json& dump, const std::vector<Taken>& all, const Stretch& s,
                               const RecordedConfig& c) {
  if (!dump.at(4).is_object() || dump.at(4).empty()) malformed("timeline: a dump has no accumulator");
  const std::vector<Counts> theirs = taken_by_them(dump.at(4).begin().value(), s);
  std::vector<Counts> ours;
  for (const Taken& t : all)
    if (t.at > s.from && t.at < s.until) ours.push_back(t.by_worker);
  // A step of 0.3 s is eight messages, 1 to 3 ms more each, and 2 to 4 ms of its own ("Noise"): up to 12 %.
  if (std::abs(std::ssize(theirs) - std::ssize(ours)) > std::max(3.0, 0.12 * static_cast<double>(theirs.size())))
    return fmt::format("aggregates from {:.2f} to {:.2f} s: theirs {}, ours {}", s.from, s.until, theirs.size(),
                       ours.size());
  for (std::size_t k = 0; k < std::min({theirs.size(), ours.size(), std::size_t{12}}); ++k) {
    // The blocked workers all push when a new chief begins: its first two aggregates are ties (the two recordings of
    // that fault differ in them).
    const bool same =
        s.is_new_chief && k < 2 ? total(theirs[k]) == total(ours[k]) : by_group(theirs[k], c) == by_group(ours[k], c);
    if (!same) return fmt::format("aggregate {} after {:.2f} s: theirs {}, ours {}", k, s.from, theirs[k], ours[k]);
  }
  return "";
}

std::string compare_dumps(const Json& recorded, const EventLog& log, const RecordedConfig& c) {
  const std::vector<Taken> ours = taken_by_us(log, c);
  for (const Json& e : recorded.at("timeline"))
    if (e.at(2) == "dump")
      if (std::string difference = compare_aggregates(e, ours, stretch_before(e, recorded.at("faults")), c);
          !difference.empty())
        return difference;
  return "";
}

}  // namespace

StatusOr<Job> job_of_time_line(const Json& recorded, const RecordedConfig& c, const std::string& graphs_folder) {
  check_rows(recorded.at("timeline"), "timeline");
  check_rows(recorded.at("faults"), "faults");
  TARRY_ASSIGN(Job job, make_job(c, graphs_folder, 0));
  job.faults = faults_of(recorded, c);
  set_limits(recorded.at("config"), c, job);
  job.stop.time = nanos(ended_at(recorded));
  job.stop.when_clients_finish = false;
  return job;
}

StatusOr<SyncRow> conform_time_line(const std::string& name, const Json& recorded, const RecordedConfig& c,
                                    const std::string& graphs_folder) {
  SyncRow row{name, SyncRow::Kind::time_line, SyncRow::Verdict::agrees, ""};
  TARRY_ASSIGN(const Job job, job_of_time_line(recorded, c, graphs_folder));
  TARRY_ASSIGN(const Outcome outcome, run_apart(job));
  row.detail = compare_lines(theirs(recorded), Reader(outcome.log, c).run());
  if (row.detail.empty()) row.detail = compare_dumps(recorded, outcome.log, c);
  if (!row.detail.empty()) row.verdict = SyncRow::Verdict::differs;
  return row;
}

}  // namespace tarry
