#include "placer/place/find_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

KernelDef kernel(std::string type, DataTypes allowed = {}, int priority = 0, std::string label = "") {
  KernelDef k{.op = "Op", .device_type = std::move(type), .label = std::move(label), .priority = priority};
  if (!allowed.empty()) k.constraints.push_back({.attr = "T", .allowed = {.type = std::move(allowed)}});
  return k;
}

StatusOr<KernelMatch> found(const std::vector<KernelDef>& kernels, const Attrs& attrs, std::string_view type = "GPU",
                            const Rules& rules = rules_2_15()) {
  return find_kernel(kernels, {"n", "Op", attrs}, type, rules);
}

const Attrs kFloat = {{"T", DataType::kFloat}};

TEST(FindKernel, a_constraint_decides_by_the_nodes_type) {
  const std::vector<KernelDef> kernels = {kernel("GPU", {DataType::kFloat}), kernel("GPU", {DataType::kInt32})};
  EXPECT_EQ(found(kernels, kFloat)->kernel, &kernels[0]);
  EXPECT_EQ(found(kernels, {{"T", DataType::kString}})->kernel, nullptr);
  EXPECT_TRUE(found(kernels, {{"T", DataType::kString}})->attrs_differ);
}

TEST(FindKernel, every_type_of_a_list_must_be_allowed_and_an_empty_list_is) {
  const std::vector<KernelDef> kernels = {kernel("GPU", {DataType::kFloat})};
  EXPECT_NE(found(kernels, {{"T", AttrList{}}})->kernel, nullptr);
  EXPECT_EQ(found(kernels, {{"T", AttrList{.type = {DataType::kFloat, DataType::kInt32}}}})->kernel, nullptr);
}

KernelDef kernel_for(const std::string& attr, AttrList allowed) {
  KernelDef k{.op = "Op", .device_type = "GPU"};
  k.constraints.push_back({.attr = attr, .allowed = std::move(allowed)});
  return k;
}

TEST(FindKernel, a_constraint_may_list_strings_numbers_or_words) {
  const std::vector<std::pair<AttrList, std::pair<AttrValue, AttrValue>>> cases = {
      {{.s = {"NHWC", "NCHW"}}, {"NCHW", "NCHW_VECT_C"}},
      {{.i = {2, 3}}, {std::int64_t{3}, std::int64_t{4}}},
      {{.f = {0.5F}}, {0.5F, 1.0F}},
      {{.b = {true}}, {true, false}}};
  for (const auto& [allowed, values] : cases) {
    const std::vector<KernelDef> kernels = {kernel_for("a", allowed)};
    EXPECT_NE(found(kernels, {{"a", values.first}})->kernel, nullptr);
    EXPECT_EQ(found(kernels, {{"a", values.second}})->kernel, nullptr);
    EXPECT_TRUE(found(kernels, {{"a", values.second}})->attrs_differ);
  }
}

TEST(FindKernel, a_value_of_another_kind_than_the_constraint_is_an_error) {
  EXPECT_EQ(text_of(found({kernel_for("a", {.s = {"NHWC"}})}, {{"a", std::int64_t{3}}}).status()),
            "KernelDef 'op: \"Op\" device_type: \"GPU\" constraint { name: \"a\" allowed_values { list { s: \"NHWC\" } "
            "} }' has constraint on attr 'a' that has value '3' that does not have the same type in NodeDef '[a=3]'");
}

TEST(FindKernel, a_kernels_line_shows_what_its_constraint_allows) {
  const std::vector<KernelDef> kernels = {kernel_for("data_format", {.s = {"NHWC"}}),
                                          kernel("CPU", {DataType::kFloat})};
  EXPECT_EQ(kernel_list_text(kernels), "  device='GPU'; data_format in [\"NHWC\"]\n  device='CPU'; T in [DT_FLOAT]\n");
}

TEST(FindKernel, the_label_must_be_the_nodes) {
  const std::vector<KernelDef> kernels = {kernel("GPU", {}, 0, "fast")};
  EXPECT_EQ(found(kernels, {})->kernel, nullptr);
  EXPECT_EQ(found(kernels, {{"_kernel", "fast"}})->kernel, &kernels[0]);
}

TEST(FindKernel, the_higher_priority_serves_and_a_tie_is_an_error) {
  const std::vector<KernelDef> kernels = {kernel("GPU", {DataType::kFloat}, 1), kernel("GPU")};
  EXPECT_EQ(found(kernels, kFloat)->kernel, &kernels[0]);
  EXPECT_EQ(text_of(found({kernel("GPU", {DataType::kFloat}), kernel("GPU")}, kFloat).status()),
            "Multiple OpKernel registrations match NodeDef at the same priority '{{node n}}': 'op: \"Op\" device_type: "
            "\"GPU\"' and 'op: \"Op\" "
            "device_type: \"GPU\" constraint { name: \"T\" allowed_values { list { type: DT_FLOAT } } }'");
}

TEST(FindKernel, a_default_kernel_serves_a_type_without_one_of_its_own_from_1_15_on) {
  const std::vector<KernelDef> kernels = {kernel("DEFAULT"), kernel("CPU")};
  EXPECT_EQ(found(kernels, {}, "T1")->kernel, &kernels[0]);
  EXPECT_EQ(found(kernels, {}, "CPU")->kernel, &kernels[1]);
  EXPECT_EQ(found(kernels, {}, "XLA_GPU_JIT")->kernel, nullptr);
  Rules older = rules_1_15();
  older.default_kernels = false;
  EXPECT_EQ(found(kernels, {}, "T1", older)->kernel, nullptr);
}

TEST(FindKernel, a_constraint_on_an_attribute_the_node_lacks_is_an_error) {
  EXPECT_THAT(
      std::string(text_of(found({kernel("GPU", {DataType::kFloat})}, {}).status())),
      ::testing::StartsWith("OpKernel 'Op' has constraint on attr 'T' not in NodeDef '[]', KernelDef: 'op: \"Op\""));
}

TEST(FindKernel, the_list_of_kernels_names_labels_and_constraints) {
  EXPECT_EQ(kernel_list_text({}), "  <no registered kernels>\n");
  const std::vector<KernelDef> kernels = {kernel("GPU", {DataType::kFloat, DataType::kHalf}, 0, "fast")};
  EXPECT_EQ(kernel_list_text(kernels), "  device='GPU'; label='fast'; T in [DT_FLOAT, DT_HALF]\n");
}

}  // namespace
}  // namespace tarry
