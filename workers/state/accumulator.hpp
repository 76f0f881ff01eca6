// A conditional accumulator: it collects gradients, silently drops stale ones, and gives their mean
// (docs/rules/runtime.md#C.9, #F.4).
//
// A gradient counts if its local step is not behind the accumulator's step when it is applied; otherwise it is dropped,
// with status OK. Takes wait in order. The front one succeeds when enough gradients are in; it divides the sum by the
// number of gradients (which may be larger than required), resets the count and adds 1 to the accumulator's step. Dense
// gradients are summed. Of sparse ones the first is kept row by row as it came; a later one is merged into it as two
// ascending lists are merged, and each row has a count of its own (docs/rules/runtime.md#C.9.3).
//
// Of a gradient without data (it is large) only shapes and counts are kept. A sparse one's rows are merged as far as
// the indices have data, whether the values have or not.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "placer/core/planted_cluster.hpp"
#include "workers/tensor/cancellation.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

enum class Reduction { mean, sum };

struct SparseGradient {  // rows of a larger tensor
  TensorRef indices, values, shape;
  bool has_known_shape = false;
};

using TakeDone = absl::AnyInvocable<void(StatusOr<std::vector<TensorRef>>) &&>;

class Accumulator {
 public:
  Accumulator(std::string name, DataType dtype, Shape shape, Reduction reduction, bool sparse)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)), reduction_(reduction), sparse_(sparse) {}
  [[nodiscard]] DataType dtype() const { return dtype_; }

  // Fails: INVALID_ARGUMENT `Shape mismatch: expected S, got T` and the sparse texts of docs/rules/runtime.md#C.9; a
  // stale gradient is dropped before it is validated.
  [[nodiscard]] Status apply(std::int64_t local_step, const TensorRef& gradient);
  [[nodiscard]] Status apply_sparse(std::int64_t local_step, const SparseGradient& gradient);
  void take(std::int64_t required, CancellationManager& step, TakeDone&& done);
  void set_step(std::int64_t step) { step_ = step; }  // may go back; sum and count are kept

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t waiting_takes() const { return takes_.size(); }
  [[nodiscard]] std::int64_t first_requires() const { return takes_.empty() ? 0 : takes_.front().required; }

  std::function<void(std::int64_t local_step, std::int64_t step, bool accepted, std::uint64_t tag)> on_pushed;
  std::function<void(std::int64_t averaged, std::int64_t new_step, std::uint64_t tag)> on_taken;
  std::uint64_t tag = 0;  // of the next call: the id of its step
  PlantedClusterBug planted = PlantedClusterBug::none;
  class Auditor* auditor = nullptr;  // null = nobody audits (workers/auditor.hpp)

 private:
  struct Take {
    std::int64_t required = 0;
    TakeDone done;
    CancellationManager::Registration registration;
    std::uint64_t tag = 0, id = 0;
  };

  // Whether a gradient with this token is dropped (docs/rules/runtime.md#F.4).
  [[nodiscard]] bool is_stale(std::int64_t local_step) const;
  bool admit(std::int64_t local_step);
  void add_dense(const TensorRef& gradient);
  void add_rows(const SparseGradient& g);
  void merge_rows(const SparseGradient& g);
  [[nodiscard]] Shape rows_shape(std::int64_t rows) const;
  [[nodiscard]] Status check_sparse(const SparseGradient& g) const;
  [[nodiscard]] Status check_declared(const SparseGradient& g) const;
  [[nodiscard]] std::vector<TensorRef> release();
  [[nodiscard]] std::vector<TensorRef> release_rows();
  void cancel(std::uint64_t id);
  [[nodiscard]] bool is_enough(const Take& take) const;
  void serve(Take& take);
  void flush();

  std::string name_;
  DataType dtype_;
  Shape shape_;
  Reduction reduction_;
  bool sparse_;
  std::int64_t count_ = 0, step_ = 0;
  MutableTensor sum_;     // dense; null or without data when some gradient had no data
  TensorRef shape_only_;  // dense, when data is missing
  struct Rows {           // equally many of each
    Dims indices;
    std::vector<std::int64_t> counts;  // of the gradients that are in a row's sum
    MutableTensor sums;                // null = there are none, or a gradient's values have no data
  };
  Rows rows_;                           // sparse
  std::int64_t rows_without_data_ = 0;  // sparse, when a gradient's indices have no data
  Dims row_dims_;                       // sparse: dims of one row, fixed by the first gradient of an aggregate
  std::deque<Take> takes_;
  std::uint64_t last_id_ = 0;
  bool flushing_ = false, has_cancelled_ = false;
};

}  // namespace tarry
