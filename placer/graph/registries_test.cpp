#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/op_def.hpp"
#include "placer/graph/wire_list.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

TEST(Registries, hold_what_tensorflow_2_15_1_registers) {
  EXPECT_EQ(ops_of_tf215().size(), 1869u);
  EXPECT_EQ(kernels_of_tf215().size(), 15434u);
}

TEST(Registries, every_op_and_kernel_can_be_decoded) {
  std::size_t kernels = 0;
  for (const OpDef& op : ops_of_tf215().all()) {
    EXPECT_EQ(ops_of_tf215().find(op.name), &op);
    for (const KernelDef& k : kernels_of_tf215().of(op.name)) kernels += k.op == op.name ? 1 : 0;
  }
  EXPECT_GT(kernels, 15000u);  // some kernels serve ops that 2.15.1 no longer lists
}

TEST(Registries, refuse_bytes_that_are_no_list) {
  EXPECT_THAT(std::string(text_of(index_list("\x0a\x7f").status())), HasSubstr("at byte 0"));
  EXPECT_THAT(std::string(text_of(index_list("\x10\x01").status())), HasSubstr("field 2 of wire type 0"));
  EXPECT_TRUE(index_list("")->entries.empty());
}

TEST(Registries, keep_the_kernels_of_an_op_in_their_order) {
  const KernelRegistry r({{"B", "CPU", "first"}, {"A", "CPU"}, {"B", "GPU", "second"}});
  ASSERT_EQ(r.of("B").size(), 2u);
  EXPECT_EQ(r.of("B")[0].label + " " + r.of("B")[1].label, "first second");
  EXPECT_TRUE(r.of("C").empty());
}

TEST(Registries, know_references_state_and_defaults) {
  const OpDef& assign = *ops_of_tf215().find("Assign");
  EXPECT_TRUE(assign.inputs[0].is_ref);
  EXPECT_TRUE(assign.allows_uninitialized_input);
  EXPECT_TRUE(ops_of_tf215().find("VariableV2")->is_stateful);
  EXPECT_EQ(ops_of_tf215().find("NoSuchOp"), nullptr);
}

TEST(Registries, know_which_kernels_take_host_memory) {
  bool seen = false;
  for (const KernelDef& k : kernels_of_tf215().of("Shape"))
    seen |= k.device_type == "GPU" && k.host_memory_args == std::vector<std::string>{"output"};
  EXPECT_TRUE(seen);
}

TEST(Registries, list_arguments_by_slot) {
  const OpDef& op = *ops_of_tf215().find("ConcatV2");
  const auto ranges =
      argument_ranges(op.inputs, {{"N", std::int64_t{3}}, {"T", DataType::kFloat}, {"Tidx", DataType::kInt32}});
  ASSERT_TRUE(ranges.ok());
  EXPECT_EQ((*ranges)[0].count, 3);
  EXPECT_EQ((*ranges)[1].first, 3);
}

}  // namespace
}  // namespace tarry
