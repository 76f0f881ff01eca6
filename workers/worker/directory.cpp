#include "workers/worker/directory.hpp"

#include <algorithm>
#include <utility>

namespace tarry {

Directory::Directory(Env& e, std::vector<TaskInfo> t)
    : env(e), tasks(std::move(t)), workers(tasks.size()), lives_(tasks.size()), waiting_(tasks.size()) {
  for (std::size_t i = 0; i < kMethods; ++i) {
    const std::string name = method_name(static_cast<Method>(i));
    kinds_[i] = {env.name(name + " request"), env.name(name + " reply")};
  }
  for (const TaskInfo& task : tasks) parsed_names.push_back(parse_device_name(task.name));
}

// Calls that were never answered hold those who wait for them, and are held by them.
Directory::~Directory() {
  Calls open;
  for (ConnectedCall& c : calls_) open.push_back(c.hold());
  for (const auto& c : open) c->forget();
}

namespace {
TaskId find_by(const std::vector<TaskInfo>& tasks, std::string TaskInfo::*member, std::string_view value) {
  const auto it = std::ranges::find(tasks, value, member);
  return it == tasks.end() ? TaskId::none() : TaskId{static_cast<std::size_t>(it - tasks.begin())};
}
}  // namespace

TaskId Directory::find(std::string_view task) const { return find_by(tasks, &TaskInfo::name, task); }
TaskId Directory::at_address(std::string_view address) const { return find_by(tasks, &TaskInfo::address, address); }

TaskId Directory::task_of_device(std::string_view device) const {
  const auto [known, is_new] = tasks_of_devices_.try_emplace(std::string(device));
  if (!is_new) return known->second;
  const auto name = parse_device_name(device);
  return known->second =
             name && name->job && name->replica && name->task ? find(tarry::task_of(*name)) : TaskId::none();
}

std::uint64_t Directory::request_id(StepId step, TaskId from, std::uint64_t salt) const {
  if (!is_exact && !may_resend) return 0;
  std::uint64_t id = step.value + 0x9e3779b97f4a7c15ULL * (salt * tasks.size() + from.index() + 1);
  id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9ULL;
  id = (id ^ (id >> 27)) * 0x94d049bb133111ebULL;
  return (id ^ (id >> 31)) | 1;
}

void Directory::start(TaskId task, std::unique_ptr<WorkerService> process) {
  workers[task.index()] = std::move(process);
  for (Callback& then : std::exchange(waiting_[task.index()], {})) std::move(then)();
}

Directory::Calls Directory::calls_between(TaskId caller, TaskId server) {
  Calls found;
  for (ConnectedCall& c : calls_)
    if (c.caller() == caller && c.server() == server && !c.is_over()) found.push_back(c.hold());
  return found;
}

// What `peer` hears, as soon as a message from the other end could be there.
void Directory::break_connection(TaskId gone, TaskId peer, Calls to_gone, Calls from_gone) {
  for (Calls* calls : {&to_gone, &from_gone}) std::erase_if(*calls, [](const auto& c) { return c->is_over(); });
  for (const auto& c : from_gone) c->abandon();
  if (to_gone.empty() && from_gone.empty()) return;
  env.send(gone, peer, {env.name("connection closed"), {}, {}, Manner::in_order}, 0,
           [this, asking = std::move(to_gone), asked = std::move(from_gone)](Status) {
             mark_if(!asked.empty(), auditor, Mark::caller_died);
             for (const auto& c : asking) c->break_off();
             for (const auto& c : asked) c->tell_server();
           });
}

void Directory::end(TaskId task) {
  ++lives_[task.index()];
  for (const auto& c : calls_between(task, task)) c->abandon();
  std::vector<Calls> to(tasks.size()), from(tasks.size());  // by the other end
  for (ConnectedCall& c : calls_) {
    if (c.caller() == task) from[c.server().index()].push_back(c.hold());
    if (c.server() == task) to[c.caller().index()].push_back(c.hold());
  }
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (TaskId{i} != task) break_connection(task, TaskId{i}, std::move(to[i]), std::move(from[i]));
  if (is_present(task)) gone_.push_back(std::move(workers[task.index()]));
}

void Directory::resend(TaskId caller, TaskId server) {
  env.in_process(caller, [this, caller, server] {
    for (const auto& c : calls_between(caller, server)) c->send_again();
  });
}

void Directory::disconnect(TaskId a, TaskId b) {
  const Calls here = calls_between(a, b), there = calls_between(b, a);
  for (const Calls& calls : {here, there})
    for (const auto& c : calls) {
      env.in_process(c->server(), [c] { c->tell_server(); });
      env.in_process(c->caller(), [c] { c->break_off(); });
    }
}

}  // namespace tarry
