// Every verdict: a row here, and a file beside this one that judges it.

#include "results/verdict.hpp"

namespace tarry {

using Said = std::span<const Verdict>;

Told judge_failed(const Evidence&, Said);
Told judge_not_started(const Evidence&, Said);
Told judge_ended_early(const Evidence&, Said);
Told judge_law_broken(const Evidence&, Said);
Told judge_several_chiefs(const Evidence&, Said);
Told judge_stalled(const Evidence&, Said);
Told judge_went_on(const Evidence&, Said);
Told judge_progress_lost(const Evidence&, Said);
Told judge_stale_synchronous(const Evidence&, Said);
Told judge_replicated(const Evidence&, Said);
Told judge_in_graph(const Evidence&, Said);
Told judge_asynchronous(const Evidence&, Said);
Told judge_stuck(const Evidence&, Said);
Told judge_no_aggregate(const Evidence&, Said);
Told judge_absent(const Evidence&, Said);
Told judge_starved(const Evidence&, Said);
Told judge_backup(const Evidence&, Said);
Told judge_uneven(const Evidence&, Said);
Told judge_over_full(const Evidence&, Said);
Told judge_fair(const Evidence&, Said);
Told judge_ps_imbalance(const Evidence&, Said);
Told judge_busy_server(const Evidence&, Said);
Told judge_input_bound(const Evidence&, Said);
Told judge_over_asked(const Evidence&, Said);
Told judge_pcie_bound(const Evidence&, Said);
Told judge_trunk_bound(const Evidence&, Said);
Told judge_network_bound(const Evidence&, Said);
Told judge_latency_bound(const Evidence&, Said);
Told judge_message_bound(const Evidence&, Said);
Told judge_transport_bound(const Evidence&, Said);
Told judge_device_queue(const Evidence&, Said);
Told judge_checkpoint_bound(const Evidence&, Said);
Told judge_straggler(const Evidence&, Said);
Told judge_varied(const Evidence&, Said);
Told judge_slow_card(const Evidence&, Said);
Told judge_far(const Evidence&, Said);
Told judge_late_start(const Evidence&, Said);
Told judge_slowed(const Evidence&, Said);

std::span<const VerdictKind> verdict_table() {
  static const VerdictKind kTable[] = {
      {"failed", "A client left training with an error.", kExpectationFailed, "049_second_ps_dies", judge_failed},
      {"not_started", "No training step began, or none ended.", kExpectationFailed, "080_never_ready",
       judge_not_started},
      {"ended_early", "Training ended for workers with more to do: their queue was closed, or all data was at its end.",
       kExpectationFailed, "052_chief_finishes_first", judge_ended_early},
      {"law_broken", "A law of the runtime does not hold: a defect of tarry.", kSafety, "", judge_law_broken},
      {"several_chiefs", "More than one worker takes itself for the chief of a synchronous job.", kOk, "078_all_chiefs",
       judge_several_chiefs},
      {"went_on", "A worker was lost, cut off or out of data; training went on without it, or soon, when it was back.",
       kOk, "041_worker_dies_backup", judge_went_on},
      {"stalled", "Training stood still for a while: the verdict says what it waited for.", kOk, "048_ps_dies",
       judge_stalled},
      {"progress_lost", "The global step went back: a new chief initialised or restored the model.", kOk,
       "047_chief_dies_checkpoint", judge_progress_lost},
      {"stuck", "Training stood still, to the end of the run.", kDeadlock, "034_absent_no_tokens", judge_stuck},
      {"no_aggregate", "The run of a synchronous job ended before its first aggregate.", kExpectationFailed,
       "104_far_too_many_to_aggregate", judge_no_aggregate},
      {"absent", "Workers never began a step, and nothing waits for them.", kOk, "033_absent", judge_absent},
      {"starved", "Nearly all gradients of a worker or many of all were stale.", kOk, "037_backup_slow", judge_starved},
      {"backup", "Fewer gradients are aggregated than there are workers; the rest is dropped.", kOk, "035_backup",
       judge_backup},
      {"uneven", "Some workers filled aggregates without the others.", kOk, "010_uneven_ps", judge_uneven},
      {"over_full", "Aggregates hold more gradients than were asked for.", kOk, "014_far_chief", judge_over_full},
      {"slowed", "A fault made training slower without stopping it.", kOk, "058_host_slows_down", judge_slowed},
      {"late_start", "A worker began late, and that cost time.", kOk, "013_late_start", judge_late_start},
      {"ps_imbalance", "One parameter server sends more than the others, and that costs time.", kOk, "085_one_busy_ps",
       judge_ps_imbalance},
      {"busy_server", "Kernels of parameter servers are what the workers wait for, and that costs time.", kOk,
       "111_busy_server", judge_busy_server},
      {"input_bound", "Reading and preparing examples is what workers wait for, and that costs time.", kOk,
       "114_slow_readers", judge_input_bound},
      {"over_asked", "An aggregate needs more gradients than there are workers, and that costs time.", kOk, "062_r4_w2",
       judge_over_asked},
      {"slow_card", "The network card of one host is slower than those of the others, and that costs time.", kOk,
       "103_slow_card", judge_slow_card},
      {"far", "The path of one host to the parameter servers is longer or narrower, and that costs time.", kOk,
       "014_far_chief", judge_far},
      {"pcie_bound", "PCIe roots cost time: with wider ones the same work takes less.", kOk, "108_shared_pcie_root",
       judge_pcie_bound},
      {"trunk_bound", "The trunks of racks cost time: with wider ones the same work takes less.", kOk,
       "107_narrow_trunks", judge_trunk_bound},
      {"network_bound", "Bandwidth costs time: with more of it the same work takes less.", kOk, "085_one_busy_ps",
       judge_network_bound},
      {"latency_bound", "Latency costs time: without it the same work takes less.", kOk, "010_uneven_ps",
       judge_latency_bound},
      {"message_bound", "Sending and receiving keeps CPUs busy, and that costs time.", kOk, "100_cost_of_messages",
       judge_message_bound},
      {"transport_bound", "What messages cost besides the wire costs time.", kOk, "110_grpc", judge_transport_bound},
      {"device_queue", "Kernels wait for a thread of a busy CPU, and that costs time.", kOk, "100_cost_of_messages",
       judge_device_queue},
      {"checkpoint_bound", "Saving checkpoints costs time.", kOk, "105_slow_checkpoints", judge_checkpoint_bound},
      {"straggler", "One worker takes longer than the others, and that costs time.", kOk, "082_slow_counts",
       judge_straggler},
      {"varied", "Kernels, or transfers, take longer in some steps than in others, and that costs time.", kOk,
       "113_racks_slow_down", judge_varied},
      // How training goes: what costs time comes before that.
      {"stale_synchronous", "No worker was further ahead of the slowest than a bound allows.", kOk, "066_stale_sync",
       judge_stale_synchronous},
      {"replicated", "Each variable was read again when all workers had updated it.", kOk, "109_replicated_variables",
       judge_replicated},
      {"in_graph", "One client ran the parts of all workers in each of its steps.", kOk, "063_handwritten_dense",
       judge_in_graph},
      {"asynchronous", "No optimizer aggregated gradients; each worker went as its program let it.", kOk, "059_async8",
       judge_asynchronous},
      {"fair", "Every worker has the same share of every aggregate.", kOk, "011_ps_apart", judge_fair},
  };
  return kTable;
}

}  // namespace tarry
