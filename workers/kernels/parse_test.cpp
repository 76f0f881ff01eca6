// Records of features, with a dimension for them and without. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

// A feature of a record: its name, and its list with the tag of its kind.
std::string sized_field(char tag, const std::string& bytes) { return tag + (static_cast<char>(bytes.size()) + bytes); }
std::string named_feature(const std::string& name, const std::string& feature) {
  return sized_field('\n', sized_field('\n', name) + sized_field('\x12', feature));
}
std::string example_of(const std::string& entries) { return sized_field('\n', entries); }
std::string integers_feature(const std::string& numbers) { return sized_field('\x1A', sized_field('\n', numbers)); }
std::string with_a(const std::string& numbers) { return example_of(named_feature("a", integers_feature(numbers))); }

TensorRef texts_of(const Dims& dims, const std::vector<std::string>& values) {
  MutableTensor t = make_tensor(DataType::kString, Shape(dims));
  t->mutable_strings() = values;
  return t;
}
const TensorRef kNoTexts = texts_of({0}, {});

struct Parse {
  std::string op = "ParseExampleV2";
  TensorRef names = kNoTexts;
  TensorRef otherwise = tensor<std::int64_t>({0}, {});
  Dims shape = {2};
};
StatusOr<Tensors> read_records(const TensorRef& records, const Parse& p = {}) {
  AttrList types, shapes, keys, none;
  types.type = {DataType::kInt64};
  shapes.shape = {Shape(p.shape)};
  keys.s = {"a"};
  const Asked asked{
      .attrs = {{"Tdense", types}, {"dense_shapes", shapes}, {"dense_keys", keys}, {"sparse_types", none}},
      .outputs = {DataType::kInt64}};
  const TensorRef a = texts_of({1}, {"a"});
  if (p.op == "ParseSingleExample") return compute(p.op, {records, p.otherwise}, asked);
  if (p.op == "ParseExample") return compute(p.op, {records, p.names, make_string("a"), p.otherwise}, asked);
  return compute(p.op, {records, p.names, kNoTexts, a, kNoTexts, p.otherwise}, asked);
}
std::string parse_said(const TensorRef& records, const Parse& p = {}) {
  const auto r = read_records(records, p);
  return r.ok() ? to_string((*r)[0]->shape()) : std::string(text_of(r.status()));
}
TensorRef vector_of(const std::string& bytes) { return texts_of({1}, {bytes}); }

TEST(ParseExampleV2, of_one_record_gives_no_dimension_for_records) {
  const TensorRef one = make_string(with_a("\x05\x06"));
  EXPECT_EQ(parse_said(one), "[2]");
  EXPECT_EQ(parse_said(vector_of(with_a("\x05\x06"))), "[1,2]");
  EXPECT_THAT(integers_of(*(*read_records(one))[0]), ElementsAre(5, 6));
}
TEST(ParseExampleV2, of_one_record_tells_neither_name_nor_index) {
  EXPECT_EQ(parse_said(make_string(with_a("\x05"))), "Key: a.  Can't parse serialized Example.");
  EXPECT_EQ(parse_said(vector_of(with_a("\x05"))),
            "Name: <unknown>, Key: a, Index: 0.  Number of int64 values != expected.  Values size: 1 but output shape: "
            "[2]");
  EXPECT_EQ(parse_said(make_string("")), "Feature: a (data type: int64) is required but could not be found.");
  EXPECT_EQ(parse_said(make_string(example_of(named_feature("a", sized_field('\x12', ""))))),
            "Key: a.  Data types don't match. Data type: float but expected type: int64");
}
TEST(ParseExampleV2, of_one_record_gives_sparse_places_of_one_coordinate) {
  AttrList types;
  types.type = {DataType::kInt64};
  const auto r =
      *compute("ParseExampleV2", {make_string(with_a("\x05\x06")), kNoTexts, texts_of({1}, {"a"}), kNoTexts, kNoTexts},
               {.attrs = {{"sparse_types", types}, {"num_sparse", std::int64_t{1}}},
                .outputs = {DataType::kInt64, DataType::kInt64, DataType::kInt64}});
  EXPECT_EQ(r[0]->shape(), Shape({2, 1}));
  EXPECT_THAT(integers_of(*r[2]), ElementsAre(2));
}
TEST(ParseSingleExample, of_another_number_of_values_cannot_be_parsed) {
  for (const char* numbers : {"\x05", "\x05\x06\x07"})
    EXPECT_EQ(parse_said(make_string(with_a(numbers)), {.op = "ParseSingleExample"}),
              "Key: a.  Can't parse serialized Example.");
}

constexpr const char* kLacksA = "Feature: a (data type: int64) is required but could not be found.";

TEST(Examples, skip_what_they_do_not_know) {
  EXPECT_EQ(parse_said(make_string("junk")), kLacksA);
  EXPECT_EQ(parse_said(make_string("\x12\x05"
                                   "a")),
            kLacksA);
  EXPECT_EQ(parse_said(make_string(with_a("\x05\x06") + "\x10\x01")), "[2]");
  EXPECT_EQ(parse_said(make_string("\x12\xFF\xFF\xFF\xFF\x7F" + with_a("\x05\x06"))), "[2]");
}
TEST(Examples, are_refused_where_they_break_off) {
  for (const std::string& bytes : {std::string("\n"), std::string("hello"), std::string(1, '\0'), std::string("\rab")})
    EXPECT_EQ(parse_said(make_string(bytes)), "Could not parse example input, value: '" + bytes + "'");
  EXPECT_EQ(parse_said(make_string(std::string("\n\x05"))), kLacksA);
  EXPECT_THAT(parse_said(make_string(example_of(sized_field('\n', sized_field('\n', "a"))))),
              HasSubstr("Could not parse example input"));
}
TEST(Examples, have_features_of_which_only_wanted_ones_are_read) {
  const std::string good = named_feature("a", integers_feature("\x05\x06"));
  EXPECT_EQ(parse_said(make_string(example_of(named_feature("b", "\x22\x01") + good))), "[2]");
  EXPECT_EQ(parse_said(make_string(example_of(named_feature("a", std::string("\x22\0", 2))))), "Unsupported datatype.");
  EXPECT_EQ(parse_said(make_string(example_of(named_feature("a", "\x1A\x09z")))),
            "Key: a.  Can't parse serialized Example.");
}
TEST(Examples, are_looked_at_one_by_one) {
  EXPECT_EQ(parse_said(texts_of({2}, {"", "hello"})),
            "Name: <unknown>, Feature: a (data type: int64) is required but could not be found.");
}

TEST(ParseExample, wants_defaults_of_the_shapes) {
  const auto with = [](const Dims& given, const Dims& shape) {
    const std::vector<std::int64_t> numbers(static_cast<std::size_t>(Shape(given).elements()), 7);
    return parse_said(vector_of(with_a("\x05\x06")), {.otherwise = tensor(given, numbers), .shape = shape});
  };
  EXPECT_EQ(with({1}, {2}), "def_value[0].shape() == [1] is not compatible with dense_shapes_[0] == [2]");
  EXPECT_EQ(with({}, {2}), "def_value[0].shape() == [] is not compatible with dense_shapes_[0] == [2]");
  EXPECT_EQ(with({0}, {-1}),
            "dense_shape[0] is a variable length shape: [?], therefore def_value[0] must contain a single element (the "
            "padding element).  But its shape is: [0]");
  EXPECT_EQ(with({1}, {-1}), "[1,2]");
  EXPECT_EQ(with({2}, {2}), "[1,2]");
}
TEST(ParseExample, wants_whole_rows_of_an_open_shape) {
  const Parse rows_of_two{.otherwise = tensor<std::int64_t>({1}, {7}), .shape = {-1, 2}};
  EXPECT_EQ(parse_said(vector_of(with_a("\x05\x06\x07\x08")), rows_of_two), "[1,2,2]");
  EXPECT_EQ(
      parse_said(vector_of(with_a("\x05\x06\x07")), rows_of_two),
      "Name: <unknown>, Key: a, Index: 0.  Number of int64 values is not a multiple of stride length. Saw 3 values "
      "but output shape is: [?,2]");
}
TEST(ParseExample, wants_as_many_names_as_records_and_these_in_a_vector) {
  const TensorRef records = vector_of(with_a("\x05\x06"));
  EXPECT_EQ(parse_said(records, {.names = texts_of({2}, {"x", "y"})}),
            "Expected names have the same shape as serialized: name.shape=[2], serialized.shape=[1]");
  EXPECT_EQ(parse_said(make_string(""), {.names = texts_of({1}, {"x"})}),
            "Expected names have the same shape as serialized: name.shape=[1], serialized.shape=[]");
  EXPECT_EQ(parse_said(make_string(""), {.op = "ParseExample"}), "Expected serialized to be a vector, got shape: []");
  EXPECT_EQ(parse_said(records, {.op = "ParseSingleExample"}), "Expected serialized to be a scalar, got shape: [1]");
}

}  // namespace
}  // namespace tarry
