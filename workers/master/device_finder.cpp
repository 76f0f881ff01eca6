#include "workers/master/device_finder.hpp"

#include <algorithm>
#include <utility>

#include "placer/device/merge.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {
namespace {

constexpr Nanos kLoggingPeriod = 10'000'000'000;

class DeviceFinder : public std::enable_shared_from_this<DeviceFinder> {
 public:
  DeviceFinder(Directory& directory, TaskId master, std::vector<NamedTask> tasks, DevicesFound done)
      : directory_(directory),
        master_(master),
        tasks_(std::move(tasks)),
        done_(std::move(done)),
        found_(tasks_.size()),
        answered_(tasks_.size(), false) {}

  void start() {
    if (directory_.is_exact)
      directory_.log(master_, 'I', fmt::format("Scanning workers for devices: {} total workers", tasks_.size()));
    for (std::size_t i = 0; i < tasks_.size(); ++i) ask(i);
    wait();
  }

 private:
  void ask(std::size_t i) {
    call(directory_, master_, tasks_[i].task, GetStatusRequest{},
         [self = shared_from_this(), i](StatusOr<GetStatusResponse> r) { self->answered(i, std::move(r)); });
  }

  void wait() {
    timer_ = directory_.env.after(master_, kLoggingPeriod, [self = shared_from_this()] { self->still_waiting(); });
  }

  void still_waiting() {
    mark(directory_.auditor, Mark::session_waits_for_task);
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (!answered_[i])
        directory_.log(master_, 'I', "CreateSession still waiting for response from worker: " + tasks_[i].name);
    wait();
  }

  void answered(std::size_t i, StatusOr<GetStatusResponse> r) {
    answered_[i] = true;
    if (r.ok())
      found_[i] = under_name_of(tasks_[i], std::move(r->devices));
    else
      failed(i, r.status());
    if (!std::ranges::all_of(answered_, [](bool a) { return a; })) return;
    directory_.env.cancel(timer_);
    std::move(done_)(status_.ok() ? StatusOr<std::vector<std::vector<DeviceAttributes>>>(std::move(found_)) : status_);
  }

  void failed(std::size_t i, const Status& s) {
    mark(directory_.auditor, Mark::devices_not_found);
    directory_.log(master_, 'E',
                   fmt::format("CreateSession failed because worker {} returned error: {}: {}", tasks_[i].name,
                               code_name(s.code()), text_of(s)));
    if (status_.ok()) status_ = s;
  }

  // A session may call a task otherwise than the task calls itself.
  static std::vector<DeviceAttributes> under_name_of(const NamedTask& task, std::vector<DeviceAttributes> devices) {
    for (DeviceAttributes& d : devices) {
      const auto name = parse_device_name(d.name);
      if (name && name->type && name->id && task_of(*name) != task.name)
        d.name = fmt::format("{}/device:{}:{}", task.name, *name->type, *name->id);
    }
    return devices;
  }

  Directory& directory_;
  TaskId master_;
  std::vector<NamedTask> tasks_;
  DevicesFound done_;
  std::vector<std::vector<DeviceAttributes>> found_;
  std::vector<bool> answered_;
  Status status_;
  TimerId timer_;
};

}  // namespace

StatusOr<DeviceFilters> DeviceFilters::parse(const std::vector<std::string>& texts) {
  DeviceFilters f;
  for (const std::string& text : texts) {
    const auto name = parse_device_name(text);
    if (!name)
      return invalid(
          "'{}' in device_filters is not a device name (TensorFlow's process ends here: Skipping invalid filter)",
          text);
    f.filters_.push_back(*name);
  }
  return f;
}

bool DeviceFilters::admits(const std::optional<DeviceName>& name) const {
  return filters_.empty() || std::ranges::any_of(filters_, [&](const DeviceName& f) {
           return name && are_compatible(*name, f, Compatibility::wide);
         });
}

std::vector<NamedTask> admitted_tasks(const Directory& directory, TaskId master, const DeviceFilters& filters) {
  std::vector<NamedTask> admitted;
  for (std::size_t i = 0; i < directory.tasks.size(); ++i)
    if (TaskId{i} == master || filters.admits(directory.parsed_names[i]) ||
        directory.planted == PlantedClusterBug::filter_ignored)
      admitted.push_back({directory.tasks[i].name, TaskId{i}});
  return admitted;
}

void find_devices(Directory& directory, TaskId master, std::vector<NamedTask> tasks, DevicesFound done) {
  std::make_shared<DeviceFinder>(directory, master, std::move(tasks), std::move(done))->start();
}

}  // namespace tarry
