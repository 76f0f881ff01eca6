// Ops that only move bytes: read and write, nothing computed.

#include <algorithm>

#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

Work moved(std::uint64_t bytes) { return {0, product({2, bytes})}; }

// The input that the table names.
Work copied(const WorkFacts& f, const WorkInputs& in) { return moved(in.bytes(f.at)); }
Work all_copied(const WorkFacts&, const WorkInputs& in) { return moved(in.all_bytes()); }
// A message's: one read on one side, one write on the other.
Work transferred(const WorkFacts&, const WorkInputs& in) { return {0, in.bytes(0)}; }

// As much is read as comes out.
Work cut_out(const WorkFacts& f, const WorkInputs& in) {
  return moved(product({recorded_or(f, in.elements(0)), f.out_size}));
}

// (input, begin, size): -1 is all that is left.
Work slice(const WorkFacts& f, const WorkInputs& in) {
  if (!in.has_integers(1) || !in.has_integers(2)) return cut_out(f, in);
  std::uint64_t n = 1;
  for (std::size_t k = 0; k < in.elements(2); ++k) {
    const std::int64_t size = in.integer(2, k, 0), all = static_cast<std::int64_t>(in.dim(0, static_cast<int>(k)));
    n = product({n, as_count(size < 0 ? all - in.integer(1, k, 0) : size)});
  }
  return moved(product({n, f.out_size}));
}

// (input, [[before, after], ...])
Work pad(const WorkFacts& f, const WorkInputs& in) {
  std::uint64_t n = in.has_integers(1) ? 1 : recorded_or(f, in.elements(0));
  for (std::size_t k = 0; in.has_integers(1) && 2 * k + 1 < in.elements(1); ++k)
    n = product({n, in.dim(0, static_cast<int>(k)) + as_count(in.integer(1, 2 * k, 0) + in.integer(1, 2 * k + 1, 0))});
  return {0, total({in.bytes(0), product({n, f.out_size})})};
}

// (input, multiples)
Work tile(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t n =
      in.has_integers(1) ? product({in.elements(0), in.integers_multiplied(1, 1)}) : recorded_or(f, in.elements(0));
  return {0, total({in.bytes(0), product({n, f.out_size})})};
}

// (input, shape)
Work broadcast_to(const WorkFacts& f, const WorkInputs& in) {
  return {0, total({in.bytes(0), product({in.integers_multiplied(1, recorded_or(f, in.elements(0))), f.out_size})})};
}

// (params, indices, axis): a row for each index.
Work gather(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t dim = in.dim(0, static_cast<int>(in.integer(2, 0, 0))), row = dim == 0 ? 0 : in.elements(0) / dim;
  return {0, total({in.bytes(1), product({2, in.elements(1), row, f.out_size})})};
}

constexpr WorkRow copy(std::string_view op, std::size_t input = 0) { return {op, Doing::counted, copied, 1, input}; }

constexpr WorkRow kMovementRows[] = {
    copy("Transpose"),
    copy("Reverse"),
    copy("ReverseV2"),
    copy("Split", 1),
    copy("SplitV"),
    copy("Unpack"),
    copy("RandomShuffle"),
    copy("MatrixBandPart"),
    copy("DynamicPartition"),
    copy("Assign", 1),
    copy("SpaceToDepth"),
    copy("DepthToSpace"),
    copy("InvertPermutation"),
    {"ConcatV2", Doing::counted, all_copied},
    {"Concat", Doing::counted, all_copied},
    {"Pack", Doing::counted, all_copied},
    {"DynamicStitch", Doing::counted, all_copied},
    {"ParallelDynamicStitch", Doing::counted, all_copied},
    {"_Send", Doing::counted, transferred},
    {"_Recv", Doing::counted, transferred},
    {"StridedSlice", Doing::counted, cut_out},
    {"Slice", Doing::counted, slice},
    {"Pad", Doing::counted, pad},
    {"PadV2", Doing::counted, pad},
    {"MirrorPad", Doing::counted, pad},
    {"Tile", Doing::counted, tile},
    {"BroadcastTo", Doing::counted, broadcast_to},
    {"Gather", Doing::counted, gather},
    {"GatherV2", Doing::counted, gather},
    {"ResourceGather", Doing::counted, gather},
};

}  // namespace

WorkFamily movement_work() { return kMovementRows; }

}  // namespace tarry
