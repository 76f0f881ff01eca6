#include "sim/devices.hpp"

#include <algorithm>
#include <utility>

#include "placer/core/check.hpp"

namespace tarry {

Devices::Devices(const ClusterSpec& cluster, EventHeap& heap)
    : heap_(heap), standing_(cluster.tasks.size()), roots_(heap, [this](std::uint32_t job) { finish(job); }) {
  std::vector<BelowRoots> below(cluster.hosts.size());
  for (std::size_t t = 0; t < cluster.tasks.size(); ++t) {
    const TaskSpec& task = cluster.tasks[t];
    const std::vector<std::string> names = device_names(task);
    for (const std::string& name : names) add(TaskId{t}, name, &name == &names.front() ? task.inter_op_threads : 1);
    for (std::size_t i = 0; i < task.gpus.size(); ++i)
      add_copy_engines(cluster, TaskId{t}, i, below[task.host.index()]);
  }
}

DeviceId Devices::add(TaskId task, std::string name, int lanes) {
  use_.push_back({task, std::move(name), lanes});
  lanes_.push_back({.free = lanes});
  return DeviceId{use_.size() - 1};
}

void Devices::add_copy_engines(const ClusterSpec& cluster, TaskId task, std::size_t gpu, BelowRoots& below) {
  const TaskSpec& t = cluster.tasks[task.index()];
  const PcieSpec& pcie = cluster.hosts[t.host.index()].pcie;
  const std::uint32_t number = below.gpus++;
  const bool is_first = pcie.gpus_per_root == 0 ? number == 0 : number % pcie.gpus_per_root == 0;
  if (pcie.root_bandwidth > 0 && is_first)
    for (std::uint32_t& root : below.roots) root = roots_.add_root(pcie.root_bandwidth);
  const std::uint64_t bandwidth = copy_limit(cluster, t, t.gpus[gpu]);
  if (bandwidth == 0) return;
  const std::string name = fmt::format("{}/device:GPU:{}", t.name, gpu);
  for (const CopyEngine e : {CopyEngine::to_device, CopyEngine::to_host}) {
    const DeviceId engine = add(task, copy_engine_name(name, e), 1);
    if (pcie.root_bandwidth > 0) roots_.add_engine(engine, below.roots[static_cast<std::size_t>(e)], bandwidth);
  }
}

DeviceId Devices::find(std::string_view name) const {
  const auto found = std::ranges::find(use_, name, &DeviceUse::name);
  if (found == use_.end()) fail_check(fmt::format("the cluster has no device '{}'", name), __FILE__, __LINE__);
  return DeviceId{std::size_t(found - use_.begin())};
}

void Devices::run(DeviceId device, Duration duration, Continuation done) {
  Lanes& lanes = lanes_[device.index()];
  const std::uint32_t job = jobs_.take({device, duration, done, lanes.life, -1, 0, heap_.present(), heap_.now()});
  const bool limited = use_[device.index()].lanes > 0;
  if (limited && lanes.free == 0) return lanes.waiting.push_back(job);
  if (limited) --lanes.free;
  begin(job);
}

void Devices::begin(std::uint32_t job) {
  Job& j = jobs_[job];
  j.began = heap_.now();
  j.stood = standing(j).stood_until(heap_.now());
  ++use_[j.device.index()].kernels;
  if (j.duration.ahead > 0 || lanes_[j.device.index()].launched > 0) overlap_launch(j);
  const std::uint32_t present = heap_.present();
  const Wait wait{WaitKind::kernel, j.asked, present == j.asked ? 0 : present, heap_.now(), 0, {}};
  if (!roots_.has(j.device)) return end_later(job, heap_.now() + j.duration.now, wait);
  j.duration.now = roots_.begin(j.device, {j.duration.now, j.duration.usual}, job, wait);
  if (standing(j).now) roots_.pause(j.device);
}

// From now on it takes its work, and what is left of its launch.
void Devices::overlap_launch(Job& j) {
  Lanes& lanes = lanes_[j.device.index()];
  const bool waited = j.asked_at < heap_.now(), follows = lanes.freed == heap_.now();
  const Nanos from = waited ? std::max(lanes.launched, j.asked_at) : follows ? lanes.launched : heap_.now();
  lanes.launched = from + j.duration.ahead;
  j.duration.now += std::max<Nanos>(0, lanes.launched - heap_.now()) - j.duration.ahead;
}

void Devices::end_later(std::uint32_t job, Nanos due, const Wait& wait) {
  constexpr auto kFinish = [](void* self, std::uint64_t done) {
    static_cast<Devices*>(self)->finish(static_cast<std::uint32_t>(done));
  };
  heap_.at(due, {kFinish, this, job}, {Strand::Kind::device, jobs_[job].device.index()}, wait);
}

// Its task stood still, or does so now: what was left of it then is left of it still.
bool Devices::put_off(std::uint32_t job) {
  Job& j = jobs_[job];
  Standing& s = standing(j);
  if (j.began < 0 || (!s.now && s.total == j.stood)) return false;
  if (s.now) return s.held.push_back(job), true;
  const Nanos due = j.began + j.duration.now + (s.total - j.stood);
  j.began += s.total - std::exchange(j.stood, s.total);
  end_later(job, due, {.kind = WaitKind::kernel});
  return true;
}

void Devices::stand_still(TaskId task) {
  Standing& s = standing_[task.index()];
  if (std::exchange(s.now, true)) return;
  s.since = heap_.now();
  for_copies(task, [this](DeviceId engine) { roots_.pause(engine); });
}

void Devices::go_on(TaskId task) {
  Standing& s = standing_[task.index()];
  if (!s.now) return;
  s.total = s.stood_until(heap_.now());
  s.now = false;
  for (const std::uint32_t job : std::exchange(s.held, {})) put_off(job);
  for_copies(task, [this](DeviceId engine) { roots_.go_on(engine); });
}

void Devices::finish(std::uint32_t job) {
  if (!roots_.has(jobs_[job].device) && put_off(job)) return;
  count(jobs_[job]);
  use_[jobs_[job].device.index()].shared += std::max<Nanos>(0, ran_ - jobs_[job].duration.now);
  const Job done = jobs_.give_back(job);
  Lanes& lanes = lanes_[done.device.index()];
  if (done.life != lanes.life) return done.done();
  lanes.freed = heap_.now();
  if (lanes.waiting.empty()) {
    if (use_[done.device.index()].lanes > 0) ++lanes.free;
  } else {
    begin(lanes.waiting.front());
    lanes.waiting.pop_front();
  }
  done.done();
}

// What it was busy with until now; once.
void Devices::count(Job& job) {
  if (job.began < 0) return;
  ran_ = heap_.now() - stood(job) - std::exchange(job.began, -1);
  use_[job.device.index()].busy += ran_;
}

std::vector<DeviceUse> Devices::use() const {
  std::vector<DeviceUse> use = use_;
  for (const Job& job : jobs_)
    if (job.began >= 0) use[job.device.index()].busy += heap_.now() - stood(job) - job.began;
  return use;
}

void Devices::begin_training() {
  const std::vector<DeviceUse> so_far = use();
  for (std::size_t d = 0; d < use_.size(); ++d)
    use_[d].busy_before = so_far[d].busy, use_[d].kernels_before = so_far[d].kernels;
}

void Devices::clear(TaskId task) {
  for (Job& job : jobs_)
    if (use_[job.device.index()].task == task) count(job);
  for (std::size_t d = 0; d < lanes_.size(); ++d) {
    if (use_[d].task != task) continue;
    const Lanes old = std::exchange(lanes_[d], Lanes{.free = use_[d].lanes, .life = lanes_[d].life + 1, .waiting = {}});
    for (const std::uint32_t job : old.waiting) jobs_.give_back(job).done();
  }
  for_copies(task, [this](DeviceId engine) {
    if (const auto job = roots_.drop(engine)) jobs_.give_back(*job).done();
  });
  Standing& s = standing_[task.index()];
  for (const std::uint32_t job : std::exchange(s.held, {})) jobs_.give_back(job).done();
  go_on(task);
}

}  // namespace tarry
