#include "workers/state/accumulator.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "workers/auditor.hpp"
#include "workers/tensor/half.hpp"

namespace tarry {
namespace {

template <class T>
void add_into(TensorBody& sum, const TensorBody& gradient) {
  const auto from = gradient.as<T>();
  const auto to = sum.mutable_as<T>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(to[i] + from[i]);
}

template <class T>
void divide(TensorBody& sum, std::int64_t by) {
  for (T& v : sum.mutable_as<T>()) v = static_cast<T>(v / static_cast<T>(by));
}

bool is_real(DataType t) { return t == DataType::kFloat || t == DataType::kDouble || t == DataType::kHalf; }

// REQUIRES: is_real.
template <class F>
void with_real(DataType t, F&& f) {
  if (t == DataType::kFloat) return f.template operator()<float>();
  if (t == DataType::kHalf) return f.template operator()<Eigen::half>();
  f.template operator()<double>();
}

bool fits(const Shape& wanted, const Shape& given) {
  if (wanted.unknown_rank) return true;
  if (wanted.dims.size() != given.dims.size()) return false;
  for (std::size_t i = 0; i < wanted.dims.size(); ++i)
    if (wanted.dims[i] >= 0 && wanted.dims[i] != given.dims[i]) return false;
  return true;
}

// Where a row of a merged aggregate comes from: of the sum so far, of a gradient, or of both.
constexpr std::int64_t kNoRow = -1;
struct MergedRow {
  std::int64_t of_sum = kNoRow, of_gradient = kNoRow;
};

// As two ascending lists are merged, whether they ascend or not.
std::vector<MergedRow> merged(const Dims& sum, const Dims& gradient) {
  std::vector<MergedRow> rows;
  std::size_t i = 0, j = 0;
  while (i < sum.size() || j < gradient.size()) {
    const bool takes_sum = j == gradient.size() || (i < sum.size() && sum[i] <= gradient[j]);
    const bool takes_gradient = i == sum.size() || (j < gradient.size() && gradient[j] <= sum[i]);
    rows.push_back(
        {takes_sum ? static_cast<std::int64_t>(i) : kNoRow, takes_gradient ? static_cast<std::int64_t>(j) : kNoRow});
    i += takes_sum ? 1 : 0;
    j += takes_gradient ? 1 : 0;
  }
  return rows;
}

template <class T>
void add_row(TensorBody& to, std::size_t to_row, const TensorBody& from, std::int64_t row, std::size_t width) {
  if (row == kNoRow) return;
  const auto source = from.as<T>().subspan(static_cast<std::size_t>(row) * width, width);
  const auto target = to.mutable_as<T>().subspan(to_row * width, width);
  std::ranges::transform(target, source, target.begin(), std::plus<T>());
}

// REQUIRES: both have data; `mine` may be null while no row is of the sum.
MutableTensor sums_of(const std::vector<MergedRow>& from, const MutableTensor& mine, const TensorBody& gradient,
                      const Shape& shape) {
  MutableTensor sums = make_tensor(gradient.dtype(), shape);
  const auto width = static_cast<std::size_t>(Shape(Dims(shape.dims.begin() + 1, shape.dims.end())).elements());
  with_real(gradient.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (mine) add_row<T>(*sums, i, *mine, from[i].of_sum, width);
      add_row<T>(*sums, i, gradient, from[i].of_gradient, width);
    }
  });
  return sums;
}

template <class T>
void divide_rows(TensorBody& sums, const std::vector<std::int64_t>& by, std::size_t width) {
  const auto values = sums.mutable_as<T>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= static_cast<T>(by[i / width]);
}

Status check_row_dims(const Shape& values, const Dims& row) {
  if (values.dims.size() != row.size() + 1)
    return invalid("Shape mismatch: expected values rank {}, got {}", row.size() + 1, values.dims.size());
  for (std::size_t i = 0; i < row.size(); ++i)
    if (values.dims[i + 1] != row[i])
      return invalid("Shape mismatch: expected values dim {} to be {}, got {}", i + 1, row[i], values.dims[i + 1]);
  return {};
}

}  // namespace

bool Accumulator::is_stale(std::int64_t local_step) const {
  return local_step < step_ - (planted == PlantedClusterBug::stale_accepted ? 1 : 0);
}

bool Accumulator::admit(std::int64_t local_step) {
  const bool accepted = !is_stale(local_step);
  mark_if(!accepted, auditor, Mark::gradient_stale);
  if (on_pushed) on_pushed(local_step, step_, accepted, tag);
  return accepted;
}

Status Accumulator::apply(std::int64_t local_step, const TensorRef& gradient) {
  if (is_stale(local_step)) return admit(local_step), Status();
  if (count_ > 0 && shape_only_ && shape_only_->shape() != gradient->shape())
    return invalid("Shape mismatch: expected {}, got {}", to_string(shape_only_->shape()),
                   to_string(gradient->shape()));
  if (!fits(shape_, gradient->shape()))
    return invalid("Shape mismatch: expected {}, got {}", to_string(shape_), to_string(gradient->shape()));
  admit(local_step);
  add_dense(gradient);
  ++count_;
  flush();
  return {};
}

void Accumulator::add_dense(const TensorRef& gradient) {
  if (count_ == 0) {
    shape_only_ = make_shape_only(gradient->dtype(), gradient->shape());
    sum_ = gradient->has_data() && is_real(gradient->dtype()) ? make_tensor(gradient->dtype(), gradient->shape())
                                                              : nullptr;
  }
  if (!gradient->has_data()) sum_ = nullptr;
  if (sum_) with_real(dtype_, [&]<class T>() { add_into<T>(*sum_, *gradient); });
}

Status Accumulator::check_sparse(const SparseGradient& g) const {
  const Shape& indices = g.indices->shape();
  const Shape& values = g.values->shape();
  if (indices.rank() != 1) return invalid("Input indices should be vector but received shape: {}", to_string(indices));
  if (values.rank() == 0) return invalid("Values cannot be 0-dimensional.");
  if (values.dims[0] != indices.dims[0])
    return invalid("Expected {} non-empty input values, got {}", indices.dims[0], values.dims[0]);
  if (!shape_.unknown_rank) TARRY_RETURN_IF_ERROR(check_declared(g));
  return count_ == 0 ? Status() : check_row_dims(values, row_dims_);
}

// Against the accumulator's own shape. REQUIRES: its rank is known.
Status Accumulator::check_declared(const SparseGradient& g) const {
  const auto& declared = shape_.dims;
  if (g.has_known_shape && g.shape->has_data()) {
    const auto dims = integers_of(*g.shape);
    if (dims.size() < declared.size())
      return invalid("Shape mismatch: expected shape rank at least {}, got {}", declared.size(), dims.size());
    for (std::size_t i = 0; i < declared.size(); ++i)
      if (declared[i] >= 0 && declared[i] != dims[i])
        return invalid("Shape mismatch: expected shape dim {} to be {}, got {}", i, declared[i], dims[i]);
  }
  if (!declared.empty() && declared[0] >= 0 && g.indices->has_data()) {
    const auto indices = integers_of(*g.indices);
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] >= declared[0])
        return invalid("Shape mismatch: index of slice {} exceeded limits of shape; index is {} exceeded {}", i,
                       indices[i], declared[0]);
  }
  if (count_ > 0) return {};  // the first gradient of the aggregate was checked, the others must be like it
  const auto& values = g.values->shape().dims;
  if (values.size() < declared.size())
    return invalid("Shape mismatch: expected values rank at least {}, got {}", declared.size(), values.size());
  for (std::size_t i = 1; i < declared.size(); ++i)
    if (declared[i] >= 0 && declared[i] != values[i])
      return invalid("Shape mismatch: expected values dim {} to be {}, got {}", i, declared[i], values[i]);
  return {};
}

Status Accumulator::apply_sparse(std::int64_t local_step, const SparseGradient& g) {
  if (is_stale(local_step)) return admit(local_step), Status();
  TARRY_RETURN_IF_ERROR(check_sparse(g));
  admit(local_step);
  add_rows(g);
  ++count_;
  flush();
  return {};
}

Shape Accumulator::rows_shape(std::int64_t rows) const {
  Shape shape({rows});
  shape.dims.insert(shape.dims.end(), row_dims_.begin(), row_dims_.end());
  return shape;
}

void Accumulator::add_rows(const SparseGradient& g) {
  const auto& dims = g.values->shape().dims;
  if (count_ == 0) row_dims_.assign(dims.begin() + 1, dims.end());
  if (g.indices->has_data()) return merge_rows(g);
  rows_without_data_ = std::max(rows_without_data_, dims[0]);
}

void Accumulator::merge_rows(const SparseGradient& g) {
  const auto indices = integers_of(*g.indices);
  const std::vector<MergedRow> from = merged(rows_.indices, indices);
  const bool has_values = g.values->has_data() && is_real(dtype_) && (count_ == 0 || rows_.sums);
  const Shape shape = rows_shape(static_cast<std::int64_t>(from.size()));
  Rows sum{{}, {}, has_values ? sums_of(from, rows_.sums, *g.values, shape) : nullptr};
  for (const auto& [mine, theirs] : from) {
    sum.indices.push_back(mine == kNoRow ? indices[static_cast<std::size_t>(theirs)]
                                         : rows_.indices[static_cast<std::size_t>(mine)]);
    sum.counts.push_back((mine == kNoRow ? 0 : rows_.counts[static_cast<std::size_t>(mine)]) +
                         (theirs == kNoRow ? 0 : 1));
  }
  rows_ = std::move(sum);
}

std::vector<TensorRef> Accumulator::release() {
  if (sparse_) return release_rows();
  if (!sum_) return {shape_only_};
  if (reduction_ == Reduction::mean) with_real(dtype_, [&]<class T>() { divide<T>(*sum_, count_); });
  return {std::exchange(sum_, nullptr)};
}

// Each row is divided by its own count, not by the number of gradients.
std::vector<TensorRef> Accumulator::release_rows() {
  Dims dense{shape_.unknown_rank || shape_.dims.empty() ? -1 : shape_.dims[0]};
  dense.insert(dense.end(), row_dims_.begin(), row_dims_.end());
  Rows rows = std::exchange(rows_, {});
  if (std::int64_t large = std::exchange(rows_without_data_, 0); large > 0) {
    large = std::max(large, std::int64_t{std::ssize(rows.indices)});
    return {make_shape_only(DataType::kInt64, Shape({large})), make_shape_only(dtype_, rows_shape(large)),
            make_vector(dense)};
  }
  if (!rows.sums && !rows.indices.empty())
    return {make_vector(rows.indices), make_shape_only(dtype_, rows_shape(std::ssize(rows.indices))),
            make_vector(dense)};
  if (!rows.sums) rows.sums = make_tensor(dtype_, rows_shape(0));
  const auto width = static_cast<std::size_t>(Shape(row_dims_).elements());
  if (reduction_ == Reduction::mean && is_real(dtype_))
    with_real(dtype_, [&]<class T>() { divide_rows<T>(*rows.sums, rows.counts, width); });
  return {make_vector(rows.indices), rows.sums, make_vector(dense)};
}

void Accumulator::take(std::int64_t required, CancellationManager& step, TakeDone&& done) {
  if (required <= 0) return std::move(done)(invalid("Argument num_required must be positive, but was {}", required));
  const std::uint64_t id = ++last_id_;
  auto registration = step.add([this, id] { cancel(id); });
  if (!registration) return std::move(done)(error(Code::kCancelled, "TakeGrad operation was cancelled"));
  takes_.push_back({required, std::move(done), std::move(registration), tag, id});
  flush();
}

void Accumulator::cancel(std::uint64_t id) {
  const auto it = std::ranges::find(takes_, id, &Take::id);
  if (it == takes_.end()) return;
  mark(auditor, Mark::take_cancelled);
  TakeDone done = std::move(it->done);
  has_cancelled_ = true;
  takes_.erase(it);
  std::move(done)(error(Code::kCancelled, "TakeGrad operation was cancelled"));
  flush();
}

bool Accumulator::is_enough(const Take& take) const {
  const bool is_short = planted == PlantedClusterBug::barrier_one_short && has_cancelled_ && count_ > 0;
  return count_ >= take.required - (is_short ? 1 : 0);
}

void Accumulator::serve(Take& take) {
  ++step_;
  std::vector<TensorRef> result = release();
  if (on_taken) on_taken(std::exchange(count_, 0), step_, take.tag);
  count_ = 0;
  if (planted == PlantedClusterBug::take_twice && on_taken && has_cancelled_) on_taken(0, ++step_, take.tag);
  std::move(take.done)(std::move(result));
}

void Accumulator::flush() {
  if (std::exchange(flushing_, true)) return;
  while (!takes_.empty() && is_enough(takes_.front())) {
    Take take = std::move(takes_.front());
    takes_.pop_front();
    serve(take);
  }
  flushing_ = false;
}

}  // namespace tarry
