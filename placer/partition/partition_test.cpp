#include "placer/partition/cut_test.hpp"

namespace tarry {
namespace {

// ---- docs/rules/runtime.md#I.1 ----

TEST(Partition, a_graph_on_one_device_stays_as_it_is) {
  const Cut c = cut({input("A1"), add("A2", {"A1", "A1"})});
  ASSERT_THAT(c.parts, SizeIs(1));
  EXPECT_THAT(c.names(0), ElementsAre("A1", "A2"));
  EXPECT_EQ(c.parts[0].graph.versions.producer, 21);
}

TEST(Partition, a_tensor_that_crosses_is_sent_and_received) {
  const Cut c = cut({input("A1"), input("B1"), add("B2", {"A1", "B1"})});
  EXPECT_THAT(c.names(0), ElementsAre("A1", "_Send A1/_0"));
  EXPECT_THAT(c.names(1), ElementsAre("B1", "B2", "_Recv A1/_1"));
  EXPECT_THAT(c.node("B2").inputs, ElementsAre("A1/_1", "B1"));
  const Attrs& recv = c.node("A1/_1").attrs;
  EXPECT_EQ(*recv.get<std::string>("tensor_name"), "edge_1_A1");
  EXPECT_EQ(*recv.get<std::string>("send_device"), "/job:a/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(*recv.get<std::string>("recv_device"), "/job:a/replica:0/task:0/device:CPU:1");
  EXPECT_EQ(*recv.get<std::int64_t>("send_device_incarnation"), 82);
  EXPECT_EQ(*recv.get<bool>("client_terminated"), false);
  EXPECT_EQ(*recv.get<DataType>("tensor_type"), DataType::kFloat);
  EXPECT_EQ(*recv.get<std::string>("_dst"), "B2");
}

TEST(Partition, a_control_edge_that_crosses_sends_an_empty_constant) {
  const Cut c = cut({input("A1"), input("B1"), add("B2", {"B1", "B1", "^A1"})});
  EXPECT_THAT(c.names(0), ElementsAre("A1", "Const A1/ctrl/_0", "_Send A1/_1"));
  EXPECT_THAT(c.names(1), ElementsAre("B1", "B2", "_Recv A1/_2", "Identity A1/_3"));
  EXPECT_THAT(c.node("A1/ctrl/_0").inputs, ElementsAre("^A1"));
  EXPECT_THAT(c.node("B2").inputs, ElementsAre("B1", "B1", "^A1/_3"));
  EXPECT_EQ(*c.node("A1/_2").attrs.get<std::string>("tensor_name"), "edge_3_A1");
}

TEST(Partition, consumers_of_one_tensor_in_one_partition_share_a_pair) {
  const Cut c = cut({input("A1"), input("B1"), add("B2", {"A1", "B1"}), add("B3", {"A1", "A1"})});
  EXPECT_THAT(c.all("_Send"), SizeIs(1));
  EXPECT_THAT(c.node("B3").inputs, ElementsAre("A1/_1", "A1/_1"));
}

TEST(Partition, control_edges_from_one_source_share_a_message_but_not_with_its_data) {
  EXPECT_THAT(
      cut({input("A1"), input("B1"), add("B2", {"B1", "B1", "^A1"}), add("B3", {"B1", "B1", "^A1"})}).all("_Send"),
      SizeIs(1));
  EXPECT_THAT(cut({input("A1"), input("B1"), add("B2", {"A1", "B1"}), add("B3", {"B1", "B1", "^A1"})}).all("_Send"),
              SizeIs(2));
}

TEST(Partition, a_graph_with_missing_inputs_is_refused) {
  Graph g = graph_of({input("A1"), add("A2", {"A1", "A1"})});
  g.remove_edge(g.input_edge(g.find("A2"), 1));
  const Cut c = cut(std::move(g));
  EXPECT_EQ(c.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(text_of(c.status), "Incomplete graph, missing 1 inputs for A2");
}

TEST(Partition, a_part_carries_the_functions_it_reaches) {
  FunctionSpec two, four;
  two.signature.name = "Two";
  four.signature.name = "Four";
  four.nodes.push_back({.name = "call", .op = "Two"});
  for (FunctionSpec* f : {&two, &four}) {
    f->signature.inputs = {{.name = "x", .type = DataType::kFloat}};
    f->signature.outputs = {{.name = "y", .type = DataType::kFloat}};
  }
  GraphSpec spec{.nodes = {{"A1", "Placeholder", "", {}, {{"dtype", DataType::kFloat}}},
                           {"A2", "Two", "", {"A1"}, {}},
                           {"B2", "Four", "", {"A1"}, {}}},
                 .functions = {two, four}};
  Graph g = import_graph(spec).value();
  for (const NodeId n : g.op_nodes()) g.node(n).assigned = DeviceId{g.name(n)[0] == 'A' ? 0u : 1u};
  const Cut c = cut(std::move(g));
  ASSERT_TRUE(c.status.ok()) << c.status.message();
  EXPECT_THAT(c.parts[0].graph.functions, SizeIs(1));
  EXPECT_THAT(c.parts[1].graph.functions, SizeIs(2));
}

TEST(Partition, a_part_carries_the_stack_traces_of_its_own_nodes) {
  Graph g = graph_of({input("A1"), input("B1"), add("B2", {"A1", "B1"})});
  for (const char* n : {"A1", "B1", "B2"}) g.stack_traces[n] = {{.file = "train.py", .function = n, .line = 7}};
  const Cut c = cut(std::move(g));
  ASSERT_TRUE(c.status.ok()) << c.status.message();
  EXPECT_THAT(c.parts[0].graph.stack_traces,
              ElementsAre(Pair("A1", ElementsAre(StackFrame{.file = "train.py", .function = "A1", .line = 7}))));
  EXPECT_THAT(c.parts[1].graph.stack_traces, ElementsAre(Key("B1"), Key("B2")));
}

TEST(Partition, an_unknown_incarnation_of_a_written_send_is_filled_in) {
  const std::string a = "/job:a/replica:0/task:0/device:CPU:0";
  const Attrs key = {{"T", DataType::kFloat},
                     {"tensor_name", "t"},
                     {"send_device", a},
                     {"send_device_incarnation", std::int64_t{0}},
                     {"recv_device", a}};
  const Cut c = cut({input("A1"), {"A2", "_Send", {"A1"}, key}});
  EXPECT_EQ(*c.node("A2").attrs.get<std::int64_t>("send_device_incarnation"), 82);
}

// ---- memory ----

TEST(Partition, a_gpu_reads_host_and_device_memory_through_different_pairs) {
  const Cut c = cut({input("A1", DataType::kInt32),
                     {"G2", "Cast", {"A1"}, {{"SrcT", DataType::kInt32}, {"DstT", DataType::kFloat}}},
                     add("G3", {"A1", "A1"}, kInt)});
  EXPECT_THAT(c.all("_Recv"), SizeIs(1));      // Cast reads int32 in the GPU's memory,
  EXPECT_THAT(c.all("_HostRecv"), SizeIs(1));  // Add in the host's
}

TEST(Partition, memories_that_differ_on_one_gpu_need_a_pair_too) {
  const Attrs three = {{"dtype", DataType::kInt32},
                       {"value", std::shared_ptr<const TensorSpec>(
                                     std::make_shared<TensorSpec>(TensorSpec{.dtype = DataType::kInt32}))}};
  const Cut c = cut(
      {{"G1", "Const", {}, three}, {"G2", "Cast", {"G1"}, {{"SrcT", DataType::kInt32}, {"DstT", DataType::kFloat}}}});
  ASSERT_THAT(c.parts, SizeIs(1));
  EXPECT_THAT(c.names(0), ElementsAre("Const G1", "Cast G2", "_HostSend G1/_0", "_Recv G1/_1"));
  EXPECT_THAT(c.node("G1/_1").inputs, ElementsAre("^G1/_0"));
}

TEST(Partition, strings_travel_from_host_memory_on_cpus_as_well) {
  const Cut c = cut({input("A1", DataType::kString), {"B2", "Identity", {"A1"}, {{"T", DataType::kString}}}});
  EXPECT_THAT(c.all("_HostSend"), SizeIs(1));
  EXPECT_THAT(c.all("_HostRecv"), SizeIs(1));
}

// ---- references ----

TEST(Partition, a_reference_is_received_anew_by_each_consumer_after_its_other_inputs) {
  const Attrs variable = {{"dtype", DataType::kFloat}, {"shape", Shape()}};
  const Cut c =
      cut({{"A1", "VariableV2", {}, variable}, input("B1"), add("B2", {"A1", "B1"}), add("B3", {"A1", "B2"})});
  ASSERT_THAT(c.all("_Recv"), SizeIs(2));
  EXPECT_THAT(c.all("_Recv")[0]->inputs, ElementsAre("^B1"));
  EXPECT_THAT(c.all("_Recv")[1]->inputs, ElementsAre("^B2"));
  EXPECT_EQ(*c.all("_Recv")[0]->attrs.get<DataType>("tensor_type"), DataType::kFloat);
}

// ---- options ----

TEST(Partition, the_masters_cut_leaves_edges_within_a_task_alone) {
  Graph g = graph_of({input("A1"), add("B2", {"A1", "A1"}), add("R3", {"B2", "B2"})});
  const DeviceSet set = devices();
  const Cut c = cut(g, [](PartitionOptions& o) { o.by = CutBy::task; });
  EXPECT_THAT(c.parts, SizeIs(2));
  EXPECT_THAT(c.all("_Send"), SizeIs(1));
  EXPECT_EQ(c.node("B2").inputs[0], "A1");
}

TEST(Partition, scheduled_receives_take_the_earliest_start_of_their_consumers) {
  const auto start = [](NodeId n) { return static_cast<std::int64_t>(100 - n.index()); };
  const Cut c =
      cut(graph_of({input("A1"), add("B2", {"A1", "A1"}), add("B3", {"A1", "A1"})}), [&](PartitionOptions& o) {
        o.scheduling_for_recvs = true;
        o.start_time = start;
      });
  EXPECT_EQ(*c.node("A1/_1").attrs.get<std::int64_t>("_start_time"), 96);
  EXPECT_EQ(*c.node("A1/_0").attrs.get<std::int64_t>("_start_time"), 98);
}

TEST(Partition, scheduling_without_start_times_is_an_error) {
  const Cut c =
      cut(graph_of({input("A1"), add("B2", {"A1", "A1"})}), [](PartitionOptions& o) { o.scheduling_for_recvs = true; });
  EXPECT_EQ(c.status.code(), Code::kNotFound);
}

// ---- properties ----

RC_GTEST_PROP(Partition, every_receive_has_one_send_with_its_key, ()) {
  std::vector<N> nodes = {input("A0")};
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 1; i <= count; ++i) {
    const auto earlier = [&] { return nodes[*rc::gen::inRange<std::size_t>(0, nodes.size())].name; };
    nodes.push_back(
        add(fmt::format("{}{}", "ABGR"[*rc::gen::inRange(0, 4)], i), {earlier(), earlier(), "^" + earlier()}));
  }
  const Cut c = cut(nodes);
  RC_ASSERT(c.status.ok());
  std::multiset<std::string> sent, received;
  const auto key = [](const NodeSpec* n) {
    return *n->attrs.get<std::string>("tensor_name") + *n->attrs.get<std::string>("recv_device");
  };
  for (const char* op : {"_Send", "_HostSend"})
    for (const NodeSpec* n : c.all(op)) sent.insert(key(n));
  for (const char* op : {"_Recv", "_HostRecv"})
    for (const NodeSpec* n : c.all(op)) received.insert(key(n));
  RC_ASSERT(sent == received);
  RC_ASSERT(std::set<std::string>(sent.begin(), sent.end()).size() == sent.size());
}

}  // namespace
}  // namespace tarry
