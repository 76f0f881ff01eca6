// Serialized tensors read back, crosses of features, random values that seeds decide, and pictures. What is expected
// was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

const Asked kOneMessage{.outputs = {DataType::kString}};

std::string serialized(const TensorRef& t) { return one("SerializeTensor", {t}, kOneMessage)->strings()[0]; }
TensorRef parsed(const std::string& bytes, DataType type) {
  return one("ParseTensor", {make_string(bytes)}, {.outputs = {type}});
}
TEST(ParseTensor, gives_what_was_serialized) {
  const TensorRef t = parsed(serialized(kTwoByThree), DataType::kFloat);
  EXPECT_EQ(t->shape(), Shape({2, 3}));
  EXPECT_THAT(Floats(t->as<float>().begin(), t->as<float>().end()), ElementsAre(1, 2, 3, 4, 5, 6));
  const std::string long_text(128, 'x');  // whose length takes two bytes
  EXPECT_EQ(parsed(serialized(make_string(long_text)), DataType::kString)->strings()[0], long_text);
}
TEST(ParseTensor, fills_up_with_the_last_element_that_is_listed) {
  const TensorRef t = parsed(std::string("\x08\x03\x12\x04\x12\x02\x08\x03\x3A\x02\x07\x09", 12), DataType::kInt32);
  EXPECT_THAT(integers_of(*t), ElementsAre(7, 9, 9));
}
TEST(ParseTensor, refuses_another_type_and_what_is_no_message) {
  EXPECT_EQ(refusal("ParseTensor", {make_string(serialized(ints({1})))}),
            "Type mismatch between parsed tensor (int64) and dtype (float)");
  EXPECT_EQ(refusal("ParseTensor", {make_string("zz")}), "Could not parse `serialized` as TensorProto, base64: eno=");
  EXPECT_EQ(refusal("ParseTensor", {make_string(std::string("\x08\x01\x12\x04\x12\x02\x08\x02\"\x04"
                                                            "1234",
                                                            14))}),
            "Cannot parse tensor from proto: dtype: DT_FLOAT\ntensor_shape {\n  dim {\n    size: 2\n  "
            "}\n}\ntensor_content: \"1234\"\n");
}

TEST(ParseTensor, refuses_texts_that_are_longer_than_what_follows) {
  const std::string longer("\x08\x07\x12\x04\x12\x02\x08\x02\"\x03\x64\x01\x61", 13);
  EXPECT_THAT(refusal("ParseTensor", {make_string(longer)}, {.outputs = {DataType::kString}}),
              HasSubstr("Cannot parse tensor from proto: dtype: DT_STRING"));
}

const DataTypes kSparseOutputs = {DataType::kInt64, DataType::kFloat, DataType::kInt64};
TensorRef messages(const std::vector<std::string>& values) {
  MutableTensor t = make_tensor(DataType::kString, Shape({std::ssize(values)}));
  t->mutable_strings() = values;
  return t;
}
TEST(DeserializeSparse, gives_what_was_serialized) {
  const TensorRef all =
      one("SerializeManySparse",
          {tensor<std::int64_t>({3, 2}, {0, 1, 1, 0, 1, 2}), floats({3}, {1, 2, 3}), ints({2, 3})}, kOneMessage);
  const auto r = *compute("DeserializeManySparse", {all}, {.outputs = kSparseOutputs});
  EXPECT_THAT(integers_of(*r[0]), ElementsAre(0, 1, 1, 0, 1, 2));
  EXPECT_THAT(integers_of(*r[2]), ElementsAre(2, 3));
}
TEST(DeserializeSparse, refuses_what_does_not_fit) {
  const auto told = [](const TensorRef& indices, const TensorRef& values, const TensorRef& shape) {
    return refusal("DeserializeSparse", {messages({serialized(indices), serialized(values), serialized(shape)})},
                   {.outputs = kSparseOutputs});
  };
  const TensorRef place = tensor<std::int64_t>({1, 2}, {0, 1});
  EXPECT_EQ(told(ints({0, 1}), floats({1}, {1}), ints({2, 3})),
            "Expected serialized_sparse[0, 0] to represent an index matrix but received shape [2]");
  EXPECT_EQ(told(place, floats({2}, {1, 2}), ints({2, 3})),
            "Expected row counts of SparseTensor[0].indices and SparseTensor[0].values to match but they do not: 1 "
            "vs. 2");
  EXPECT_EQ(told(place, ints({1}), ints({2, 3})),
            "Requested SparseTensor of type float but SparseTensor[0].values.dtype() == int64");
}

MutableTensor text_matrix(const std::vector<std::string>& values, std::int64_t columns) {
  MutableTensor t = make_tensor(DataType::kString, Shape({std::ssize(values) / columns, columns}));
  t->mutable_strings() = values;
  return t;
}
Asked crossed(bool is_hashed) {
  return {.attrs = {{"hashed_output", is_hashed},
                    {"N", std::int64_t{1}},
                    {"num_buckets", std::int64_t{0}},
                    {"hash_key", std::int64_t{956888297470}}},
          .outputs = {DataType::kInt64, is_hashed ? DataType::kInt64 : DataType::kString, DataType::kInt64}};
}
const Tensors kFeatures = {tensor<std::int64_t>({3, 2}, {0, 0, 1, 0, 1, 1}), messages({"p", "q", "r"}), ints({2, 2}),
                           text_matrix({"x", "z", "y", "w"}, 2)};
TEST(SparseCross, joins_one_feature_of_each_column) {
  const auto r = *compute("SparseCross", kFeatures, crossed(false));
  EXPECT_THAT(r[1]->strings(), ElementsAre("p_X_x", "p_X_z", "q_X_y", "q_X_w", "r_X_y", "r_X_w"));
  EXPECT_THAT(integers_of(*r[0]), ElementsAre(0, 0, 0, 1, 1, 0, 1, 1, 1, 2, 1, 3));
  EXPECT_THAT(integers_of(*r[2]), ElementsAre(2, 4));
}
TEST(SparseCross, gives_the_hashes_of_tensorflow) {
  EXPECT_THAT(integers_of(*(*compute("SparseCross", kFeatures, crossed(true)))[1]),
              ElementsAre(5891346714380846805, 8377347071274814585, 5017840080739111620, 7145515450476122163,
                          4518105520319126771, 9121319394037654667));
}
TEST(SparseCross, refuses_columns_of_other_rows) {
  Tensors of_three = kFeatures;
  of_three[3] = text_matrix({"a", "b", "c"}, 1);
  EXPECT_EQ(refusal("SparseCross", of_three, crossed(false)), "Expected batch size 2 got 3 at dense tensor 0");
}

Floats drawn(std::string_view op, std::int64_t count, const Ints& seeds = {3, 5}) {
  return values(op, {ints({count}), ints(seeds)}, {.attrs = {{"dtype", DataType::kFloat}}});
}
// Numbers of a generator whose counter begins there.
Floats counted_from(std::uint64_t counter, std::int64_t count) {
  const auto unsigned_vector = [](std::uint64_t x) { return tensor<std::uint64_t>({1}, {x}); };
  return values("StatelessRandomUniformV2",
                {ints({count}), unsigned_vector(7), unsigned_vector(counter), make_scalar(std::int32_t{1})},
                {.attrs = {{"dtype", DataType::kFloat}}});
}
TEST(StatelessDraws, go_on_where_a_word_of_the_counter_is_full) {
  const Floats across = counted_from(0xFFFFFFFFU, 8), behind = counted_from(0x100000000U, 4);
  EXPECT_EQ(Floats(across.begin() + 4, across.end()), behind);
}
TEST(FourierTransforms, of_nothing_may_be_asked_for_any_length) {
  const auto r =
      compute("RFFT", {floats({0}, {}), tensor<std::int32_t>({1}, {4})}, {.outputs = {DataType::kComplex64}});
  ASSERT_TRUE(r.ok()) << text_of(r.status());
  EXPECT_EQ((*r)[0]->shape(), Shape({3}));
}
TEST(StatelessDraws, are_those_of_tensorflow) {
  EXPECT_THAT(drawn("StatelessRandomUniform", 6),
              ElementsAre(0.308667541F, 0.0959700346F, 0.370370388F, 0.393663526F, 0.888383627F, 0.924850702F));
  EXPECT_THAT(drawn("StatelessRandomNormal", 5),
              ElementsAre(FloatNear(0.8695505F, 1e-6F), FloatNear(1.2628788F, 1e-6F), FloatNear(0.8731732F, 1e-6F),
                          FloatNear(-1.106378F, 1e-6F), FloatNear(-0.22128268F, 1e-6F)));
  EXPECT_THAT(drawn("StatelessTruncatedNormal", 6),
              ElementsAre(FloatNear(0.8695505F, 1e-6F), FloatNear(1.2628788F, 1e-6F), FloatNear(0.8731732F, 1e-6F),
                          FloatNear(-1.106378F, 1e-6F), FloatNear(-0.35297453F, 1e-6F), FloatNear(0.12548243F, 1e-6F)));
}
TEST(StatelessDraws, of_doubles_take_two_words) {
  const TensorRef r = one("StatelessRandomUniform", {ints({3}), ints({3, 5})},
                          {.attrs = {{"dtype", DataType::kDouble}}, .outputs = {DataType::kDouble}});
  EXPECT_NEAR(r->as<double>()[0], 0.46934057, 1e-8);
  EXPECT_NEAR(r->as<double>()[1], 0.96296363, 1e-8);
  EXPECT_NEAR(r->as<double>()[2], 0.10706941, 1e-8);
}
TEST(StatelessDraws, that_are_truncated_leave_out_what_is_beyond_two_deviations) {
  EXPECT_NEAR(drawn("StatelessRandomNormal", 4, {5, 0})[0], -2.05537844F, 1e-6F);
  EXPECT_THAT(drawn("StatelessTruncatedNormal", 4, {5, 0}),
              ElementsAre(FloatNear(1.15818775F, 1e-6F), FloatNear(0.19160862F, 1e-6F), FloatNear(-0.12977891F, 1e-6F),
                          FloatNear(0.90684718F, 1e-6F)));
}
TEST(StatelessDraws, by_a_key_are_those_by_its_seeds) {
  const auto key =
      *compute("StatelessRandomGetKeyCounter", {ints({3, 5})}, {.outputs = {DataType::kUint64, DataType::kUint64}});
  const TensorRef algorithm = make_scalar<std::int32_t>(1);
  EXPECT_EQ(values("StatelessRandomNormalV2", {ints({5}), key[0], key[1], algorithm}),
            drawn("StatelessRandomNormal", 5));
  EXPECT_EQ(refusal("StatelessRandomNormalV2", {ints({5}), key[1], key[1], algorithm}),
            "key must have shape [1], not [2]. (Note that batched keys are not supported yet.)");
}
TEST(StatelessDraws, of_whole_numbers_look_at_the_shape_first) {
  const auto told = [](const TensorRef& shape, std::int64_t from, std::int64_t to) {
    return refusal("StatelessRandomUniformInt",
                   {shape, ints({3, 5}), make_scalar<std::int64_t>(from), make_scalar<std::int64_t>(to)},
                   {.outputs = {DataType::kInt64}});
  };
  EXPECT_EQ(told(ints({-6}), 5, 0), "Dimension -6 must be >= 0");
  EXPECT_EQ(told(ints({2}), 5, 5), "Need minval < maxval, got 5 >= 5");
  EXPECT_EQ(told(ints({0}), 5, 5), "ok");
}

const TensorRef kNine = floats({1, 3, 3, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
Floats cropped(const Floats& box, const char* method, std::int64_t rows, std::int64_t columns) {
  const auto size = tensor<std::int32_t>({2}, {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns)});
  return values("CropAndResize", {kNine, floats({1, 4}, box), tensor<std::int32_t>({1}, {0}), size},
                {.attrs = {{"method", std::string(method)}, {"extrapolation_value", -7.0F}}});
}
TEST(CropAndResize, samples_between_pixels_or_takes_the_nearest) {
  EXPECT_THAT(cropped({0, 0, 1, 1}, "bilinear", 2, 2), ElementsAre(0, 2, 6, 8));
  EXPECT_THAT(cropped({1, 1, 0, 0}, "bilinear", 2, 2), ElementsAre(8, 6, 2, 0));
  EXPECT_THAT(cropped({0.25F, 0.25F, 0.75F, 0.75F}, "bilinear", 1, 2), ElementsAre(3.5F, 4.5F));
  EXPECT_THAT(cropped({0, 0, 1, 1}, "nearest", 3, 1), ElementsAre(1, 4, 7));
  EXPECT_THAT(cropped({-1, 0, 1, 1}, "nearest", 2, 1), ElementsAre(-7, 7));
}
TEST(CropAndResize, refuses_images_that_are_not_there) {
  const TensorRef box = floats({1, 4}, {0, 0, 1, 1}), size = tensor<std::int32_t>({2}, {2, 2});
  EXPECT_EQ(refusal("CropAndResize", {kNine, box, tensor<std::int32_t>({1}, {1}), size}),
            "box_index has values outside [0, batch_size)");
  EXPECT_EQ(refusal("CropAndResize", {kNine, box, tensor<std::int32_t>({2}, {0, 0}), size}),
            "box_index has incompatible shape");
}
TEST(ScaleAndTranslate, gives_an_image_of_no_rows_no_gradient) {
  const TensorRef scale = floats({2}, {1, 1}), move = floats({2}, {0.5F, 0.5F});
  EXPECT_EQ(one("ScaleAndTranslateGrad", {floats({1, 1, 1, 1}, {1}), floats({1, 0, 0, 1}, {}), scale, move})->shape(),
            Shape({1, 0, 0, 1}));
}
TEST(DrawBoundingBoxes, draws_lines_of_one_pixel) {
  const TensorRef image = floats({1, 5, 5, 1}, Floats(25));
  EXPECT_THAT(values("DrawBoundingBoxes", {image, floats({1, 1, 4}, {0.2F, 0.2F, 0.7F, 0.9F})}),
              ElementsAre(1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(refusal("DrawBoundingBoxes", {floats({1, 1, 1, 2}, {0, 0}), floats({1, 1, 4}, {0, 0, 1, 1})}),
            "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
}
TEST(AdjustHue, turns_the_colours) {
  const TensorRef colours = floats({1, 2, 3}, {0.2F, 0.5F, 0.9F, 0.9F, 0.1F, 0.1F});
  const auto near = [](float x) { return FloatNear(x, 1e-5F); };
  EXPECT_THAT(values("AdjustHue", {colours, make_scalar(0.5F)}),
              ElementsAre(near(0.9F), near(0.6F), near(0.2F), near(0.1F), near(0.9F), near(0.9F)));
  EXPECT_THAT(values("AdjustHue", {colours, make_scalar(-0.3F)}),
              ElementsAre(near(0.36F), near(0.9F), near(0.2F), near(0.26F), near(0.1F), near(0.9F)));
}

}  // namespace
}  // namespace tarry
