// What an op does, counted from its inputs' shapes: floating-point operations and bytes of memory, for rooflines.
//
// The rules, the same for every op:
// * an operation is one addition, multiplication, comparison or elementary function; a multiply-add is two;
// * bytes are the least that must move: every input read once, every output written once, what is updated in place read
// and written;
// * ops that only hand on, look at a shape or keep a handle do nothing at all (Doing::nothing): a device never sees
// them. What an op takes from shapes and attributes is found when its graph is registered; counting then allocates
// nothing and looks nothing up. An op without a formula is Doing::unknown: it is priced by the scenario, by
// measurements or by the named default, and counted there.
//
// Source: counts by hand (work_test.cpp has one test per op). TensorFlow's own profiler counts a multiply-add as two as
// well.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "workers/kernels/kernel.hpp"

namespace tarry {

// What formulas read of a node's attributes and of its op's table row.
struct WorkFacts {
  std::uint64_t each = 1;      // operations per element, from the table's row
  std::size_t at = 0;          // the input that the table's row names
  std::uint64_t out_size = 0;  // bytes per element of output 0
  std::size_t outputs = 0;
  std::vector<Shape> recorded;  // `_output_shapes`
  bool transpose_a = false, transpose_b = false, is_training = true, channels_first = false, same_padding = false,
       nesterov = false;
  std::array<std::int64_t, 2> stride{1, 1}, dilation{1, 1}, window{1, 1};  // height, width; each at least 1
  std::array<std::int64_t, 2> padding{0, 0};                               // explicit padding, both ends added up
};

class WorkInputs;
using WorkFormula = Work (*)(const WorkFacts&, const WorkInputs&);

struct WorkRow {
  std::string_view op;
  Doing doing = Doing::nothing;
  WorkFormula formula = nullptr;
  std::uint64_t each = 1;
  std::size_t at = 0;
};
using WorkFamily = std::span<const WorkRow>;

// One node's formula. A plain value.
class NodeWork {
 public:
  NodeWork(const WorkRow& row, const KernelSetup& setup);
  [[nodiscard]] Work operator()(std::span<const Value> inputs) const;

 private:
  WorkFormula formula_;
  WorkFacts facts_;
};

// The row of an op, or null when it has no formula.
[[nodiscard]] const WorkRow* find_work(std::string_view op);
[[nodiscard]] inline Doing doing_of(const WorkRow* row) { return row == nullptr ? Doing::unknown : row->doing; }

// The rows, one file per family.
WorkFamily elementwise_work();
WorkFamily matrix_work();
WorkFamily movement_work();
WorkFamily neural_work();
WorkFamily optimizer_work();
WorkFamily reduction_work();
WorkFamily no_work();

}  // namespace tarry
