#include "results/wait_for.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>

#include "results/moment.hpp"

namespace tarry {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = Graph::vertex_descriptor;
using Kind = Trouble::Kind;

class WaitGraph {
 public:
  WaitGraph(const Evidence& e, Nanos at) : e_(e), moment_(e.moment(at)), graph_(1) {
    for (const Trouble& t : e.troubles)
      if (t.holds_at(at) || slows_at(t, at)) troubles_.push_back(&t);
    for (const SessionWait& w : e.session_waits)
      if (w.holds_at(at)) session_waits_[w.client].push_back(w.awaited);
    first_trouble_ = boost::add_vertex(graph_);
    for (std::size_t i = 1; i < troubles_.size(); ++i) boost::add_vertex(graph_);
  }

  WaitsFor of_training() {
    if (e_.training == Training::synchronous)
      add_aggregate();
    else
      add_steps();
    for (const TaskId driven : e_.driven) wait(kGoal, worker(driven));
    return result();
  }

  WaitsFor of_step(TaskId task) {
    wait(kGoal, worker(task));
    return result();
  }

 private:
  static constexpr Vertex kGoal = 0;

  void wait(Vertex from, Vertex to) { boost::add_edge(from, to, graph_); }

  // ---- what a task is in ----

  [[nodiscard]] bool is_on(TaskId task, const std::string& host) const { return e_.tasks.host(task) == host; }
  [[nodiscard]] bool is_between(const Trouble& t, TaskId x, TaskId y) const {
    return (is_on(x, t.a) && is_on(y, t.b)) || (is_on(x, t.b) && is_on(y, t.a));
  }
  [[nodiscard]] bool touches(const Trouble& t, TaskId task) const {
    if (t.task.valid()) return t.task == task;
    if (t.kind == Kind::slowed_host) return is_on(task, t.a);
    for (std::size_t ps = 0; ps < e_.tasks.names.size(); ++ps)
      if (e_.tasks.is_ps(TaskId{ps}) && separates(t, task, TaskId{ps})) return true;
    return e_.training == Training::in_graph && separates_parts(t, task);
  }
  // Of one client's step: the part of the task from that of another one, or from the client.
  [[nodiscard]] bool separates_parts(const Trouble& t, TaskId task) const {
    const auto is_apart = [&](TaskId other) { return separates(t, task, other); };
    return std::ranges::any_of(e_.driven, is_apart) ||
           std::ranges::any_of(e_.contributions.workers, is_apart, &WorkerStory::task);
  }
  [[nodiscard]] bool separates(const Trouble& t, TaskId x, TaskId y) const {
    return t.kind == Kind::held ? is_on(x, t.a) != is_on(y, t.a) : is_between(t, x, y);
  }
  [[nodiscard]] bool is_of_a_server(const Trouble& t) const {
    if (t.task.valid()) return e_.tasks.is_ps(t.task);
    for (std::size_t ps = 0; t.kind == Kind::slowed_host && ps < e_.tasks.names.size(); ++ps)
      if (e_.tasks.is_ps(TaskId{ps}) && is_on(TaskId{ps}, t.a)) return true;
    return false;
  }
  // Its master waits for a task that does not answer, since `t` is so.
  [[nodiscard]] bool holds_up_session(const Trouble& t, TaskId client) const {
    const bool ends_nothing = t.kind == Kind::failed || t.kind == Kind::left || only_slows_down(t);
    if (ends_nothing) return false;
    const auto waits = session_waits_.find(client);
    return waits != session_waits_.end() && std::ranges::any_of(waits->second, [&](TaskId awaited) {
             return t.task.valid() ? t.task == awaited : separates(t, client, awaited);
           });
  }
  // Neither it nor a parameter server, nor whom its session waits for, is in trouble.
  [[nodiscard]] bool is_free(TaskId worker) const {
    return std::ranges::none_of(troubles_, [&](const Trouble* t) {
      return touches(*t, worker) || is_of_a_server(*t) || holds_up_session(*t, worker);
    });
  }

  // ---- vertices ----

  // A client, or a server: waits for its own troubles, a client for those of the parameter servers too.
  Vertex worker(TaskId task) {
    const auto [it, is_new] = tasks_.emplace(task, kGoal);
    if (!is_new) return it->second;
    const Vertex v = it->second = boost::add_vertex(graph_);
    for (std::size_t i = 0; i < troubles_.size(); ++i)
      if (touches(*troubles_[i], task) || holds_up_session(*troubles_[i], task)) wait(v, first_trouble_ + i);
    if (!e_.tasks.is_ps(task))
      for (std::size_t ps = 0; ps < e_.tasks.names.size(); ++ps)
        if (e_.tasks.is_ps(TaskId{ps})) wait(v, worker(TaskId{ps}));
    return v;
  }

  [[nodiscard]] bool has_left(TaskId worker) const {
    return std::ranges::any_of(troubles_, [&](const Trouble* t) { return t->kind == Kind::left && t->task == worker; });
  }

  // Asynchronous workers do not wait for each other: while one of them is free, training goes on, and for one that has
  // left nobody waits while others are there.
  void add_steps() {
    std::vector<TaskId> workers;
    for (const WorkerStory& w : e_.contributions.workers) workers.push_back(w.task);
    if (e_.training == Training::asynchronous) {
      if (std::ranges::any_of(workers, [this](TaskId w) { return is_free(w); })) return;
      if (!std::ranges::all_of(workers, [this](TaskId w) { return has_left(w); }))
        std::erase_if(workers, [this](TaskId w) { return has_left(w); });
    }
    for (const TaskId w : workers) wait(kGoal, worker(w));
    if (e_.training == Training::stale_synchronous || e_.training == Training::replicated)
      add_those_who_never_trained();
  }

  void add_aggregate() {
    const AccumulatorAt* next = moment_.next_to_fill();
    const TaskId taker = moment_.sync_client.valid() ? moment_.sync_client : e_.contributions.sync_client;
    if (taker.valid()) wait(kGoal, worker(taker));
    out_.never_taken = next != nullptr && next->required == 0;
    if (out_.never_taken) add_those_who_never_trained();
    if (next == nullptr) return add_first_gradients();
    wait(kGoal, worker(next->task));
    out_.gradients = next->gradients();
    out_.required = next->required;
    out_.variable = variable_of(e_.log.name(next->name));
    add_gradients(*next);
  }

  // They bring no gradient and no token, and one of them may be the chief, whose thread takes aggregates.
  void add_those_who_never_trained() {
    for (const LoggedEvent& event : e_.log.events())
      if (const auto* s = std::get_if<SessionMoved>(&event.event); s != nullptr && !e_.is_worker(s->task))
        wait(kGoal, worker(s->task));
  }

  // No gradient has come yet: all workers are on their first.
  void add_first_gradients() {
    for (const WorkerStory& w : e_.contributions.workers) wait(kGoal, worker(w.task));
  }

  void add_gradients(const AccumulatorAt& a) {
    std::int64_t coming = 0;
    std::vector<TaskId> held;
    for (const WorkerStory& w : e_.contributions.workers) {
      if (moment_.waits_for_token(w.task, a.name))
        out_.for_tokens.push_back(w.task);
      else if (is_free(w.task))
        ++coming;
      else
        held.push_back(w.task);
    }
    if (coming >= a.required - a.gradients()) return;
    for (const TaskId w : held) wait(kGoal, worker(w));
    if (coming == 0) add_those_who_never_trained();
    if (coming == 0 && std::ssize(held) < a.required - a.gradients()) add_tokens();
  }

  // No worker is on its way with a gradient, and more are wanted than those that are held up would bring: those that
  // brought one would have to bring another, and for that they need tokens, which come after the aggregate.
  void add_tokens() {
    const Vertex tokens = boost::add_vertex(graph_);
    wait(kGoal, tokens);
    wait(tokens, kGoal);
  }

  // ---- what follows ----

  WaitsFor result() {
    std::vector<boost::default_color_type> color(boost::num_vertices(graph_));
    const auto colors = boost::make_iterator_property_map(color.begin(), boost::get(boost::vertex_index, graph_));
    boost::breadth_first_search(graph_, kGoal, boost::color_map(colors));
    for (std::size_t i = 0; i < troubles_.size(); ++i)
      if (color[first_trouble_ + i] != boost::white_color) out_.troubles.push_back(*troubles_[i]);
    out_.is_circle = out_.troubles.empty() && goal_waits_for_itself();
    return std::move(out_);
  }

  bool goal_waits_for_itself() {
    std::vector<int> component(boost::num_vertices(graph_));
    boost::strong_components(
        graph_, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph_)));
    return std::ranges::count(component, component[kGoal]) > 1;
  }

  const Evidence& e_;
  std::map<TaskId, std::vector<TaskId>> session_waits_;  // that hold: by client, for whom it waits
  const JobState& moment_;
  std::vector<const Trouble*> troubles_;  // that hold
  Graph graph_;
  Vertex first_trouble_ = 0;
  std::map<TaskId, Vertex> tasks_;
  WaitsFor out_;
};

}  // namespace

WaitsFor waits_for(const Evidence& e, Nanos at) { return WaitGraph(e, at).of_training(); }

WaitsFor step_waits_for(const Evidence& e, TaskId worker, Nanos at) {
  WaitsFor waits = WaitGraph(e, at).of_step(worker);
  const auto own = std::ranges::find(e.contributions.workers, worker, &WorkerStory::task);
  const bool is_of_the_end =
      own == e.contributions.workers.end() || own->step_ended.empty() || at >= own->step_ended.back();
  if (is_of_the_end && std::ranges::count(e.log.slowed_in_vain, worker) > 0)
    std::erase_if(waits.troubles, only_slows_down);
  return waits;
}

const Trouble* lost_in_between(const Evidence& e, Nanos from, Nanos to) {
  const auto it = std::ranges::find_if(e.troubles, [&](const Trouble& t) {
    const bool holds_tokens = e.tasks.is_ps(t.task) || t.task == e.contributions.initialiser;
    return t.kind == Trouble::Kind::gone && holds_tokens && from < t.from && t.to >= 0 && t.to <= to;
  });
  return it == e.troubles.end() ? nullptr : &*it;
}

}  // namespace tarry
