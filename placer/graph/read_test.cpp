#include "placer/graph/read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using ::testing::HasSubstr;

GraphSpec small() {
  return {{{"a",
            "Const",
            "/cpu:0",
            {},
            {{"dtype", DataType::kInt32},
             {"value", std::make_shared<const TensorSpec>(
                           TensorSpec{DataType::kInt32, Shape({2}), std::string("\1\0\0\0\2\0\0\0", 8), {}})}}},
           {"b", "Identity", "", {"a"}, {{"T", DataType::kInt32}}}},
          {1645, 0, {}},
          {}};
}

std::string failure(std::string_view bytes) { return std::string(text_of(parse_graph(bytes, "g.pb").status())); }

TEST(Read, attributes_are_written_in_the_order_of_their_names) {
  GraphSpec g{{{"n", "NoOp", "", {}, {}}}, {1645, 0, {}}, {}};
  for (int i = 40; i > 10; --i) g.nodes[0].attrs.set(fmt::format("attr_{}", i), true);
  const std::string bytes = to_binary(g);
  for (int i = 12; i <= 40; ++i)
    EXPECT_LT(bytes.find(fmt::format("attr_{}", i - 1)), bytes.find(fmt::format("attr_{}", i))) << i;
}

TEST(Read, binary_and_text_say_the_same) {
  EXPECT_EQ(parse_graph(to_binary(small()), "g")->nodes, small().nodes);
  EXPECT_EQ(parse_graph(to_text(small()), "g")->nodes, small().nodes);
}

TEST(Read, stack_traces_are_read_and_written) {
  GraphSpec g = small();
  g.stack_traces["a"] = {{"train.py", "main", "a = tf.constant(1)", 3, 5}, {"lib.py", "constant", "", 40, 1}};
  g.stack_traces["b"] = {{"train.py", "main", "", 4, 5}};
  EXPECT_EQ(parse_graph(to_binary(g), "g")->stack_traces, g.stack_traces);
  EXPECT_EQ(parse_graph(to_text(g), "g")->stack_traces, g.stack_traces);
  EXPECT_THAT(failure("node { name: 'a' op: 'NoOp' } debug_info { files: 'f' traces { key: 'a' value { file_line_cols "
                      "{ file_index: 1 } } } }"),
              HasSubstr("the stack trace of node 'a' names file 1; it lists 1 files"));
}

TEST(Read, a_number_list_is_kept_as_packed_bytes) {
  const auto g = parse_graph(
      "node { name: 'c' op: 'Const' attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 "
      "} } float_val: 2 } } } }",
      "g");
  ASSERT_TRUE(g.ok()) << g.status();
  const auto& t = **g->nodes[0].attrs.get<std::shared_ptr<const TensorSpec>>("value");
  EXPECT_EQ(t.content.size(), 4u);
}

TensorSpec read_constant(const std::string& tensor) {
  const auto g =
      parse_graph("node { name: 'c' op: 'Const' attr { key: 'value' value { tensor { " + tensor + " } } } }", "g");
  EXPECT_TRUE(g.ok()) << g.status();
  return **g->nodes[0].attrs.get<std::shared_ptr<const TensorSpec>>("value");
}

TEST(Read, a_constant_has_the_elements_of_its_types_own_list) {
  EXPECT_EQ(read_constant("dtype: DT_FLOAT tensor_shape { dim { size: 2 } } int_val: 1").content, "");
  EXPECT_EQ(read_constant("dtype: DT_BOOL tensor_shape { } int_val: 1").content, "");
  EXPECT_EQ(read_constant("dtype: DT_INT8 tensor_shape { } int_val: 300").content, "\x2c");
  EXPECT_EQ(read_constant("dtype: DT_STRING tensor_shape { dim { size: 2 } } tensor_content: '\\001\\002abb'").strings,
            (std::vector<std::string>{"a", "bb"}));
  EXPECT_EQ(read_constant("dtype: DT_FLOAT tensor_shape { unknown_rank: true dim { size: 2 } } float_val: 3").shape,
            Shape({2}));
}

TEST(Read, what_is_no_tensor_is_kept_as_its_text) {
  const auto unread = [](const std::string& tensor) { return read_constant(tensor).unread; };
  EXPECT_EQ(unread("dtype: DT_FLOAT tensor_shape { } tensor_content: 'abc'"),
            "dtype: DT_FLOAT\ntensor_shape {\n}\ntensor_content: \"abc\"\n");
  EXPECT_EQ(unread("tensor_shape { } float_val: 1.5"), "tensor_shape {\n}\nfloat_val: 1.5\n");
  EXPECT_NE(unread("dtype: DT_FLOAT_REF tensor_shape { } float_val: 1.5"), "");
  EXPECT_NE(unread("dtype: DT_FLOAT tensor_shape { dim { size: -1 } } float_val: 1.5"), "");
  EXPECT_NE(unread("dtype: DT_STRING tensor_shape { dim { size: 2 } } tensor_content: '\\001\\003abb'"), "");
  EXPECT_EQ(unread("dtype: DT_FLOAT tensor_shape { dim { size: 0 } } tensor_content: 'abc'"), "") << "none are needed";
  const TensorSpec t = read_constant("dtype: DT_FLOAT tensor_shape { dim { size: -3 } } float_val: 1.5");
  EXPECT_EQ(summarize(AttrValue(std::make_shared<const TensorSpec>(t))),
            "<TensorProto: dtype: DT_FLOAT tensor_shape { dim { size: -3 } } float_val: 1.5>");
}

TEST(Read, what_is_no_tensor_is_written_as_it_was_read) {
  const auto g = parse_graph(
      "node { name: 'c' op: 'Const' attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_content: 'abc' } } } }",
      "g");
  EXPECT_EQ(parse_graph(to_binary(*g), "g")->nodes, g->nodes);
}

TEST(Read, a_cut_off_file_says_where) {
  const std::string whole = to_binary(small());
  EXPECT_THAT(failure(whole.substr(0, whole.size() - 7)), HasSubstr("at byte"));
  EXPECT_THAT(failure(std::string("\x0a\xff\xff\xff\xff\x07"
                                  "abc",
                                  9)),
              HasSubstr("it says 2147483647 bytes follow, 3 do"));
  EXPECT_THAT(failure(""), HasSubstr("is empty"));
}

TEST(Read, a_text_error_has_line_and_column) { EXPECT_THAT(failure("node {\n  nmae: 'a'\n}\n"), HasSubstr("g.pb:2:")); }

// A last element fills a tensor up; that is said by lists of elements, and not by contents.
TEST(Read, tensors_that_one_element_fills_up_are_read_as_they_were_written) {
  for (int type = 1; type <= 26; ++type) {
    const auto dtype = static_cast<DataType>(type);
    if (type_size(dtype) == 0) continue;
    GraphSpec g = small();
    const std::string element(type_size(dtype), '\1');
    const auto tensor = std::make_shared<const TensorSpec>(TensorSpec{dtype, Shape({3}), element, {}});
    g.nodes[0].attrs = {{"dtype", dtype}, {"value", tensor}};
    EXPECT_EQ(parse_graph(to_binary(g), "g")->nodes, g.nodes) << type;
    EXPECT_THAT(to_text(g), testing::Not(HasSubstr("tensor_content"))) << type;
  }
}

TEST(Read, deep_nesting_is_refused) {
  std::string text = "node { name: 'a' op: 'b' attr { key: 'f' value { func { name: 'g' ";
  for (int i = 0; i < 100000; ++i) text += "attr { key: 'f' value { func { name: 'g' ";
  EXPECT_FALSE(parse_graph(text, "g").ok());
}

TEST(Read, any_change_of_one_byte_is_read_or_refused_but_never_worse) {
  const std::string whole = to_binary(small());
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int bit : {0, 3, 7}) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      const auto g = parse_graph(flipped, "g");
      EXPECT_TRUE(g.ok() || !g.status().message().empty());
    }
}

TEST(Read, a_folder_and_a_missing_file_are_named) {
  EXPECT_THAT(std::string(text_of(read_graph("/").status())), HasSubstr("is a folder"));
  EXPECT_THAT(std::string(text_of(read_graph("/no/such/file").status())), HasSubstr("/no/such/file: no such file"));
}

}  // namespace
}  // namespace tarry
