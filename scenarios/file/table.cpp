// Every key of a scenario file: its name, type, default (the initialiser in raw.hpp) and meaning. The keys of a section
// with a table of its own are there (cost_table.cpp, device_table.cpp, fault_table.cpp, feed_table.cpp,
// transport_table.cpp, must.cpp); none is in two.

#include <limits>

#include "scenarios/file/filled_list.hpp"
#include "scenarios/file/raw.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostTasks = 100'000;

Type<PcieSpec> pcie_type() {
  const auto gpus = converted<std::uint32_t>(integer_type(1, 64), [](std::int64_t n) { return std::uint32_t(n); });
  return Section<PcieSpec>("pcie", "The PCIe roots of a host: copies to and from the GPUs below one root share it.")
      .required("root", &PcieSpec::root_bandwidth, bandwidth_type(), "bandwidth of each root, each direction")
      .key("gpus_per_root", &PcieSpec::gpus_per_root, gpus,
           "GPUs below each root, in the order of the tasks; without it all GPUs of the host")
      .type();
}

Type<RawHost> host_type() {
  const auto word =
      converted<RawHost>(name_type("the name of a host"), [](Named n) { return RawHost{.name = std::move(n)}; });
  return word_or_map(word,
                     Section<RawHost>("a host", "A machine.")
                         .required("name", &RawHost::name, name_type("the name of a host"), "its name")
                         .key("nic", &RawHost::nic, optional_of(bandwidth_type()),
                              "bandwidth of its network card, each direction; else network.nic")
                         .key("nics", &RawHost::nics,
                              filled(list_of(bandwidth_type()), "without 'nics' it has the cards of the network"),
                              "of each of its network cards, where it has several; else network.nics")
                         .key("rack", &RawHost::rack, name_type("the name of a rack"),
                              "the rack that it is in; what leaves the rack crosses its trunk (network.rack_trunk)")
                         .key("per_rack", &RawHost::per_rack, optional_of(integer_type(1, kMostTasks)),
                              "of a group: so many hosts in each rack, rack0, rack1, ..., or as 'rack' says with "
                              "{index}")
                         .key("pcie", &RawHost::pcie, pcie_type(), "the PCIe roots between its GPUs and its memory")
                         .key("count", &RawHost::count, optional_of(integer_type(1, kMostTasks)),
                              "a group of so many hosts: {index} in the name is their number, from 0")
                         .type());
}

Type<RawTask> task_type() {
  const auto word =
      converted<RawTask>(name_type("the name of a host"), [](Named n) { return RawTask{.host = std::move(n)}; });
  return word_or_map(
      word, Section<RawTask>("a task", "A server process.")
                .required("host", &RawTask::host, name_type("the name of a host"), "the machine it runs on")
                .key("gpus", &RawTask::gpus, integer_type(0, 64), "GPUs, each with one compute stream")
                .key("gpu_memory", &RawTask::gpu_memory, optional_of(size_type()), "of each GPU; instead of gpu.memory")
                .key("cpu", &RawTask::cpu, optional_of(cpu_type()), "of its CPU, instead of cluster.devices.cpu")
                .key("gpu", &RawTask::gpu, optional_of(gpu_type()), "of each GPU, instead of cluster.devices.gpu")
                .key("inter_op_threads", &RawTask::inter_op_threads, integer_type(0, 4096),
                     "kernels at once on its CPU; 0 = no limit")
                .key("nic", &RawTask::nic, optional_of(integer_type(0, kMostCards - 1)),
                     "the number of the network card that it uses, from 0; else each connection has one of its host's")
                .key("count", &RawTask::count, optional_of(integer_type(1, kMostTasks)),
                     "a group of so many tasks under the name of their job: {index} in 'host' is their number, from 0")
                .type());
}

Type<PathSpec> same_host_type() {
  Type<PathSpec> word = word_type<PathSpec>({{"free", PathSpec{}}});
  return word_or_map(
      word, Section<PathSpec>("same_host", "What a message between two tasks of one host costs.")
                .key("latency", &PathSpec::latency, time_type(), "of every such message")
                .key("bandwidth", &PathSpec::bandwidth, bandwidth_type(), "shared by all such messages of the host")
                .type());
}

Type<RawLink> link_type() {
  return with_position(Section<RawLink>("a link", "The path between two hosts, where it differs from the default.")
                           .required("between", &RawLink::between, list_of(name_type("the name of a host")),
                                     "two hosts; both directions")
                           .key("latency", &RawLink::latency, optional_of(time_type()), "one way; else network.latency")
                           .key("bandwidth", &RawLink::bandwidth, optional_of(bandwidth_type()),
                                "of each direction; else network.bandwidth")
                           .type());
}

Type<RawRack> rack_type() {
  return Section<RawRack>("a rack", "A rack whose trunk differs from the default.")
      .required("name", &RawRack::name, name_type("the name of a rack"), "a rack that some host is in")
      .key("trunk", &RawRack::trunk, optional_of(bandwidth_type()), "of its trunk; else network.rack_trunk")
      .key("latency", &RawRack::latency, optional_of(time_type()), "of its trunk; else network.rack_latency")
      .type();
}

// Racks, pairs of hosts, and cards.
Section<RawNetwork>& add_parts(Section<RawNetwork>& network) {
  return network
      .key("rack_trunk", &RawNetwork::rack_trunk, bandwidth_type(),
           "of the trunk of every rack, each direction: all messages share it that leave the rack or come in")
      .key("rack_latency", &RawNetwork::rack_latency, time_type(),
           "of a trunk, one way; it comes on top of the latency between the hosts")
      .key("racks", &RawNetwork::racks, list_of(rack_type()), "racks whose trunks differ from the default")
      .key("links", &RawNetwork::links, list_of(link_type()), "pairs of hosts that differ from the default")
      .key("variations", &RawNetwork::variations, list_of(card_variation_type()),
           "how the bandwidth of network cards varies in time")
      .key("platform", &RawNetwork::platform, name_type("an XML file"),
           "a platform file of SimGrid beside the scenario, in place of all that says what lies between hosts");
}

Type<RawNetwork> network_type() {
  Section<RawNetwork> network("network", "What lies between the hosts.");
  network.key("latency", &RawNetwork::latency, time_type(), "between two hosts, one way")
      .key("bandwidth", &RawNetwork::bandwidth, bandwidth_type(), "of the path between two hosts, each direction")
      .key("nic", &RawNetwork::nic, optional_of(bandwidth_type()), "of every host's network card, each direction")
      .key("nics", &RawNetwork::nics,
           filled(list_of(bandwidth_type()), "without 'nics' each host has one card, of 'nic'"),
           "of each network card, where every host has several")
      .key("same_host", &RawNetwork::same_host, same_host_type(),
           "messages between tasks of one host: free, or a price")
      .key("small_message", &RawNetwork::small_message, size_type(),
           "smaller messages are no flows: cards, trunks and links carry them one after the other")
      .key("transfers_per_channel", &RawNetwork::transfers_per_channel, integer_type(1, 1024),
           "large messages at once from one task to another")
      .key("engine", &RawNetwork::engine,
           word_type<FlowsBy>(
               {{"auto", FlowsBy::automatic}, {"simgrid", FlowsBy::simgrid}, {"shared", FlowsBy::shared}}),
           "what computes how transfers share bandwidth: SimGrid, tarry's own engine (shared), or by the number of "
           "hosts: SimGrid for up to 64")
      .key("transport", &RawNetwork::transport, transport_type(),
           "what messages cost besides the wire: a set by name, or a map");
  return add_parts(network).type();
}

Type<RawCluster> cluster_type() {
  return with_position(
      Section<RawCluster>("cluster", "Machines, the server processes on them, and the network.")
          .key("hosts", &RawCluster::hosts, list_of(host_type()),
               "the machines; with network.platform, by default those that tasks name")
          .required("tasks", &RawCluster::tasks,
                    map_of("task names such as /job:ps/task:0, or jobs, to hosts", task_type()),
                    "which task runs on which host")
          .key(
              "workers", &RawCluster::workers, optional_of(integer_type(1, kMostTasks)),
              "how many worker tasks there are: the first so many of 'tasks'; those that it does not list are like the "
              "last one that it lists, each on a host of its own")
          .key("devices", &RawCluster::devices, devices_type(), "without it, ops cost what 'costs' and 'measured' say")
          .key("network", &RawCluster::network, network_type(), "without it, messages take no time")
          .type());
}

Type<RawProgram> program_type() {
  return Section<RawProgram>("a program", "A client and the recorded graph that it runs.")
      .required("task", &RawProgram::task, name_type("a task such as /job:worker/task:0"),
                "the task that the client runs beside")
      .required("graph", &RawProgram::graph, name_type("the name of a recorded graph"),
                "the name of one that ships (scenarios/graphs), or a file (.pb, .pbtxt, .zst) of the scenario's folder "
                "with its sidecar beside it: docs/manual.md, section 7")
      .key("serves_as", &RawProgram::serves_as, name_type("a task such as /job:worker/task:0"),
           "the task that the graph's own worker is renamed to; else `task`. Non-chiefs of a synchronous job may serve "
           "each other")
      .type();
}

Type<RawPrograms> programs_type() {
  return with_position(converted<RawPrograms>(list_of(program_type()), [](std::vector<RawProgram> all) {
    return RawPrograms{std::move(all), {}};
  }));
}

Type<Protocol> protocol_type() {
  return word_type<Protocol>({{"sync", Protocol::synchronous},
                              {"async", Protocol::asynchronous},
                              {"stale_sync", Protocol::stale_synchronous},
                              {"handwritten", Protocol::handwritten},
                              {"replicated", Protocol::replicated}});
}

Type<RawBuild> build_type() {
  return with_position(
      Section<RawBuild>("build",
                        "A job built from one worker's recorded graph: every worker task of the cluster runs what "
                        "TensorFlow would have built for it.")
          .required("graph", &RawBuild::graph, name_type("the name of a recorded graph"),
                    "a worker's graph: the name of one that ships (scenarios/graphs), or a file (.pb, .pbtxt, .zst) of "
                    "the scenario's folder with its sidecar beside it: docs/manual.md, section 7")
          .key("protocol", &RawBuild::protocol, protocol_type(),
               "sync: under SyncReplicasOptimizer; async: every worker updates the variables by itself; stale_sync: "
               "the same, but nobody gets further ahead of the slowest than"
               " `staleness`; handwritten: one client for all, worker 0's task adds the gradients up; replicated: GPUs "
               "have copies of the "
               "variables, which follow when all workers have updated them")
          .key("towers", &RawBuild::towers, integer_type(1, 64),
               "GPUs of each worker that the graph's model runs on; the mean of their gradients is applied")
          .key(
              "workers", &RawBuild::workers, optional_of(integer_type(1, 100'000)),
              "how many the job is built for; else as many as the cluster has. Those that it does not have never start")
          .key("ps", &RawBuild::ps, optional_of(integer_type(1, 100'000)),
               "how many parameter servers the variables are spread over; else as many as the cluster has")
          .key("replicas_to_aggregate", &RawBuild::replicas_to_aggregate, optional_of(integer_type(1, 1'000'000)),
               "gradients in an aggregate; else as many as workers")
          .key("backup_workers", &RawBuild::backup_workers, optional_of(integer_type(0, 1'000'000)),
               "instead of replicas_to_aggregate: by how many these are fewer than the workers")
          .key("num_tokens", &RawBuild::num_tokens, integer_type(-1, 1'000'000),
               "initial tokens; -1 = as many as to aggregate")
          .key("ps_strategy", &RawBuild::ps_strategy,
               word_type<PsStrategy>({{"round_robin", PsStrategy::round_robin}, {"greedy", PsStrategy::greedy}}),
               "how variables are spread: in turn, or each to the server with the fewest bytes")
          .key("staleness", &RawBuild::staleness, optional_of(integer_type(0, 1'000'000)),
               "of stale_sync: steps that a worker may be ahead of the slowest; else 0")
          .key("gathering", &RawBuild::gathering,
               optional_of(word_type<Gathering>({{"list", Gathering::list}, {"queue", Gathering::queue}})),
               "of handwritten: the master adds up a list of the workers' gradients, or takes them from a queue; else "
               "list")
          .key("chiefs", &RawBuild::chiefs, optional_of(integer_type(1, 100'000)),
               "the first so many workers are built with is_chief=True; more than one is a mistake that users make")
          .type());
}

// TensorFlow's ops say sizes of shapes as int32.
constexpr std::int64_t kMostOfShape = std::numeric_limits<std::int32_t>::max();

Type<RawFeeds> feeds_type() {
  return with_position(Section<RawFeeds>("feeds", "What the clients feed.")
                           .key("batch", &RawFeeds::batch, integer_type(0, kMostOfShape),
                                "fills every unknown dimension; an error where there is none")
                           .key("shapes", &RawFeeds::shapes,
                                map_of("tensor names to shapes", list_of(integer_type(0, kMostOfShape))),
                                "whole shapes, by tensor (\"x:0\")")
                           .key("values", &RawFeeds::values, map_of("tensor names to values", fed_type()),
                                "values, by tensor; else zeros")
                           .key("files", &RawFeeds::files, list_of(input_file_type()),
                                "the files that readers find; without any, every file is there and never ends")
                           .type());
}

Type<ClientSpec> client_type() {
  return Section<ClientSpec>("a worker", "What sets one worker's client apart.")
      .key("absent", &ClientSpec::absent, boolean_type(),
           "its client never starts; its process answers the sessions of others")
      .key("start_after", &ClientSpec::start_after, time_type(), "its session is created that long after the start")
      .key("first_step_after", &ClientSpec::first_step_after, time_type(), "its first step begins no earlier")
      .key("steps", &ClientSpec::steps, optional_of(integer_type(1, kMost)),
           "it leaves after that many steps of its own")
      .key("global_step", &ClientSpec::global_step, optional_of(integer_type(1, kMost)),
           "it leaves when the global step got there (StopAtStepHook)")
      .key("also", &ClientSpec::also, list_of(text_type()), "ops of its graph that each of its steps runs besides")
      .key("poll_first", &ClientSpec::poll_first, boolean_type(),
           "its session is created before the chief's and looks again 30 s later")
      .type();
}

Type<std::int64_t> values_type() {
  Type<std::int64_t> number = integer_type(0, kMost);
  Type<std::int64_t> type{
      number.expected + ", or 'all'", {{"oneOf", {number.schema, {{"const", "all"}}}}}, {}, number.show};
  type.read = [number](Reader& in, const YAML::Node& node, std::int64_t& out) {
    if (node.IsScalar() && node.Scalar() == "all") return void(out = kEverything);
    number.read(in, node, out);
  };
  return type;
}

Type<RawTraining> training_type() {
  return with_position(
      Section<RawTraining>("training", "How the clients train.")
          .key("start", &RawTraining::start,
               word_type<Start>({{"together", Start::together}, {"natural", Start::natural}}),
               "together: sessions are up and graphs registered before the first step; natural: sessions start, poll "
               "and recover by themselves")
          .key("num_tokens", &RawTraining::num_tokens, optional_of(integer_type(-1, 1'000'000)),
               "instead of the graph's: -1 = as many as to aggregate, 0 = the initial tokens op is not run")
          .key("queue_runner", &RawTraining::queue_runner,
               word_type<QueueRunnerEra>(
                   {{"new", QueueRunnerEra::closes_token_queue}, {"old", QueueRunnerEra::closes_dummy_queue}}),
               "what the chief's queue runner closes at the end: new, the token queue; old, a dummy")
          .key("sync_thread", &RawTraining::sync_thread, boolean_type(),
               "the chief starts the thread that runs the sync op; false: it was forgotten")
          .key("soft_placement", &RawTraining::soft_placement, boolean_type(),
               "a node goes elsewhere when its device has no kernel for it")
          .key("device_filters", &RawTraining::device_filters, boolean_type(),
               "a session sees its own task and the parameter servers only")
          .key("fail_fast", &RawTraining::fail_fast, boolean_type(),
               "calls to a task without a process fail at once; false, as in old releases: they wait until it has one")
          .key("save_steps", &RawTraining::save_steps, optional_of(integer_type(1, kMost)),
               "the chief saves a checkpoint every so many steps, and restores the last one when it starts")
          .key("save_every", &RawTraining::save_every, optional_of(time_type()), "the same, every so long")
          .key("values_up_to", &RawTraining::values_up_to, values_type(),
               "elements of a tensor whose values are computed; of larger ones only the shape is")
          .key("workers", &RawTraining::workers,
               map_of("task names such as /job:worker/task:0 to settings", client_type()), "workers that differ")
          .type());
}

Type<RawStop> stop_type() {
  Type<StopSpec> section =
      Section<StopSpec>("stop",
                        "When the run ends: at the first that comes true. One at least. With steps or global_step "
                        "alone, workers leave one by one, and the run ends when all have left.")
          .key("aggregates", &StopSpec::aggregates, optional_of(integer_type(1, kMost)),
               "every accumulator has given that many aggregates: synchronous jobs only")
          .key("global_step", &StopSpec::global_step, optional_of(integer_type(1, kMost)),
               "a worker leaves after a step that saw the global step there, as StopAtStepHook does")
          .key("steps", &StopSpec::steps, optional_of(integer_type(1, kMost)),
               "a worker leaves after that many steps of its own, however far the others are; training.workers may "
               "give it another number")
          .key("time", &StopSpec::time, optional_of(time_type()), "that much simulated time has passed")
          .type();
  return with_position(converted<RawStop>(section, [](StopSpec s) { return RawStop{s, {}}; }));
}

Type<RawExpectation> expect_type() {
  return Section<RawExpectation>("expect", "What the outcome must be; otherwise the exit code is 1.")
      .key("verdicts", &RawExpectation::verdicts, list_of(name_type("the kind of a verdict")),
           "the kinds of all verdicts")
      .type();
}

Type<RawScenario> make_scenario_type() {
  return Section<RawScenario>("the scenario", "A simulated training job.")
      .key("title", &RawScenario::title, text_type(), "one line about it")
      .key("seed", &RawScenario::seed, integer_type(0, kMost), "of every random draw")
      .required("cluster", &RawScenario::cluster, cluster_type(), "machines, tasks, network")
      .key("programs", &RawScenario::programs, optional_of(programs_type()), "which client runs which recorded graph")
      .key("build", &RawScenario::build, optional_of(build_type()),
           "instead of programs: a job built from one recorded graph")
      .key("feeds", &RawScenario::feeds, feeds_type(), "what the clients feed")
      .key("costs", &RawScenario::costs, list_of(cost_type()),
           "what kernels take; the first rule that fits wins. Else measured, else the roofline of cluster.devices, "
           "else default_cost")
      .key("variations", &RawScenario::variations, list_of(variation_type()),
           "what makes kernels longer or shorter from one training step to the next")
      .key("interference", &RawScenario::interference, list_of(interference_type()),
           "what takes a part of a task or a host again and again: kernels that begin in its windows take longer")
      .key("measured", &RawScenario::measured, list_of(name_type("a file of step statistics")),
           "RunMetadata or StepStats that TensorFlow (or tarry exec --timeline FILE.pb) wrote: what nodes took that no "
           "rule of costs fits; paths are the scenario folder's")
      .key("default_cost", &RawScenario::default_cost, time_type(),
           "of ops that nothing else prices; they are counted and reported")
      .key("training", &RawScenario::training, training_type(), "how the clients train")
      .key("faults", &RawScenario::faults, list_of(fault_type()), "what goes wrong, and when")
      .key("must", &RawScenario::must, optional_of(must_type()), "what the job must keep to, whatever goes wrong")
      .required("stop", &RawScenario::stop, stop_type(), "when the run ends")
      .key("expect", &RawScenario::expect, expect_type(), "what the outcome must be")
      .type();
}

}  // namespace

const Type<RawScenario>& scenario_type() {
  static const Type<RawScenario> type = make_scenario_type();
  return type;
}

}  // namespace tarry
