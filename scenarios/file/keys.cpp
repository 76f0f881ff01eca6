#include "scenarios/file/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/core/check.hpp"
#include "scenarios/file/names.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

struct Keys {
  Cause cause;
  const char* text;  // {0}: the cause's task; {1}: its host or op; {2}: its card
};

constexpr Keys kKeys[] = {
    {Cause::faults, "faults"},
    {Cause::late_start, "training.workers.{0}.start_after and first_step_after"},
    {Cause::slow_worker, "costs[] and variations[] with 'task: {0}'; the cpu and gpu of cluster.tasks.{0}"},
    {Cause::slow_card, "cluster.hosts[] with 'name: {1}': {2}"},
    {Cause::far_host,
     "cluster.network.links[] between {1} and the hosts of the parameter servers, racks[].latency, or the platform"},
    {Cause::variations, "variations"},
    {Cause::card_variations, "cluster.network.variations"},
    {Cause::pcie, "pcie.root of cluster.hosts[]"},
    {Cause::trunks, "rack_trunk and racks[].trunk of cluster.network"},
    {Cause::network,
     "platform, nic, nics, bandwidth, rack_trunk, racks[].trunk and links[].bandwidth of cluster.network; nic and nics "
     "of cluster.hosts[]"},
    {Cause::imbalance, "build.ps_strategy and build.ps"},
    {Cause::latency, "latency, rack_latency, racks[].latency, links[].latency and platform of cluster.network"},
    {Cause::messages, "costs[] with 'op: _Send' and 'op: _Recv'"},
    {Cause::transport, "cluster.network.transport"},
    {Cause::threads, "cluster.tasks.T.inter_op_threads"},
    {Cause::checkpoints, "training.save_steps and training.save_every"},
    {Cause::polls, "training.start and training.workers.T.start_after (in a real job, recovery_wait_secs)"},
    {Cause::workers, "costs[] and variations[] with 'task'; the cpu and gpu of cluster.tasks.T"},
    {Cause::kernels, "costs; cluster.devices"},
    {Cause::op, "costs[] with 'op: {1}'"},
    {Cause::servers, "cluster.tasks and build.ps"},
    {Cause::replicas, "build.replicas_to_aggregate"},
    {Cause::tokens, "training.num_tokens"},
    {Cause::interference, "interference"},
    {Cause::copies, "copy_bandwidth of cluster.devices.gpu"},
    {Cause::server_kernels, "costs[] with 'job: ps' or 'task'; the cpu of cluster.tasks; build.ps"},
};

}  // namespace

std::string keys_of(const Proof& p, const TaskNames& tasks) {
  const auto* row = std::ranges::find(kKeys, p.cause, &Keys::cause);
  check(row != std::end(kKeys), "a cause without keys");
  const std::string task = p.task.valid() ? short_task(tasks.names.at(p.task.index())) : "";
  return fmt::format(fmt::runtime(row->text), task, p.a, p.b.empty() ? "nic" : "nics, " + p.b);
}

}  // namespace tarry
