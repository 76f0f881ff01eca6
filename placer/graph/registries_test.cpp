#include <gtest/gtest.h>

#include "placer/graph/op_def.hpp"

namespace tarry {
namespace {

TEST(Registries, hold_what_tensorflow_2_15_1_registers) {
  EXPECT_EQ(ops_of_tf215().all().size(), 1869u);
  EXPECT_EQ(kernels_of_tf215().size(), 15434u);
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
