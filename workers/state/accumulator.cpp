#include "workers/state/accumulator.hpp"

#include <algorithm>
#include <utility>

#include "workers/auditor.hpp"

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

bool is_real(DataType t) { return t == DataType::kFloat || t == DataType::kDouble; }

bool fits(const Shape& wanted, const Shape& given) {
  if (wanted.unknown_rank) return true;
  if (wanted.dims.size() != given.dims.size()) return false;
  for (std::size_t i = 0; i < wanted.dims.size(); ++i)
    if (wanted.dims[i] >= 0 && wanted.dims[i] != given.dims[i]) return false;
  return true;
}

std::vector<double> row_values(const TensorBody& values, std::int64_t row, std::int64_t width) {
  std::vector<double> out(static_cast<std::size_t>(width));
  for (std::int64_t i = 0; i < width; ++i) {
    const auto at = static_cast<std::size_t>(row * width + i);
    out[static_cast<std::size_t>(i)] =
        values.dtype() == DataType::kFloat ? static_cast<double>(values.as<float>()[at]) : values.as<double>()[at];
  }
  return out;
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
  if (!fits(shape_, gradient->shape()))
    return invalid("Shape mismatch: expected {}, got {}", to_string(shape_), to_string(gradient->shape()));
  if (count_ > 0 && shape_only_ && shape_only_->shape() != gradient->shape())
    return invalid("Shape mismatch: expected {}, got {}", to_string(shape_only_->shape()),
                   to_string(gradient->shape()));
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
  if (!sum_) return;
  if (dtype_ == DataType::kFloat)
    add_into<float>(*sum_, *gradient);
  else
    add_into<double>(*sum_, *gradient);
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

void Accumulator::add_rows(const SparseGradient& g) {
  const auto& dims = g.values->shape().dims;
  if (count_ == 0) row_dims_.assign(dims.begin() + 1, dims.end());
  if (!g.indices->has_data() || !g.values->has_data()) {
    rows_without_data_ = std::max(rows_without_data_, dims[0]);
    return;
  }
  const std::int64_t width = Shape(row_dims_).elements();
  const auto indices = integers_of(*g.indices);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto values = row_values(*g.values, static_cast<std::int64_t>(i), width);
    Row& row = rows_[indices[i]];
    row.sum.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) row.sum[k] += values[k];
    ++row.count;
  }
}

std::vector<TensorRef> Accumulator::release() {
  if (sparse_) return release_rows();
  if (!sum_) return {shape_only_};
  if (reduction_ == Reduction::mean) {
    if (dtype_ == DataType::kFloat)
      divide<float>(*sum_, count_);
    else
      divide<double>(*sum_, count_);
  }
  return {std::exchange(sum_, nullptr)};
}

// Each row is divided by its own count, not by the number of gradients.
std::vector<TensorRef> Accumulator::release_rows() {
  Dims dims{rows_without_data_ > 0 ? rows_without_data_ : static_cast<std::int64_t>(rows_.size())};
  dims.insert(dims.end(), row_dims_.begin(), row_dims_.end());
  Dims dense{shape_.unknown_rank || shape_.dims.empty() ? -1 : shape_.dims[0]};
  dense.insert(dense.end(), row_dims_.begin(), row_dims_.end());
  if (rows_without_data_ > 0) {
    const TensorRef indices = make_shape_only(DataType::kInt64, Shape({rows_without_data_}));
    rows_without_data_ = 0;
    rows_.clear();
    return {indices, make_shape_only(dtype_, Shape(dims)), make_vector(dense)};
  }
  Dims indices;
  MutableTensor values = make_tensor(dtype_, Shape(dims));
  std::size_t at = 0;
  for (const auto& [index, row] : rows_) {
    indices.push_back(index);
    const double by = reduction_ == Reduction::mean ? static_cast<double>(row.count) : 1.0;
    for (const double v : row.sum) {
      if (dtype_ == DataType::kFloat)
        values->mutable_as<float>()[at++] = static_cast<float>(v / by);
      else
        values->mutable_as<double>()[at++] = v / by;
    }
  }
  rows_.clear();
  return {make_vector(indices), values, make_vector(dense)};
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
