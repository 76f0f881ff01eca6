// Summaries and serialized tensors. The bytes were written by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

const Asked kText{.outputs = {DataType::kString}};

TensorRef text(const std::string& s) { return make_string(s); }
TensorRef texts(const std::vector<std::string>& values) {
  MutableTensor t = make_tensor(DataType::kString, Shape({std::ssize(values)}));
  t->mutable_strings() = values;
  return t;
}
std::string message(std::string_view op, const Tensors& inputs) { return one(op, inputs, kText)->strings()[0]; }
template <std::size_t n>
std::string bytes(const char (&literal)[n]) {
  return {literal, n - 1};
}

TEST(ScalarSummary, has_a_value_for_each_tag_and_leaves_out_an_empty_tag) {
  EXPECT_EQ(message("ScalarSummary", {texts({"a", ""}), floats({2}, {1.5, 0})}),
            bytes("\n\x08\n\x01"
                  "a\x15\x00\x00\xc0?\n\x05\x15\x00\x00\x00\x00"));
}
TEST(ScalarSummary, wants_as_many_tags_as_values) {
  EXPECT_EQ(refusal("ScalarSummary", {texts({"a"}), floats({}, {1})}, kText),
            "tags and values are not the same shape: [1] != [] (tag 'a')");
  EXPECT_EQ(refusal("ScalarSummary", {texts({"a", "b"}), floats({1, 2}, {1, 2})}, kText),
            "tags and values are not the same shape: [2] != [1,2]");
}
TEST(ScalarSummary, of_values_that_are_not_known_is_a_text_that_is_not_known) {
  const TensorRef t = one("ScalarSummary", {text("loss"), shape_only({})}, kText);
  EXPECT_FALSE(t->has_data());
  EXPECT_EQ(t->shape(), Shape());
}

TEST(HistogramSummary, of_nothing_has_one_empty_bucket) {
  EXPECT_EQ(message("HistogramSummary", {text("h"), floats({0}, {})}),
            bytes("\n+\n\x01h*&\t\xff\xff\xff\xff\xff\xff\xef\x7f\x11\xff\xff\xff\xff\xff\xff\xef\xff"
                  "2\x08\xff\xff\xff\xff\xff\xff\xef\x7f:\x08\x00\x00\x00\x00\x00\x00\x00\x00"));
}
TEST(HistogramSummary, takes_runs_of_empty_buckets_together) {
  const std::string summary = message("HistogramSummary", {text("h"), floats({3}, {0, 1, 2})});
  EXPECT_EQ(summary.size(), 161U);
  EXPECT_EQ(summary.substr(0, 29), bytes("\n\x9e\x01\n\x01h*\x98\x01\x11\x00\x00\x00\x00\x00\x00\x00@"
                                         "\x19\x00\x00\x00\x00\x00\x00\x08@!\x00"));
}
TEST(HistogramSummary, refuses_what_is_not_finite_and_names_the_node) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal("HistogramSummary", {text("h"), floats({1}, {inf})}, kText), "Infinity in Histogram for: n");
  EXPECT_EQ(refusal("HistogramSummary", {text("h"), floats({1}, {nan})}, kText), "Nan in summary histogram for: n");
}

TEST(MergeSummary, is_all_summaries_one_behind_the_other) {
  const std::string a = message("ScalarSummary", {text("a"), floats({}, {1})}),
                    b = message("ScalarSummary", {text("b"), floats({}, {2})});
  EXPECT_EQ(message("MergeSummary", {text(a), text(b)}), a + b);
  EXPECT_EQ(refusal("MergeSummary", {text(a), text(a)}, kText), "Duplicate tag a found in summary inputs ");
  EXPECT_EQ(refusal("MergeSummary", {text("xyz")}, kText), "Could not parse one of the summary inputs");
}

TEST(SerializeTensor, has_type_shape_and_bytes) {
  EXPECT_EQ(message("SerializeTensor", {floats({2}, {1.5, 2})}),
            bytes("\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\xc0?\x00\x00\x00@"));
  EXPECT_EQ(message("SerializeTensor", {floats({2, 0}, {})}), bytes("\x08\x01\x12\x06\x12\x02\x08\x02\x12\x00"));
  EXPECT_EQ(message("SerializeTensor", {texts({"a", ""})}), bytes("\x08\x07\x12\x04\x12\x02\x08\x02"
                                                                  "B\x01"
                                                                  "aB\x00"));
}
TEST(SerializeTensor, keeps_the_type_of_narrow_numbers) {
  EXPECT_EQ(message("SerializeTensor", {tensor<std::int8_t>({2}, {1, -2})}),
            bytes("\x08\x06\x12\x04\x12\x02\x08\x02\"\x02\x01\xfe"));
}

TEST(TensorSummaryV2, has_tag_tensor_and_metadata) {
  EXPECT_EQ(message("TensorSummaryV2", {text("t"), floats({}, {1}), text("")}),
            bytes("\n\x11\n\x01tB\n\x08\x01\x12\x00\"\x04\x00\x00\x80?J\x00"));
}

}  // namespace
}  // namespace tarry
