#include "scenarios/file/outcome.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "results/client_error.hpp"
#include "results/evidence.hpp"
#include "results/loads.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/job/fed_rows.hpp"
#include "scenarios/job/json_entry.hpp"
#include "scenarios/job/shared_epochs.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

Json outcome_json(const Report& r) {
  const Json all = to_json(r);
  Json j;
  j["verdicts"] = Json::array();
  for (const Verdict& v : r.verdicts) j["verdicts"].push_back(v.kind);
  j["aggregates"] = Json::array();  // runs of equal ones: [by_worker, how many]
  if (!r.contributions.accumulators.empty())
    for (const Aggregate& g : r.contributions.accumulators[0].aggregates) {
      if (!j["aggregates"].empty() && j["aggregates"].back()[0] == Json(g.by_worker))
        j["aggregates"].back()[1] = j["aggregates"].back()[1].get<int>() + 1;
      else
        j["aggregates"].push_back(Json::array({g.by_worker, 1}));
    }
  for (const char* key : {"steps", "accepted", "dropped"}) {
    j[key] = Json::array();
    for (const Json& w : all["workers"]) j[key].push_back(w[key]);
  }
  for (const Breach& b : r.breaches.value_or(std::vector<Breach>())) j["broken"].push_back(b.property);
  return j;
}

// What every session says.
bool is_routine(std::string_view line) {
  return line == "Graph was finalized." || line == "Running local_init_op." || line == "Done running local_init_op.";
}

// What the report tells of an event besides the tables.
struct Line {
  Nanos at = 0;
  std::vector<TaskId> who = {};  // say so
  std::string text;              // "" = nothing
  Nanos last = 0;                // when it was said for the last time
  std::string last_text = {};    // and how, where it was said again
  std::map<TaskId, int> times = {};
};

// Saves that differ in their step alone are told of together.
constexpr std::string_view kSaving = "Saving checkpoints for ";

bool are_alike(std::string_view a, std::string_view b) {
  if (!a.starts_with(kSaving) || !b.starts_with(kSaving)) return a == b;
  const auto after_step = [&](std::string_view text) {
    return text.substr(std::min(text.find(' ', kSaving.size()), text.size()));
  };
  return after_step(a) == after_step(b);
}

// "Saving checkpoints for 0, ..., 400 into a."
std::string from_first_to_last(const Line& l) {
  if (l.last_text.empty() || l.last_text == l.text) return l.text;
  const auto step_ends = [](const std::string& text) { return std::min(text.find(' ', kSaving.size()), text.size()); };
  std::string out = l.text;
  return out.insert(step_ends(out),
                    ", ..., " + l.last_text.substr(kSaving.size(), step_ends(l.last_text) - kSaving.size()));
}

Line line_of(const Event& event, const Outcome& o) {
  if (const auto* l = std::get_if<LogLine>(&event); l != nullptr && !is_routine(o.log.name(l->text)))
    return {.who = {l->task}, .text = std::string(o.log.name(l->text))};
  if (const auto* p = std::get_if<ProcessEnded>(&event)) return {.text = o.tasks.show(p->task) + ": its process ends"};
  if (const auto* p = std::get_if<ProcessBegan>(&event))
    return {.text = o.tasks.show(p->task) + ": a new process begins"};
  // A note says which faults never happened.
  if (const auto* c = std::get_if<ConditionChanged>(&event); c != nullptr && o.log.name(c->kind) != "never")
    return {.text = o.tasks.in_plain(o.log.name(c->what))};
  return {};
}

// "worker 1, worker 2: "; of more than four the first three and how many more.
std::string speakers(const std::vector<TaskId>& who, const TaskNames& tasks) {
  const std::size_t told = who.size() > 4 ? 3 : who.size();
  std::string out;
  for (std::size_t i = 0; i < told; ++i) out += (i == 0 ? "" : ", ") + tasks.show(who[i]);
  if (told < who.size()) out += fmt::format(" and {} more", who.size() - told);
  return out.empty() ? "" : out + ": ";
}

// Sessions are made ready, and models are initialised, before the common start.
std::string when_in_words(Nanos at) {
  return at >= 0 ? fmt::format("{:.3f} s", in_seconds(at)) : fmt::format("{:.3f} s before the start:", in_seconds(-at));
}

// What several tasks say, one right after the other, is one line, and so is what they say again before anything else
// happens to the cluster.
class Lines {
 public:
  void add(Line line) {
    if (Line* same = said_by(line)) {
      same->last = line.at, same->last_text = line.text, ++same->times[line.who.front()];
    } else if (Line* before = just_said(line)) {
      before->who.push_back(line.who.front()), ++before->times[line.who.front()];
    } else if (lines_.size() < kMostLines) {
      if (!line.who.empty()) line.times[line.who.front()] = 1;
      lines_.push_back(std::move(line));
      is_last_shown_ = true;
    } else {
      is_last_shown_ = false, are_more_ = true, is_over_ = is_over_ || line.who.empty();
    }
  }
  // Nothing that comes can change what is shown.
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] std::vector<std::string> in_words(const TaskNames& tasks) const {
    std::vector<std::string> out;
    for (const Line& l : lines_)
      out.push_back(
          fmt::format("{} {}{}{}", when_in_words(l.at), speakers(l.who, tasks), again(l), from_first_to_last(l)));
    if (are_more_) out.push_back("... and more: --csv FOLDER writes all (log_lines.csv, faults.csv)");
    return out;
  }

 private:
  static constexpr std::size_t kMostLines = 20;

  // "(21 times, the last at 600.012 s) ".
  static std::string again(const Line& l) {
    int times = 0;
    for (const auto& [task, count] : l.times) times = std::max(times, count);
    if (times < 2) return "";
    return l.last == l.at ? fmt::format("({} times) ", times)
                          : fmt::format("({} times, the last at {}) ", times, last_in_words(l.last));
  }
  static std::string last_in_words(Nanos at) {
    return at >= 0 ? fmt::format("{:.3f} s", in_seconds(at))
                   : fmt::format("{:.3f} s before the start", in_seconds(-at));
  }
  Line* said_by(const Line& line) {
    for (auto it = lines_.rbegin(); it != lines_.rend() && !it->who.empty() && !line.who.empty(); ++it)
      if (are_alike(it->text, line.text) && std::ranges::count(it->who, line.who.front()) > 0) return &*it;
    return nullptr;
  }
  Line* just_said(const Line& line) {
    const bool is_alike =
        is_last_shown_ && !line.who.empty() && !lines_.back().who.empty() && lines_.back().text == line.text;
    return is_alike ? &lines_.back() : nullptr;
  }

  std::vector<Line> lines_;
  bool is_last_shown_ = false, are_more_ = false, is_over_ = false;
};

// Before the common start all clients but the first wait for its model.
bool is_about_waiting(std::string_view text) { return text.starts_with("Waiting for model to be ready."); }

// What happened first.
std::vector<std::string> what_happened(const Outcome& o) {
  Lines lines;
  for (const LoggedEvent& e : o.log.events()) {
    Line line = line_of(e.event, o);
    if (line.text.empty() || (e.at < o.log.started_at && is_about_waiting(line.text))) continue;
    line.at = line.last = e.at - o.log.started_at;
    lines.add(std::move(line));
    if (lines.is_over()) break;
  }
  return lines.in_words(o.tasks);
}

// Ops that took the default for want of anything better, those of most nodes first.
std::string note_of_unpriced(const Scenario& s, const std::map<std::string, std::uint64_t>& unpriced) {
  if (unpriced.empty()) return "";
  std::vector<std::pair<std::uint64_t, std::string>> ops;
  for (const auto& [op, sites] : unpriced) ops.emplace_back(sites, op);
  std::ranges::sort(
      ops, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::uint64_t sites = 0;
  std::string names;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    sites += ops[i].first;
    if (i < 8) names += (i > 0 ? ", " : "") + ops[i].second;
  }
  const auto* fixed = std::get_if<Constant>(&s.costs.otherwise);
  const std::string took = fixed != nullptr && fixed->time == 0 ? "took no time" : "took the default cost";
  return fmt::format("{} of {} had no cost and {}: {}{}.",
                     counted(static_cast<std::int64_t>(sites), "kernel", "kernels"),
                     counted(std::ssize(ops), "op", "ops"), took, names, ops.size() > 8 ? ", ..." : "");
}

// Tasks that Estimators call chief or master: 'build' makes clients for workers alone.
std::string note_of_chiefs(const Scenario& s, const Job& job, const TaskNames& tasks) {
  std::vector<std::string> idle;
  for (std::size_t t = 0; s.build && t < s.cluster.tasks.size(); ++t) {
    const std::string who = tasks.as_written(TaskId{t});
    const bool is_chief = who.starts_with("chief/") || who.starts_with("master/");
    if (is_chief && std::ranges::find(job.clients, TaskId{t}, &ClientJob::task) == job.clients.end())
      idle.push_back(who);
  }
  if (idle.empty()) return "";
  return fmt::format(
      "No client runs on {}: 'build' gives one to each task of the job worker, and worker/0 is the chief. "
      "Call it worker, to have it train.",
      join(idle, ", "));
}

// Ids that no value is given for are zeros.
std::string note_of_ids(const Job& job) {
  for (const ClientJob& c : job.clients) {
    const FedRows fed = rows_by_zeros(c.program);
    if (fed.tensors.empty()) continue;
    return fmt::format(
        "{} {} fed with zeros and {} which rows of {} are read: always the first. 'feeds: {{values: {{\"{}\": "
        "{{uniform: "
        "{{high: {}}}}}}}}}' draws from all of them.",
        join(fed.tensors, ", "), fed.tensors.size() == 1 ? "is" : "are", fed.tensors.size() == 1 ? "says" : "say",
        fed.variable, fed.tensors.front(), fed.rows == 0 ? "ROWS" : std::to_string(fed.rows));
  }
  return "";
}

bool ran_out_of_data(const EventLog& log) {
  return std::ranges::any_of(log.events(), [&](const LoggedEvent& e) {
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    return moved != nullptr && moved->stage == SessionStage::left_loop && is_end_of_data(log.name(moved->detail));
  });
}

// Why data was at its end sooner than its epochs let one think.
std::string note_of_epochs(const Job& job, const EventLog& log) {
  if (!ran_out_of_data(log)) return "";
  const SharedEpochs shared = shared_epochs(job.clients);
  if (shared.counter.empty()) return "";
  return fmt::format(
      "{} is on {} {} and counts up to {} for all workers together. For {} epochs of each worker, make its queue of "
      "file names under tf.device of that worker.",
      shared.counter, shared.job, shared.task, shared.limit, shared.limit);
}

// "2 faults never happened: kill worker/1 at 500s; ...".
std::string note_of_faults(const Scenario& s, const Job& job, const Outcome& o) {
  std::vector<std::string> never;
  for (std::size_t i = 0; i < o.faults_at.size(); ++i)
    if (o.faults_at[i] < 0) never.push_back(faults_line(std::span(&job.faults[i], 1), s.cluster));
  if (never.empty()) return "";
  const std::string count = counted(std::ssize(never), "fault", "faults");
  constexpr std::size_t kMost = 3;
  if (never.size() > kMost) never.resize(kMost), never.emplace_back("...");
  return fmt::format("{} never happened before the run ended at {:.3f} s: {}.", count,
                     in_seconds(o.log.ended_at - o.log.started_at), join(never, "; "));
}

// A run that nothing else ends is ended.
std::string note_of_longest(const Job& job, const EventLog& log) {
  if (job.stop.time || log.ended_at < job.max_time) return "";
  return "The run was ended after about a month of simulated time, before anything that `stop` says came true; 'stop: "
         "{time: "
         "...}' lets it go on for longer.";
}

std::string engine_key(const std::string& engine) { return engine.empty() ? "any" : engine; }

std::optional<std::uint32_t> one_of_several(const ClusterSpec& cluster, Card card) {
  if (card_count(cluster.hosts[card.host.index()]) == 1) return std::nullopt;
  return card.number;
}

void add_use(Report& r, const Scenario& s, const Outcome& o) {
  for (const DeviceUse& d : o.stats.devices)
    if (const std::uint64_t kernels = d.kernels - d.kernels_before; kernels > 0 || d.peak_bytes > 0)
      r.devices.push_back({d.name, d.busy - d.busy_before, kernels, d.lanes, d.peak_bytes, d.memory_bytes});
  for (const Traffic& t : o.stats.traffic)
    if (t.from.host != t.to.host && t.bytes > 0)
      r.links.push_back({s.cluster.hosts[t.from.host.index()].name, s.cluster.hosts[t.to.host.index()].name, t.bytes,
                         t.messages, one_of_several(s.cluster, t.from), one_of_several(s.cluster, t.to)});
}

}  // namespace

Report make_report(const Scenario& s, const Job& job, const Outcome& o, std::span<const Proof> proofs) {
  Report r;
  r.title = s.title;
  r.contributions = read_contributions(o.log);
  r.tasks = o.tasks;
  r.verdicts = judge(o.log, r.contributions, o.tasks, proofs, o.breaches);
  r.proofs.assign(proofs.begin(), proofs.end());
  r.hash = to_string(o.log.hash());
  r.flow_engine = flow_engine(job);
  r.events = o.log.count();
  r.seed = job.seed;
  r.batch = s.feeds.batch > 1 ? s.feeds.batch * (s.build ? s.build->plan.towers : 1) : 0;
  r.time = o.log.ended_at - o.log.started_at;
  add_use(r, s, o);
  if (const std::string split = where_time_went(read_loads(o.log)); !split.empty()) r.notes.push_back(split);
  r.costs = o.stats.executions;
  r.unpriced = o.stats.unpriced;
  if (const std::string note = note_of_unpriced(s, o.stats.unpriced); !note.empty()) r.notes.push_back(note);
  if (const std::string note = note_of_chiefs(s, job, o.tasks); !note.empty()) r.notes.push_back(note);
  if (const std::string note = note_of_ids(job); !note.empty()) r.notes.push_back(note);
  if (const std::string note = note_of_epochs(job, o.log); !note.empty()) r.notes.push_back(note);
  if (const std::string note = note_of_faults(s, job, o); !note.empty()) r.notes.push_back(note);
  if (const std::string note = note_of_longest(job, o.log); !note.empty()) r.notes.push_back(note);
  r.waits = what_happened(o);
  return r;
}

bool meets_expectation(const Scenario& s, const Report& r) {
  if (s.expect.verdicts.empty()) return true;
  std::vector<std::string> wanted = s.expect.verdicts, got;
  for (const Verdict& v : r.verdicts) got.push_back(v.kind);
  std::ranges::sort(wanted);
  std::ranges::sort(got);
  got.erase(std::unique(got.begin(), got.end()), got.end());
  return wanted == got;
}

std::string expected_text(const Report& r, const std::string& engine, const std::string& previous) {
  Json j = outcome_json(r);
  const Json old = Json::parse(previous, nullptr, false);
  if (!r.breaches && old.is_object() && old.contains("broken")) j["broken"] = old["broken"];
  j["hash"] = !engine.empty() && old.is_object() && old.contains("hash") && old["hash"].is_object() ? old["hash"]
                                                                                                    : Json::object();
  j["hash"][engine_key(engine)] = r.hash;
  std::string text;  // a line for each key
  for (const auto& [key, value] : j.items())
    text += fmt::format("{} \"{}\": {}", text.empty() ? "{\n" : ",\n", key, value.dump());
  return text + "\n}\n";
}

namespace {

// "" when none is kept.
std::string kept_hash(const Json& expected, const std::string& key) {
  const Json all = expected.value("hash", Json());
  return all.is_object() && all.contains(key) && all.at(key).is_string() ? all.at(key).get<std::string>() : "";
}

std::string kept_in_words(const Json& value) { return value.is_null() ? "nothing" : value.dump(); }

}  // namespace

std::string compare_with_expected(const Report& r, const std::string& engine, const std::string& expected) {
  if (!parse_json("expected.json", expected).ok()) return "the expected outcome is not JSON";
  const Json theirs = Json::parse(expected);
  if (!theirs.is_object()) return "the expected outcome is not JSON";
  const Json ours = outcome_json(r);
  for (const auto& [key, value] : ours.items())
    if (theirs.value(key, Json()) != value)
      return fmt::format("{}: expected {}, got {}", key, kept_in_words(theirs.value(key, Json())), value.dump());
  if (r.breaches && theirs.contains("broken") && !ours.contains("broken"))
    return fmt::format("broken: expected {}, got nothing", theirs["broken"].dump());
  const std::string hash = kept_hash(theirs, engine_key(engine));
  if (hash.empty()) return fmt::format("no hash is kept for {}; UPDATE=1 adds it", engine_key(engine));
  if (hash != r.hash)
    return fmt::format("hash: expected {}, got {}: the same outcome by another course of events", hash, r.hash);
  return "";
}

}  // namespace tarry
