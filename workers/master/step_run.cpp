#include "workers/master/step_run.hpp"

#include <algorithm>
#include <utility>

#include "workers/worker/rpc.hpp"

namespace tarry {
namespace {

constexpr Nanos kCheckPeriod = 60'000'000'000;
constexpr std::uint64_t kRunGraphSalt = std::uint64_t{1} << 32;  // apart from the salts of the step's receives

}  // namespace

void StepRun::start(Done&& done) {
  done_ = std::move(done);
  if (Status s = check_feeds(); !s.ok()) return end(std::move(s));
  StatusOr<std::vector<RunGraphRequest>> all = requests();
  if (!all.ok()) return end(all.status());
  began_ = site_.directory.env.now();
  left_ = all->size();
  if (left_ == 0) return finish();
  parts_.reserve(left_);
  for (const GraphPart& part : graph_.parts) parts_.push_back({*this, part});
  for (std::size_t i = 0; i < parts_.size(); ++i) issue(parts_[i], std::move((*all)[i]));
}

// ---- requests ----

Status StepRun::check_feeds() const {
  const std::vector<FedTensor>& feeds = share_.feeds;
  for (auto it = feeds.begin(); it != feeds.end(); ++it)
    if (std::ranges::find(feeds.begin(), it, it->tensor, &FedTensor::tensor) != it)
      return invalid("Duplicated feeds: {}", it->name());
  return {};
}

StatusOr<std::vector<RunGraphRequest>> StepRun::requests() const {
  std::vector<RunGraphRequest> all;
  all.reserve(graph_.parts.size());
  for (std::size_t i = 0; i < graph_.parts.size(); ++i) {
    all.push_back(request(i));
    TARRY_RETURN_IF_ERROR(add_feeds(all.back(), graph_.parts[i]));
  }
  return all;
}

RunGraphRequest StepRun::request(std::size_t i) const {
  RunGraphRequest r;
  r.session = site_.handle;
  r.graph = graph_.parts[i].handle;
  r.step = share_.step;
  r.errors_in_body = true;
  r.exec = share_.exec;
  r.is_partial = graph_.is_partial;
  r.is_last_partial = share_.is_last_partial;
  r.request_id = site_.directory.request_id(share_.step, site_.master, kRunGraphSalt + graph_.calls_made++);
  add_fetches(r, graph_.parts[i]);
  return r;
}

const FedTensor* StepRun::fed(const SharedText& tensor) const {
  const auto it = std::ranges::find(share_.feeds, tensor, &FedTensor::tensor);
  return it == share_.feeds.end() ? nullptr : &*it;
}

Status StepRun::add_feeds(RunGraphRequest& r, const GraphPart& part) const {
  for (const ClientTensor& t : part.fed) {
    if (const FedTensor* f = fed(t.name))
      r.sends.push_back({t.key, f->value});
    else if (!graph_.is_partial)
      return error(Code::kInternal, "No feed index found for feed: {}", t.name.get());
  }
  return {};
}

void StepRun::add_fetches(RunGraphRequest& r, const GraphPart& part) const {
  const std::vector<std::string>& wanted = share_.fetches;
  for (const ClientTensor& t : part.fetched)
    if (!graph_.is_partial || std::ranges::find(wanted, t.name.get()) != wanted.end()) r.receives.push_back(t.key);
}

// ---- calls ----

void StepRun::issue(Part& part, RunGraphRequest&& request) {
  auto ended = [p = std::shared_ptr<Part>(shared_from_this(), &part)](StatusOr<RunGraphResponse> response) {
    p->run.part_ended(*p, std::move(response));
  };
  part.call = call(site_.directory, site_.master, part.graph.task, std::move(request), std::move(ended));
}

// A body has room for a code and a text: that an error follows from another is not heard from another task.
Status StepRun::in_body(const Status& s, TaskId from) const {
  return s.ok() || from == site_.master ? s : Status(s.code(), s.message());
}

bool StepRun::retries(Part& part, const Status& s) {
  if (site_.directory.planted != PlantedClusterBug::retry_after_executed || s.code() != Code::kUnavailable)
    return false;
  if (cancels_ || std::exchange(part.retried, true)) return false;
  StatusOr<std::vector<RunGraphRequest>> all = requests();
  if (!all.ok()) return false;
  issue(part, std::move((*all)[static_cast<std::size_t>(&part - parts_.data())]));
  return true;
}

void StepRun::part_ended(Part& part, StatusOr<RunGraphResponse> response) {
  if (!response.ok() && retries(part, response.status())) return;
  part.ended = true;
  mark_if(response.status().code() == Code::kUnavailable, site_.directory.auditor, Mark::run_broken);
  Status s = response.ok() ? in_body(response->status, part.graph.task) : response.status();
  if (s.ok())
    s = take(part.graph, *std::move(response));
  else
    s = with_prefix(s, fmt::format("From {}:\n", site_.name_of(part.graph.task)));
  report(s);
  if (--left_ == 0) finish();
}

Status StepRun::take(const GraphPart& part, RunGraphResponse response) {
  if (response.details) answers_.details.push_back(std::move(response.details));
  for (NamedTensor& t : response.received) {
    const auto fetched = std::ranges::find(part.fetched, t.key, &ClientTensor::key);
    if (fetched == part.fetched.end())
      return error(Code::kInternal, "Unexpected fetch key: {}", site_.directory.env.text(t.key));
    answers_.fetched.push_back({fetched->name, std::move(t.tensor)});
  }
  return {};
}

void StepRun::mark_error(const Status& s) const {
  Auditor* a = site_.directory.auditor;
  if (is_derived(s)) return mark_if(!cancels_, a, Mark::consequence_before_cause);
  mark(a, cancels_ ? Mark::second_cause : Mark::step_cancelled_by_error);
}

// The first cause cancels the step everywhere.
void StepRun::report(const Status& s) {
  if (s.ok()) return;
  errors_.add(s);
  mark_error(s);
  if (is_derived(s) || std::exchange(cancels_, true)) return;
  watch();
  const auto alive = shared_from_this();  // an answer may end the step
  for (const Part& p : parts_)
    if (const CallRef call = p.call) call->cancel();
}

void StepRun::cancel() {
  if (left_ > 0) report(error(Code::kCancelled, "RunManyGraphs"));
}

bool StepRun::waits_for_partial_run_of(TaskId task) const {
  return graph_.is_partial &&
         std::ranges::any_of(parts_, [task](const Part& p) { return !p.ended && p.graph.task == task; });
}

// The real master looks every 60 s whether there is an error, and 60 s later who still keeps it waiting.
void StepRun::watch() {
  Env& env = site_.directory.env;
  const Nanos past = (env.now() - began_) % kCheckPeriod;
  env.after(site_.master, 2 * kCheckPeriod - past, [self = weak_from_this()] {
    if (const auto run = self.lock(); run && run->left_ > 0) run->complain();
  });
}

void StepRun::complain() const {
  mark(site_.directory.auditor, Mark::step_blocked);
  const auto log = [&](const std::string& text) { site_.directory.log(site_.master, 'E', text); };
  const Status s = errors_.concatenated();
  log(fmt::format("RunStep still blocked after 60 seconds. Failed with error status: {}: {}", code_name(s.code()),
                  text_of(s)));
  for (const Part& p : parts_)
    if (!p.ended) log(fmt::format("- No response from RunGraph call to worker: {}", site_.name_of(p.graph.task)));
}

void StepRun::finish() {
  if (Status s = errors_.concatenated(); !s.ok()) return end(std::move(s));
  end(std::move(answers_));
}

void StepRun::end(StatusOr<StepAnswers> answers) {
  if (Done done = std::move(done_)) std::move(done)(std::move(answers));
}

}  // namespace tarry
