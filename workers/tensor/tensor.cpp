#include "workers/tensor/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "workers/tensor/variant.hpp"

namespace tarry {

std::uint64_t TensorBody::bytes() const {
  if (variant_ != nullptr)
    return std::accumulate(variant_->tensors.begin(), variant_->tensors.end(), std::uint64_t{0},
                           [](std::uint64_t n, const TensorRef& t) { return t ? n + t->bytes() : n; });
  if (dtype_ == DataType::kString && has_data_)
    return std::accumulate(strings_.begin(), strings_.end(), std::uint64_t{0},
                           [](std::uint64_t n, const std::string& s) { return n + s.size(); });
  const std::uint64_t size = dtype_ == DataType::kString ? 16 : type_size(dtype_);
  return static_cast<std::uint64_t>(elements()) * size;
}

std::uint64_t TensorBody::size_on_device() const {
  const auto bytes = static_cast<unsigned __int128>(elements()) * type_size(dtype_);
  constexpr auto kMost = std::uint64_t{1} << 62;
  return bytes > kMost ? kMost : static_cast<std::uint64_t>(bytes);
}

TensorBody::~TensorBody() {
  if (memory_) memory_->give_back(size_on_device());
}

bool TensorBody::enter_device(const DeviceMemoryRef& memory) {
  if (!memory->take(size_on_device())) return false;
  memory_ = memory;
  return true;
}

void TensorBody::allocate() {
  const auto n = static_cast<std::size_t>(elements());
  if (type_size(dtype_) == 0)
    strings_.assign(n, {});
  else
    words_.assign((n * type_size(dtype_) + 7) / 8, 0);
  has_data_ = true;
}

void TensorBody::fill_later(Fill fill) {
  fill_ = std::make_shared<const Fill>(std::move(fill));
  has_data_ = true;
}

void TensorBody::fill() const {
  auto* self = const_cast<TensorBody*>(this);  // nobody sees the elements before they are made
  const std::shared_ptr<const Fill> fill = std::move(self->fill_);
  self->allocate();
  (*fill)(*self);
}

std::span<const std::byte> TensorBody::raw() const {
  if (fill_) fill();
  return {reinterpret_cast<const std::byte*>(words_.data()), static_cast<std::size_t>(elements()) * type_size(dtype_)};
}

std::span<std::byte> TensorBody::mutable_raw() {
  if (fill_) fill();
  return {reinterpret_cast<std::byte*>(words_.data()), static_cast<std::size_t>(elements()) * type_size(dtype_)};
}

MutableTensor make_tensor(DataType dtype, const Shape& shape) {
  MutableTensor t(new TensorBody(dtype, shape));
  t->allocate();
  return t;
}

TensorRef make_shape_only(DataType dtype, const Shape& shape) { return TensorRef(new TensorBody(dtype, shape)); }

TensorRef make_string(std::string text) {
  MutableTensor t = make_tensor(DataType::kString, Shape());
  t->mutable_strings()[0] = std::move(text);
  return t;
}

TensorRef from_spec(const TensorSpec& spec, std::int64_t limit) {
  if (spec.shape.elements() > limit) return make_shape_only(spec.dtype, spec.shape);
  MutableTensor t = make_tensor(spec.dtype, spec.shape);
  if (type_size(spec.dtype) == 0) {
    auto& out = t->mutable_strings();
    for (std::size_t i = 0; i < out.size() && !spec.strings.empty(); ++i)
      out[i] = spec.strings[std::min(i, spec.strings.size() - 1)];
    return t;
  }
  const std::size_t size = type_size(spec.dtype), given = spec.content.size() / size;
  const std::span<std::byte> out = t->mutable_raw();
  for (std::size_t i = 0; i * size < out.size() && given > 0; ++i)
    std::memcpy(out.data() + i * size, spec.content.data() + std::min(i, given - 1) * size, size);
  return t;
}

namespace {

template <class Narrow>
Dims narrow_integers(const TensorBody& t) {
  Dims numbers(static_cast<std::size_t>(t.elements()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Narrow number = 0;
    std::memcpy(&number, t.raw().data() + i * sizeof number, sizeof number);
    numbers[i] = static_cast<std::int64_t>(number);
  }
  return numbers;
}

}  // namespace

Dims integers_of(const TensorBody& t) {
  if (t.dtype() == DataType::kInt32) return {t.as<std::int32_t>().begin(), t.as<std::int32_t>().end()};
  if (t.dtype() == DataType::kInt16) return narrow_integers<std::int16_t>(t);
  if (t.dtype() == DataType::kInt8) return narrow_integers<std::int8_t>(t);
  return {t.as<std::int64_t>().begin(), t.as<std::int64_t>().end()};
}

TensorRef snapshot(const TensorRef& t) {
  if (!t || !t->is_storage()) return t;
  MutableTensor copy = make_tensor(t->dtype(), t->shape());
  if (t->dtype() == DataType::kString)
    std::ranges::copy(t->strings(), copy->mutable_strings().begin());
  else
    std::ranges::copy(t->raw(), copy->mutable_raw().begin());
  return copy;
}

std::int64_t integer_or(const TensorRef& t, std::int64_t otherwise) {
  if (!t || !t->has_data() || (t->dtype() != DataType::kInt32 && t->dtype() != DataType::kInt64) || t->elements() != 1)
    return otherwise;
  return integers_of(*t)[0];
}

}  // namespace tarry
