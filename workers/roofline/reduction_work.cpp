// Ops that make less of more: reductions, segments, scatters into what is there.

#include <algorithm>

#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

// The output's elements: the dimensions that the axes (input 1) leave.
std::uint64_t left_by(const WorkFacts& f, const WorkInputs& in) {
  if (!in.has_integers(1)) return recorded_or(f, 0);
  std::uint64_t reduced = 1;
  for (std::size_t k = 0; k < in.elements(1); ++k)
    reduced = product({reduced, in.dim(0, static_cast<int>(in.integer(1, k, 0)))});
  return reduced == 0 ? 0 : in.elements(0) / reduced;
}

Work reduction(const WorkFacts& f, const WorkInputs& in) {
  return {in.elements(0), total({in.bytes(0), product({left_by(f, in), f.out_size})})};
}

// and a division for each that comes out
Work mean(const WorkFacts& f, const WorkInputs& in) {
  const Work sum = reduction(f, in);
  return {total({sum.flops, left_by(f, in)}), sum.bytes};
}

// (x, one axis)
Work running(const WorkFacts& f, const WorkInputs& in) {
  return {in.elements(0), total({in.bytes(0), product({in.elements(0), f.out_size})})};
}

// (data, ids, number): as many rows as are said, each of the data's.
Work segments(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t ids = in.elements(1), row = ids == 0 ? 0 : in.elements(0) / ids;
  return {in.elements(0), total({in.bytes_of(0, 2), product({as_count(in.integer(2, 0, 0)), row, f.out_size})})};
}

// (data, indices, sorted ids): gathers rows, adds them up by id.
Work sparse_segments(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t row = in.dim(0, 0) == 0 ? 0 : in.elements(0) / in.dim(0, 0),
                      read = product({in.elements(1), row});
  const std::uint64_t ids = in.elements(2),
                      rows = ids == 0 ? 0 : as_count(in.integer(2, ids - 1, static_cast<std::int64_t>(ids) - 1) + 1);
  return {read, total({in.bytes_of(1, 3), product({total({read, product({rows, row})}), f.out_size})})};
}

// (gradient, indices, ids, number): a row for each index.
Work sparse_segments_grad(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t row = in.dim(0, 0) == 0 ? 0 : in.elements(0) / in.dim(0, 0),
                      read = product({in.elements(1), row});
  const std::uint64_t rows = as_count(in.integer(3, 0, static_cast<std::int64_t>(in.elements(1))));
  return {read, total({in.bytes_of(1, 3), product({total({read, product({rows, row})}), f.out_size})})};
}

// The same with an output of the rows that are named, as if each were named once.
Work compact_segments_grad(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t row = in.dim(0, 0) == 0 ? 0 : in.elements(0) / in.dim(0, 0),
                      read = product({in.elements(1), row});
  return {read, total({in.bytes_of(1, 3), in.bytes_of(1, 2), product({2, read, f.out_size})})};
}

// (variable, indices, updates): the rows that are touched are read and written.
Work scatter(const WorkFacts& f, const WorkInputs& in) {
  return {product({f.each, in.elements(2)}), total({in.bytes(1), product({2 + f.each, in.bytes(2)})})};
}

constexpr WorkRow sum(std::string_view op) { return {op, Doing::counted, reduction}; }

constexpr WorkRow kReductionRows[] = {
    sum("Sum"),
    sum("Prod"),
    sum("Max"),
    sum("Min"),
    sum("All"),
    sum("Any"),
    sum("ArgMax"),
    sum("ArgMin"),
    {"Mean", Doing::counted, mean},
    {"Cumsum", Doing::counted, running},
    {"Cumprod", Doing::counted, running},
    {"UnsortedSegmentSum", Doing::counted, segments},
    {"SparseSegmentSum", Doing::counted, sparse_segments},
    {"SparseSegmentMean", Doing::counted, sparse_segments},
    {"SparseSegmentSqrtN", Doing::counted, sparse_segments},
    {"SparseSegmentSumGrad", Doing::counted, sparse_segments_grad},
    {"SparseSegmentMeanGrad", Doing::counted, sparse_segments_grad},
    {"SparseSegmentSqrtNGrad", Doing::counted, sparse_segments_grad},
    {"SparseSegmentSumGradV2", Doing::counted, compact_segments_grad},
    {"SparseSegmentMeanGradV2", Doing::counted, compact_segments_grad},
    {"SparseSegmentSqrtNGradV2", Doing::counted, compact_segments_grad},
    {"ScatterAdd", Doing::counted, scatter, 1},
    {"ScatterSub", Doing::counted, scatter, 1},
    {"ResourceScatterAdd", Doing::counted, scatter, 1},
    {"ResourceScatterSub", Doing::counted, scatter, 1},
    {"ScatterUpdate", Doing::counted, scatter, 0},
    {"ResourceScatterUpdate", Doing::counted, scatter, 0},
};

}  // namespace

WorkFamily reduction_work() { return kReductionRows; }

}  // namespace tarry
