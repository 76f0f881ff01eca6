#include <algorithm>
#include <cmath>

#include "placer/device/name.hpp"
#include "placer/graph/read.hpp"
#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/replay.hpp"

namespace tarry::rpc {
namespace {

constexpr double kTolerance = 0.3;
constexpr std::int64_t kMostDevices = 64;          // of a type
constexpr std::int64_t kLargestValue = 1LL << 24;  // elements of a tensor whose values are computed

// "worker:1"
void check_task(const std::string& task) {
  const std::string device = task_name(task) + "/device:CPU:0";
  const auto name = parse_device_name(device);
  if (!name || to_string(*name) != device) malformed("the task '{}'; expected one such as worker:1", task);
}

std::vector<std::string> tasks_of(const Json& setup) {
  std::vector<std::string> tasks{setup.at("real")};
  if (setup.at("fake_tasks").contains(tasks[0])) malformed("fake_tasks: '{}' is the real task", tasks[0]);
  for (const auto& [task, devices] : setup.at("fake_tasks").items()) tasks.push_back(task);
  if (setup.contains("cluster"))
    for (const auto& [job, addresses] : setup.at("cluster").items())
      for (const auto& [index, address] : addresses.items())
        if (const std::string name = job + ":" + index; std::ranges::find(tasks, name) == tasks.end())
          tasks.push_back(name);
  std::ranges::sort(tasks);
  for (const std::string& task : tasks) check_task(task);
  return tasks;
}

std::string address_of(const Json& setup, const std::string& task) {
  const std::size_t colon = task.find(':');
  return setup.value(Json::json_pointer("/cluster/" + task.substr(0, colon) + "/" + task.substr(colon + 1)),
                     std::string());
}

// "starts 23.0 s after the first client step"
Nanos lateness(const Json& late) {
  const std::string words = late.get<std::string>();
  return nanos(seconds_within(number_in(words, "starts "), "late_tasks"));
}

bool is_device_type(const std::string& type) {
  const auto is_upper = [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; };
  return !type.empty() && std::ranges::all_of(type, is_upper);
}

// A task without a CPU does not start.
std::vector<std::string> real_devices(const Json& setup) {
  const Json& counts = setup.at("real_devices");
  (void)integer_within(counts.at("CPU"), 1, kMostDevices, "the number of CPUs in real_devices");
  std::vector<std::string> names;
  for (const auto& [type, count] : counts.items()) {
    if (!is_device_type(type)) malformed("real_devices: '{}' is no device type such as CPU", type);
    for (int i = 0; i < integer_within(count, 0, kMostDevices, "real_devices"); ++i)
      names.push_back(fmt::format("{}/device:{}:{}", task_name(setup.at("real")), type, i));
  }
  return names;
}

}  // namespace

std::string difference_of_times(double ours, double theirs, const char* what) {
  if (std::abs(ours - theirs) <= kTolerance + 0.051) return "";  // theirs is rounded to 0.1 s
  return fmt::format("{} {:.1f} s, theirs {:.1f} s", what, ours, theirs);
}

StatusOr<std::unique_ptr<Cluster>> Cluster::make(const Json& the_case) {
  if (!the_case.contains("setup") || !the_case.contains("steps"))
    return invalid("not a transcript: no 'setup' or no 'steps'");
  std::unique_ptr<Cluster> c(new Cluster(the_case));
  const Json& setup = the_case.at("setup");
  std::vector<TaskInfo> infos;
  std::uint64_t process = 1;
  for (const std::string& task : tasks_of(setup))
    infos.push_back({task_name(task), {}, ++process * 7919, address_of(setup, task)});
  c->directory = std::make_unique<Directory>(c->env, std::move(infos));
  c->directory->is_exact = true;
  c->real = c->directory->find(task_name(setup.at("real")));
  c->directory->tasks[c->real.index()].devices = real_devices(setup);
  c->start_tasks();
  TARRY_RETURN_IF_ERROR(c->read_graphs());
  return c;
}

void Cluster::start_tasks() {
  const Json& setup = the_case.at("setup");
  WorkerOptions options{.values_up_to = kLargestValue, .graphs = {.keeps_partitions = true}};
  constexpr std::uint64_t kMostLines = 1'000'000;
  options.forwarded_log_lines = whole_number(
      setup.value("/environment/TF_WORKER_NUM_FORWARDED_LOG_MESSAGES"_json_pointer, std::string("0")), kMostLines);
  auto process = std::make_unique<Worker>(*directory, real, options);
  worker = process.get();
  for (std::size_t i = 0; i < worker->devices().set.size(); ++i) {
    const Device& d = worker->devices().set[DeviceId{i}];
    incarnations.add(d.name, d.incarnation);
  }
  directory->start(real, std::move(process));
  stage = std::make_unique<Stage>(*directory, setup);
  stage->real = real;
  const Json late = setup.value("late_tasks", Json::object()),
             deaf = setup.value("fake_tasks_not_listening", Json::array());
  for (const auto& [task, devices] : setup.at("fake_tasks").items()) {
    if (std::ranges::find(deaf, Json(task)) != deaf.end()) continue;
    const auto begin = [this, task = task, devices = devices] {
      directory->start(directory->find(task_name(task)), start_fake(*stage, make_fake(*directory, task, devices, 0)));
    };
    if (late.is_object() && late.contains(task))
      env.after(lateness(late.at(task)), begin);
    else
      begin();
  }
}

Status Cluster::read_graphs() {
  const Json written = the_case.value("graphs", Json::object());
  for (const auto& [name, graph] : written.items()) {
    TARRY_ASSIGN(GraphSpec g, parse_graph_json(map_strings(graph, [this](std::string t) {
                                                 return incarnations.to_attribute(std::move(t));
                                               }).dump()));
    graphs[name] = std::make_shared<const GraphSpec>(std::move(g));
  }
  return {};
}

void Cluster::pass(double seconds, const std::function<bool()>& enough) {
  bool over = false;
  const TimerId timer = env.after(nanos(seconds_within(seconds, "a time that passes")), [&over] { over = true; });
  env.run_until([&] { return over || enough(); });
  if (!over) env.cancel(timer);
}

Json Cluster::to_values(const Json& recorded) const {
  return map_strings(recorded, [this](std::string text) { return incarnations.to_values(std::move(text)); });
}
Json Cluster::to_symbols(const Json& ours) const {
  return map_strings(ours, [this](std::string text) { return incarnations.to_symbols(std::move(text)); });
}

}  // namespace tarry::rpc
