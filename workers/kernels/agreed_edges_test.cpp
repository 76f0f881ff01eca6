// Odd ranks, empty tensors and numbers out of range. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

TEST(ScatterNd, wants_a_row_of_updates_for_each_number_of_a_vector_of_indices) {
  const auto said = [](const Ints& rows, const Dims& updates, const Ints& shape) {
    return refusal("ScatterNd", {ints(rows), make_tensor(DataType::kFloat, Shape(updates)), ints(shape)});
  };
  EXPECT_EQ(said({0}, {3}, {4, 3}),
            "Dimensions [0,1) of indices[shape=[1]] = 1 must match dimensions [0,1) of updates[shape=[3]] = 3");
  EXPECT_EQ(said({1}, {1}, {4, 1}),
            "Dimensions [1,2) of input[shape=[4,1]] must match dimensions [1,1) of updates[shape=[1]]");
}
TEST(ScatterNd, reaches_seven_dimensions_deep) {
  const auto said = [](std::int64_t depth) {
    const Dims all(static_cast<std::size_t>(depth), 1);
    return refusal("ScatterNd", {tensor<std::int64_t>({1, depth}, std::vector<std::int64_t>(all.size(), 0)),
                                 floats({1}, {5}), ints(all)});
  };
  EXPECT_EQ(said(7), "ok");
  EXPECT_EQ(said(8), "Only indices.shape[-1] values between 1 and 5 are currently supported.  Requested rank: 8");
}

// Of an op with windows; `sizes` are its ksize, if any.
Asked windows(DataType type, std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides,
              const char* padding = "SAME") {
  Attrs attrs{{"T", type}, {"padding", padding}, {"strides", AttrList{.i = std::move(strides)}}};
  if (!sizes.empty()) attrs.set("ksize", AttrList{.i = std::move(sizes)});
  return {.attrs = std::move(attrs), .outputs = {type}};
}
TensorRef zeros(DataType type, const Dims& dims) { return make_tensor(type, Shape(dims)); }
std::string convolved(std::string_view op, DataType type, const Dims& image, const Dims& filter) {
  const auto rank = op == "Conv3D" ? 5U : 4U;
  const auto r = compute(op, {zeros(type, image), zeros(type, filter)},
                         windows(type, {}, std::vector<std::int64_t>(rank, 1), "VALID"));
  return r.ok() ? to_string((*r)[0]->shape()) : std::string(text_of(r.status()));
}

constexpr DataType kFloat = DataType::kFloat, kDouble = DataType::kDouble;

TEST(Convolution, that_is_empty_has_its_inputs_shape_where_onednn_computes_it) {
  EXPECT_EQ(convolved("Conv2D", kFloat, {0, 5, 5, 2}, {3, 3, 2, 4}), "[0,5,5,2]");
  EXPECT_EQ(convolved("Conv2D", kDouble, {0, 5, 5, 2}, {3, 3, 2, 4}), "[0,3,3,4]");
  EXPECT_EQ(convolved("Conv3D", kFloat, {1, 1, 3, 3, 1}, {2, 2, 2, 1, 2}), "[1,1,3,3,1]");
  EXPECT_FALSE(one("Conv2D", {zeros(kFloat, {1, 2, 2, 1}), zeros(kFloat, {3, 3, 1, 1})},
                   windows(kFloat, {}, {1, 1, 1, 1}, "VALID"))
                   ->has_data())
      << "nothing is written there";
}
TEST(Convolution, has_a_group_at_least) {
  EXPECT_EQ(convolved("Conv2D", kFloat, {1, 5, 5, 0}, {3, 3, 2, 4}),
            "grouped convolution must have at least one group: 0 groups");
  EXPECT_EQ(convolved("Conv2D", kDouble, {1, 5, 5, 0}, {3, 3, 2, 4}), "[1,3,3,4]");
}
TEST(Convolution, by_onednn_takes_images_of_other_ranks) {
  const TensorRef line = floats({1, 1, 1, 3, 1}, {1, 2, 3}), pair = floats({1, 2, 1, 1}, {1, 10});
  EXPECT_THAT(values("Conv2D", {line, pair}, windows(kFloat, {}, {1, 1, 1, 1}, "VALID")), ElementsAre(21, 32));
  EXPECT_EQ(convolved("Conv2D", kFloat, {2, 3, 4, 5, 2}, {1, 1, 2, 1}), "[2,4,5,1]");
  EXPECT_EQ(convolved("Conv2D", kFloat, {2, 3, 4, 2, 1, 1}, {1, 1, 2, 1}), "[2,3,4,1]");
  EXPECT_EQ(convolved("Conv2D", kDouble, {2, 3, 4, 5, 2}, {1, 1, 2, 1}),
            "convolution input must be 4-dimensional: [2,3,4,5,2]");
  EXPECT_FALSE(one("Conv3D", {zeros(kFloat, {1, 2, 2, 2}), zeros(kFloat, {1, 1, 1, 2, 1})},
                   windows(kFloat, {}, {1, 1, 1, 1, 1}, "VALID"))
                   ->has_data())
      << "the image has 16 numbers, the input 8";
}
TEST(Convolution, by_tensorflow_looks_at_the_depths_of_volumes_last) {
  EXPECT_EQ(convolved("Conv3D", kDouble, {1, 3, 3, 3}, {2, 2, 2, 2}), "input must be 5-dimensional");
  EXPECT_EQ(convolved("Conv3D", kDouble, {1, 3, 3, 3, 3}, {2, 2, 2, 2, 1}),
            "Input depth must be evenly divisible by filter depth: 3 vs 2");
  EXPECT_EQ(convolved("Conv3D", kDouble, {1, 3, 3, 3, 4}, {2, 2, 2, 2, 1}),
            "Number of channels in filter (2) must match last dimension of input (4)");
  EXPECT_EQ(convolved("Conv3D", kDouble, {0, 3, 3, 3, 4}, {2, 2, 2, 2, 1}), "[0,2,2,2,1]");
}
TEST(Convolution, by_tensorflow_may_have_no_outputs) {
  EXPECT_EQ(convolved("Conv2D", kDouble, {1, 3, 3, 2}, {2, 2, 2, 0}), "[1,2,2,0]");
  EXPECT_EQ(convolved("Conv2D", kDouble, {1, 3, 3, 2}, {2, 2, 0, 1}), "filter depth must be stricly positive, got 0");
  EXPECT_EQ(convolved("DepthwiseConv2dNative", kDouble, {1, 3, 3, 2}, {2, 2, 2, 0}), "[1,2,2,0]");
  EXPECT_EQ(convolved("DepthwiseConv2dNative", kDouble, {1, 3, 3}, {2, 2}), "input must be 4-dimensional[1,3,3]");
}
TEST(Convolution, of_depths_by_onednn_ends_in_the_library_where_depths_divide) {
  EXPECT_EQ(convolved("DepthwiseConv2dNative", kFloat, {1, 3, 3, 3}, {2, 2, 2, 1}),
            "input depth must be evenly divisible by filter depth: 3 vs 2");
  EXPECT_EQ(convolved("DepthwiseConv2dNative", kFloat, {1, 3, 3, 6}, {2, 2, 2, 4}),
            "output depth must be evenly divisible by number of groups: 8 vs 3");
  EXPECT_THAT(convolved("DepthwiseConv2dNative", kFloat, {1, 3, 3, 4}, {2, 2, 2, 3}),
              HasSubstr("could not create a primitive descriptor"));
}
TEST(Convolution, of_volumes_moves_in_space_only) {
  const auto said = [](DataType type, std::vector<std::int64_t> strides, std::vector<std::int64_t> dilations) {
    Asked asked = windows(type, {}, std::move(strides), "VALID");
    asked.attrs.set("dilations", AttrList{.i = std::move(dilations)});
    const auto r = compute("Conv3D", {zeros(type, {1, 3, 3, 3, 1}), zeros(type, {2, 2, 2, 1, 2})}, asked);
    return r.ok() ? std::string("ok") : r.status().ToString();
  };
  EXPECT_THAT(said(kFloat, {1, 1, 1, 1, 2}, {1, 1, 1, 1, 1}), HasSubstr("UNIMPLEMENTED"));
  EXPECT_THAT(said(kDouble, {1, 1, 1, 1, 2}, {1, 1, 1, 1, 1}), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(said(kFloat, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 2}), HasSubstr("support dilations rates in the batch"));
  EXPECT_THAT(said(kDouble, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 2}), HasSubstr("support dilation rates in the batch"));
  EXPECT_EQ(said(kFloat, {1, 1, 1, 1, 1}, {1, 2, 1, 1, 1}), "ok");
  EXPECT_THAT(said(kDouble, {1, 1, 1, 1, 1}, {1, 2, 1, 1, 1}), HasSubstr("only supports dilated rates of 1."));
}

std::string pooled(std::string_view op, DataType type, const Dims& image, std::vector<std::int64_t> size,
                   std::vector<std::int64_t> strides) {
  const auto r = compute(op, {zeros(type, image)}, windows(type, std::move(size), std::move(strides), "VALID"));
  return r.ok() ? to_string((*r)[0]->shape()) : std::string(text_of(r.status()));
}
TEST(Pools, over_channels_take_whole_groups_of_them) {
  EXPECT_THAT(values("MaxPool", {floats({1, 1, 1, 4}, {1, 2, 4, 3})}, windows(kFloat, {1, 1, 1, 2}, {1, 1, 1, 2})),
              ElementsAre(2, 4));
  EXPECT_THAT(pooled("MaxPool", kFloat, {1, 1, 1, 3}, {1, 1, 1, 2}, {1, 1, 1, 2}), HasSubstr("evenly divide"));
  EXPECT_THAT(pooled("MaxPool", kFloat, {1, 1, 1, 4}, {1, 1, 1, 2}, {1, 1, 1, 1}), HasSubstr("equal the depth stride"));
  EXPECT_THAT(pooled("MaxPool", kFloat, {1, 2, 2, 4}, {1, 2, 2, 2}, {1, 1, 1, 2}), HasSubstr("exactly one of"));
  EXPECT_EQ(pooled("MaxPool", kFloat, {1, 4, 4, 2}, {1, 2, 2, 1}, {1, 2, 2, 2}), "[1,2,2,2]") << "a stride alone";
}
TEST(Pools, of_means_know_no_channels) {
  EXPECT_EQ(pooled("AvgPool", kDouble, {1, 4, 4, 2}, {1, 1, 1, 2}, {1, 1, 1, 2}),
            "Non-spatial pooling is not yet supported. Volunteers? :)");
  EXPECT_EQ(pooled("AvgPool", kFloat, {1, 4, 4, 2}, {1, 1, 1, 2}, {1, 1, 1, 2}), "[1,0,0,1]");
}
TEST(Pools, refuse_batches_and_sizes_of_zero_when_they_are_made) {
  const char* const batches = "Pooling is not yet supported on the batch dimension.";
  for (const char* const op : {"AvgPool", "MaxPool"})
    EXPECT_EQ(pooled(op, kDouble, {2, 4, 4, 1}, {2, 2, 2, 1}, {1, 2, 2, 1}), batches) << op;
  EXPECT_EQ(pooled("AvgPool", kFloat, {1, 4, 4, 1}, {2, 0, 2, 1}, {1, 2, 2, 1}),
            "Sliding window ksize for dimension 1 was zero.");
  EXPECT_EQ(pooled("AvgPool", kDouble, {1, 4, 4, 1}, {2, 0, 2, 1}, {1, 2, 2, 1}), batches);
  EXPECT_EQ(pooled("AvgPool", kDouble, {1, 4, 4, 1}, {1, 0, 2, 1}, {1, 2, 2, 1}),
            "ksize must be a postive int32 value, got:0");
  EXPECT_EQ(pooled("MaxPool3D", kFloat, {1, 4, 4, 4, 1}, {1, 2, 2, 2, 0}, {1, 1, 1, 1, 1}),
            "Sliding window ksize field must have non-negative dimensions");
  EXPECT_EQ(pooled("MaxPool3D", kFloat, {1, 4, 4, 4, 1}, {1, 0, 2, 2, 1}, {1, 1, 1, 1, 1}),
            "Sliding window ksize for dimension 1 was zero.");
  EXPECT_EQ(pooled("MaxPool3D", kFloat, {1, 4, 4, 4, 2}, {1, 2, 2, 2, 1}, {1, 1, 1, 1, 2}),
            "Pooling is not yet supported on the depth dimension.");
  EXPECT_EQ(pooled("MaxPoolGrad", kFloat, {1, 4, 4, 2}, {1, 2, 2, 2}, {1, 2, 2, 1}),
            "MaxPoolingGrad is not yet supported on the depth dimension.");
}
TEST(Pools, of_the_largest_that_are_empty_end_in_onednn) {
  EXPECT_THAT(pooled("MaxPool", kFloat, {1, 1, 5, 5}, {1, 2, 2, 1}, {1, 2, 1, 1}), HasSubstr("could not create"));
  EXPECT_EQ(pooled("MaxPool", kFloat, {1, 1, 5, 5}, {1, 2, 2, 1}, {1, 1, 1, 1}), "[1,0,4,5]") << "a short stride";
  EXPECT_EQ(pooled("MaxPool", kDouble, {1, 1, 5, 5}, {1, 2, 2, 1}, {1, 2, 1, 1}), "[1,0,4,5]");
  EXPECT_EQ(pooled("MaxPool", kFloat, {0, 4, 4, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}), "[0,2,2,1]");
}
TEST(GradientsOfMeans, look_at_the_listed_sizes) {
  const auto said = [](const Ints& sizes, std::vector<std::int64_t> ksize) {
    return refusal("AvgPoolGrad", {ints(sizes), zeros(kDouble, {1, 2, 2, 1})},
                   windows(kDouble, std::move(ksize), {1, 2, 2, 1}, "VALID"));
  };
  EXPECT_EQ(said({1, 4, 4, 1}, {1, 2, 2, 1}), "ok");
  EXPECT_EQ(said({1, 4, 4}, {1, 2, 2, 1}), "out_backprop must be 1-dimensional and 4 elements");
  EXPECT_EQ(said({1, -4, 4, 1}, {1, 2, 2, 1}), "Expected a non-negative size, got -4");
  EXPECT_THAT(said({1, 4, 4, 1}, {1, 2, 2, 2}), HasSubstr("Volunteers?"));
}

TEST(Patches, are_of_space_alone) {
  const auto said = [](const char* changed, std::vector<std::int64_t> to) {
    Attrs attrs{{"padding", "SAME"}};
    for (const char* const name : {"ksizes", "strides", "rates"}) attrs.set(name, AttrList{.i = {1, 1, 1, 1}});
    attrs.set(changed, AttrList{.i = std::move(to)});
    return refusal("ExtractImagePatches", {zeros(kFloat, {1, 5, 5, 1})}, {.attrs = attrs});
  };
  EXPECT_EQ(said("rates", {1, 1, 1, 2}), "Only support rates across space.");
  EXPECT_EQ(said("ksizes", {1, 0, 1, 1}), "ksizes is out of range.");
  EXPECT_EQ(said("strides", {1, 2, 2, 1}), "ok");
}
TEST(Dilation, moves_in_space_alone_and_may_have_a_rate_of_zero) {
  const auto said = [](std::vector<std::int64_t> strides, std::vector<std::int64_t> rates) {
    return refusal("Dilation2D", {zeros(kFloat, {1, 4, 4, 1}), zeros(kFloat, {2, 2, 1})},
                   {.attrs = {{"padding", "SAME"},
                              {"strides", AttrList{.i = std::move(strides)}},
                              {"rates", AttrList{.i = std::move(rates)}}}});
  };
  EXPECT_EQ(said({1, 1, 1, 2}, {1, 1, 1, 1}), "Stride is only supported across spatial dimensions.");
  EXPECT_EQ(said({1, 1, 1, 1}, {2, 1, 1, 1}), "Rate is only supported across spatial dimensions.");
  EXPECT_EQ(said({1, 1, 1, 1}, {1, 0, 1, 1}), "ok");
}
TEST(Resizing, has_corners_or_centres) {
  const Attrs both{{"align_corners", true}, {"half_pixel_centers", true}};
  const TensorRef image = zeros(kFloat, {1, 3, 4, 1});
  for (const char* const op : {"ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"})
    EXPECT_EQ(refusal(op, {image, ints({2, 2})}, {.attrs = both}),
              "If half_pixel_centers is True, align_corners must be False.")
        << op;
  EXPECT_EQ(refusal("ResizeNearestNeighborGrad", {image, ints({2, 2})}, {.attrs = both}), "ok");
}

TEST(GradientOfNormalisation, wants_a_number_for_each_channel) {
  const auto with = [](DataType type, const Dims& scale, const Dims& mean, const Dims& variance) {
    return compute("FusedBatchNormGradV2",
                   {zeros(type, {1, 2, 2, 3}), zeros(type, {1, 2, 2, 3}), zeros(kFloat, scale), zeros(kFloat, mean),
                    zeros(kFloat, variance)},
                   {.attrs = {{"T", type}}, .outputs = {type, kFloat, kFloat, kFloat, kFloat}});
  };
  EXPECT_EQ(text_of(with(kFloat, {2}, {2}, {3}).status()),
            "scale must have the same number of elements as the channels of x, got 2 and 3");
  EXPECT_EQ(text_of(with(kFloat, {3}, {2}, {2}).status()),
            "reserve_space_1 must have the same number of elements as the channels of x, got 2 and 3");
  EXPECT_EQ(text_of(with(kFloat, {3}, {3}, {2}).status()),
            "reserve_space_2 must have the same number of elements as the channels of x, got 2 and 3");
  EXPECT_EQ((*with(kFloat, {3}, {3}, {3}))[3]->shape(), Shape());
  EXPECT_EQ((*with(DataType::kHalf, {3}, {3}, {3}))[3]->shape(), Shape({0}));
}

TEST(CTCLoss, of_labels_that_are_not_allowed_alone_adds_a_path) {
  const auto loss = [](std::int64_t times, const std::vector<std::int32_t>& labels) {
    Ints places;
    for (std::int64_t i = 0; i < std::ssize(labels); ++i) places.insert(places.end(), {0, i});
    const TensorRef scores = zeros(kFloat, {times, 1, 2});  // a half for each class
    return values("CTCLoss",
                  {scores, tensor<std::int64_t>({std::ssize(labels), 2}, {places.begin(), places.end()}),
                   tensor<std::int32_t>({std::ssize(labels)}, labels),
                   tensor<std::int32_t>({1}, {static_cast<std::int32_t>(times)})},
                  {.outputs = {kFloat, kFloat}})[0];
  };
  EXPECT_NEAR(loss(2, {1}), -std::log(0.5 * (1 + 0.5)), 1e-6);
  EXPECT_NEAR(loss(3, {9, 1}), -std::log(0.25 * (1 + 0.5)), 1e-6);
  EXPECT_NEAR(loss(2, {0}), -std::log(0.75), 1e-6) << "one allowed label";
}
TEST(StridedSlice, counts_a_zero_stride_by_the_dimensions_of_its_input) {
  const auto said = [](const Ints& strides, const char* mask) {
    const Ints begin(strides.size(), 0), end(strides.size(), 1);
    return refusal("StridedSlice", {zeros(kFloat, {2, 3, 4}), ints(begin), ints(end), ints(strides)},
                   {.attrs = {{mask, std::int64_t{1}}}});
  };
  EXPECT_EQ(said({1, 0}, "new_axis_mask"), "strides[0] must be non-zero");
  EXPECT_EQ(said({1, 0}, "ellipsis_mask"), "strides[2] must be non-zero");
  EXPECT_EQ(said({1, 0}, "shrink_axis_mask"), "strides[1] must be non-zero");
}

}  // namespace
}  // namespace tarry
