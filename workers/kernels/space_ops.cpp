// Blocks of an image's elements that become batch entries or channels, and back.
//
// What they refuse, and in which order, was recorded of 2.15.1 on CPU.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/rearrange.hpp"

namespace tarry {
namespace {

// ---- between space and batch ----

// Sizes of a block, and paddings or crops: two for each of its dimensions, which are the input's from the second on.
struct Blocks {
  Dims sizes, edges;
  [[nodiscard]] std::int64_t count() const {
    std::int64_t n = 1;
    for (const std::int64_t s : sizes) n *= s;
    return n;
  }
};

// From the inputs (SpaceToBatchND: input, sizes, edges), or with the attribute `block_size` (SpaceToBatch: input,
// edges).
using BlocksOf = std::function<Blocks(const KernelContext&)>;

BlocksOf blocks_by(const KernelSetup& s) {
  const auto* size = s.attrs.get<std::int64_t>("block_size");
  if (size == nullptr) return [](const KernelContext& c) { return Blocks{integers_of(c.in(1)), integers_of(c.in(2))}; };
  return [size = *size](const KernelContext& c) { return Blocks{{size, size}, integers_of(c.in(1))}; };
}

Status check_rank(const KernelContext& c) {
  const std::int64_t rank = c.shape(0).rank();
  if (c.inputs.size() == 2 && rank != 4) return invalid("Input rank should be: 4instead of: {}", rank);
  if (c.inputs.size() == 2) return {};
  if (c.shape(1).rank() != 1) return invalid("block_shape must be rank 1 but is rank {}", c.shape(1).rank());
  if (rank > c.shape(1).dims[0]) return {};
  return invalid("input rank should be >= {} instead of {}", c.shape(1).dims[0] + 1, rank);
}

Status check_blocks(const Blocks& b, std::string_view edges) {
  if (b.count() <= 0) return invalid("Product of block sizes must be positive, got {}", b.count());
  if (std::ranges::any_of(b.edges, [](std::int64_t e) { return e < 0; }))
    return invalid("{} must be non-negative", edges);
  return {};
}

Status space_to_batch_shape(const Blocks& b, const Shape& in, Shape& to) {
  for (std::size_t i = 0; i < b.sizes.size(); ++i)
    if (b.sizes[i] < 1)
      return invalid("All values in block_shape must be positive, got value, {} at index {}.", b.sizes[i], i);
  TARRY_RETURN_IF_ERROR(check_blocks(b, "Paddings"));
  to = in;
  to.dims[0] *= b.count();
  for (std::size_t i = 0; i < b.sizes.size(); ++i) {
    const std::int64_t padded = in.dims[i + 1] + b.edges[2 * i] + b.edges[2 * i + 1];
    if (padded % b.sizes[i] != 0)
      return invalid("padded_shape[{}]={} is not divisible by block_shape[{}]={}", i, padded, i, b.sizes[i]);
    to.dims[i + 1] = padded / b.sizes[i];
  }
  return {};
}

Status batch_to_space_shape(const Blocks& b, const Shape& in, Shape& to) {
  TARRY_RETURN_IF_ERROR(check_blocks(b, "Crops"));
  if (in.dims[0] % b.count() != 0)
    return invalid("Input batch dimension ({}) is not divisible by product of block sizes ({})", in.dims[0], b.count());
  to = in;
  to.dims[0] /= b.count();
  for (std::size_t i = 0; i < b.sizes.size(); ++i) {
    to.dims[i + 1] = in.dims[i + 1] * b.sizes[i] - b.edges[2 * i] - b.edges[2 * i + 1];
    if (to.dims[i + 1] < 0) return invalid("cropped_shape[{}]={} must be non-negative", i, to.dims[i + 1]);
  }
  return {};
}

// Where the element of the batch at `at` was in space; whether it was there, and not in the padding.
bool to_space(const Blocks& b, const Shape& space, Dims& at) {
  std::int64_t block = at[0] / space.dims[0];
  at[0] %= space.dims[0];
  for (std::size_t i = b.sizes.size(); i-- > 0;) {
    at[i + 1] = at[i + 1] * b.sizes[i] + block % b.sizes[i] - b.edges[2 * i];
    block /= b.sizes[i];
    if (at[i + 1] < 0 || at[i + 1] >= space.dims[i + 1]) return false;
  }
  return true;
}

// And the other way round, for a batch that has `batch` entries for each place in a block.
void to_batch(const Blocks& b, std::int64_t batch, Dims& at) {
  std::int64_t block = 0;
  for (std::size_t i = 0; i < b.sizes.size(); ++i) {
    const std::int64_t uncropped = at[i + 1] + b.edges[2 * i];
    block = block * b.sizes[i] + uncropped % b.sizes[i];
    at[i + 1] = uncropped / b.sizes[i];
  }
  at[0] += block * batch;
}

// Two edges for each dimension of the block, in the last input.
Status check_edges(const KernelContext& c, const Blocks& b, std::string_view edges) {
  const std::size_t last = c.inputs.size() - 1;
  if (c.shape(last) == Shape({std::ssize(b.sizes), 2})) return {};
  return invalid("{} should have shape [{}, 2] instead of {}", edges, b.sizes.size(), to_string(c.shape(last)));
}

template <bool into_batch>
Behaviour make_space_and_batch(const KernelSetup& s) {
  return {[blocks = blocks_by(s)](KernelContext& c) {
            const Blocks b = blocks(c);
            const std::int64_t batch = out(c).shape().dims[0];
            rearrange(c, c.in(0), [&](Dims& at) {
              if constexpr (into_batch) return to_space(b, c.shape(0), at);
              to_batch(b, batch, at);
              return true;
            });
            return Status();
          },
          [blocks = blocks_by(s)](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(check_rank(c));
            for (std::size_t i = 1; i < c.inputs.size(); ++i)
              if (!known(c, i)) return shape_not_known();
            const Blocks b = blocks(c);
            TARRY_RETURN_IF_ERROR(check_edges(c, b, into_batch ? "paddings" : "crops"));
            return into_batch ? space_to_batch_shape(b, c.shape(0), out[0])
                              : batch_to_space_shape(b, c.shape(0), out[0]);
          }};
}

// ---- between space and depth ----

struct Depth {
  std::int64_t block = 1;
  std::size_t channels = 3, first = 1;  // which dimension is the channels, and which the first of the two of space
};

Depth depth_of(const KernelSetup& s) {
  Depth d{.block = attr_or(s.attrs, "block_size", std::int64_t{1})};
  if (attr_or(s.attrs, "data_format", std::string("NHWC")) != "NHWC") d.channels = 1, d.first = 2;
  return d;
}

Status space_to_depth_shape(const Depth& d, const KernelContext& c, std::span<Shape> out) {
  const Shape& in = c.shape(0);
  if (in.rank() != 4) return invalid("Input rank should be 4 instead of {}", in.rank());
  const std::int64_t height = in.dims[d.first], width = in.dims[d.first + 1];
  if (height % d.block != 0 || width % d.block != 0)
    return invalid("Image width {} and height {} should be divisible by block_size: {}", width, height, d.block);
  out[0] = in;
  out[0].dims[d.channels] *= d.block * d.block;
  out[0].dims[d.first] /= d.block;
  out[0].dims[d.first + 1] /= d.block;
  return {};
}

Status depth_to_space_shape(const Depth& d, const KernelContext& c, std::span<Shape> out) {
  const Shape& in = c.shape(0);
  if (in.rank() != 4) return invalid("Input rank should be: 4 instead of: {}", in.rank());
  const std::int64_t channels = in.dims[d.channels], places = d.block * d.block;
  if (channels % places != 0) return invalid("Input depth dimension {} should be divisible by: {}", channels, places);
  out[0] = in;
  out[0].dims[d.channels] /= places;
  out[0].dims[d.first] *= d.block;
  out[0].dims[d.first + 1] *= d.block;
  return {};
}

// Where the element of the deep image at `at` is in the wide one, which has so many channels.
void to_wide(const Depth& d, std::int64_t channels, Dims& at) {
  const std::int64_t place = at[d.channels] / channels;
  at[d.channels] %= channels;
  at[d.first] = at[d.first] * d.block + place / d.block;
  at[d.first + 1] = at[d.first + 1] * d.block + place % d.block;
}
void to_deep(const Depth& d, std::int64_t channels, Dims& at) {
  at[d.channels] += (at[d.first] % d.block * d.block + at[d.first + 1] % d.block) * channels;
  at[d.first] /= d.block;
  at[d.first + 1] /= d.block;
}

template <bool into_depth>
Behaviour make_space_and_depth(const KernelSetup& s) {
  return {[d = depth_of(s)](KernelContext& c) {
            const Shape& wide = into_depth ? c.shape(0) : out(c).shape();
            rearrange(c, c.in(0), [&](Dims& at) {
              into_depth ? to_wide(d, wide.dims[d.channels], at) : to_deep(d, wide.dims[d.channels], at);
              return true;
            });
            return Status();
          },
          [d = depth_of(s)](const KernelContext& c, std::span<Shape> out) {
            return into_depth ? space_to_depth_shape(d, c, out) : depth_to_space_shape(d, c, out);
          }};
}

constexpr KernelRow kSpaceRows[] = {
    {"BatchToSpace", make_space_and_batch<false>}, {"BatchToSpaceND", make_space_and_batch<false>},
    {"SpaceToBatch", make_space_and_batch<true>},  {"SpaceToBatchND", make_space_and_batch<true>},
    {"DepthToSpace", make_space_and_depth<false>}, {"SpaceToDepth", make_space_and_depth<true>},
};

}  // namespace

KernelFamily space_ops() { return kSpaceRows; }

}  // namespace tarry
