// A tensor at run time: type, shape, and its data where tarry keeps data.
//
// Bodies are immutable once shared, except for the storage of reference variables, and reference-counted without
// atomics (one thread runs the cluster). A tensor without data stands for values that are not kept: it has a shape and
// a size on the wire, but its elements cannot be read (design: values where small, shapes where large). A null
// TensorRef is "no value": an untaken Switch output, an uninitialised variable.
#pragma once

#include <absl/container/inlined_vector.h>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "placer/core/check.hpp"
#include "placer/graph/attrs.hpp"
#include "workers/device_memory.hpp"

namespace tarry {

template <class T>
struct TypeOf;  // the DataType of a C++ element type
template <>
struct TypeOf<float> {
  static constexpr DataType value = DataType::kFloat;
};
template <>
struct TypeOf<double> {
  static constexpr DataType value = DataType::kDouble;
};
template <>
struct TypeOf<std::int32_t> {
  static constexpr DataType value = DataType::kInt32;
};
template <>
struct TypeOf<std::int64_t> {
  static constexpr DataType value = DataType::kInt64;
};
template <>
struct TypeOf<bool> {
  static constexpr DataType value = DataType::kBool;
};
template <>
struct TypeOf<std::complex<float>> {
  static constexpr DataType value = DataType::kComplex64;
};
template <>
struct TypeOf<std::complex<double>> {
  static constexpr DataType value = DataType::kComplex128;
};

struct Variant;  // variant.hpp

class TensorBody : public boost::intrusive_ref_counter<TensorBody, boost::thread_unsafe_counter> {
 public:
  TensorBody(DataType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)), elements_(shape_.elements()) {}
  // A copy has the same type, shape and data; it is in no device's memory and is no variable's storage.
  TensorBody(const TensorBody& o)
      : intrusive_ref_counter(o),  // a new count: it is not copied
        dtype_(o.dtype_),
        has_data_(o.has_data_),
        shape_(o.shape_),
        elements_(o.elements_),
        words_(o.words_),
        fill_(o.fill_),
        strings_(o.strings_),
        variant_(o.variant_) {}
  TensorBody& operator=(const TensorBody&) = delete;
  ~TensorBody();  // not inline: it is called from everywhere

  [[nodiscard]] DataType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] bool has_data() const { return has_data_; }
  [[nodiscard]] std::int64_t elements() const { return elements_; }
  // The bytes on the wire: elements times the type's size, the strings' lengths, or those of a variant's tensors.
  [[nodiscard]] std::uint64_t bytes() const;

  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    check(has_data_ && dtype_ == TypeOf<T>::value, "a tensor is read as another type, or has no data");
    if (fill_) fill();
    return {reinterpret_cast<const T*>(words_.data()), static_cast<std::size_t>(elements())};
  }
  template <class T>
  [[nodiscard]] std::span<T> mutable_as() {
    return {const_cast<T*>(as<T>().data()), static_cast<std::size_t>(elements())};
  }
  [[nodiscard]] const std::vector<std::string>& strings() const { return strings_; }
  [[nodiscard]] std::vector<std::string>& mutable_strings() { return strings_; }
  [[nodiscard]] const Variant* variant() const { return variant_.get(); }  // null = it is none
  void set_variant(std::shared_ptr<const Variant> value) { variant_ = std::move(value); }
  // Raw element bytes; REQUIRES has_data() and a type with a size.
  [[nodiscard]] std::span<const std::byte> raw() const;
  [[nodiscard]] std::span<std::byte> mutable_raw();

  // Storage of a reference variable: it changes in place, so a copy is sent when it leaves its task.
  [[nodiscard]] bool is_storage() const { return is_storage_; }
  void set_is_storage() { is_storage_ = true; }

  // The device memory that it takes while it lives; null = not counted.
  [[nodiscard]] const DeviceMemory* memory() const { return memory_.get(); }
  // Takes memory of a device. Gives false and takes nothing when too little is left. REQUIRES: it is in no memory yet.
  [[nodiscard]] bool enter_device(const DeviceMemoryRef& memory);

  void allocate();  // zeros, or empty strings; has_data() from then on
  // has_data() from now on, but its elements are made only when they are first read: zeros, and then what `fill`
  // writes. REQUIRES: a type with a size; `fill` writes the same whenever it is called.
  using Fill = std::function<void(TensorBody&)>;
  void fill_later(Fill fill);

 private:
  DataType dtype_;
  bool has_data_ = false;
  bool is_storage_ = false;
  Shape shape_;
  std::int64_t elements_;
  // Bytes by type and shape; 0 for strings and handles, which are never on a device.
  [[nodiscard]] std::uint64_t size_on_device() const;

  void fill() const;

  DeviceMemoryRef memory_;
  absl::InlinedVector<std::uint64_t, 2> words_;
  std::shared_ptr<const Fill> fill_;  // null = words_ are the elements
  std::vector<std::string> strings_;
  std::shared_ptr<const Variant> variant_;
};

using TensorRef = boost::intrusive_ptr<const TensorBody>;
using MutableTensor = boost::intrusive_ptr<TensorBody>;

[[nodiscard]] MutableTensor make_tensor(DataType dtype, const Shape& shape);  // with data, zeroed
[[nodiscard]] TensorRef make_shape_only(DataType dtype, const Shape& shape);
[[nodiscard]] TensorRef make_string(std::string text);
// A constant's value; without data when it has more than `limit` elements.
[[nodiscard]] TensorRef from_spec(const TensorSpec& spec, std::int64_t limit);

template <class T>
[[nodiscard]] TensorRef make_scalar(T value) {
  MutableTensor t = make_tensor(TypeOf<T>::value, Shape());
  t->mutable_as<T>()[0] = value;
  return t;
}
template <class Values>
[[nodiscard]] TensorRef make_vector(const Values& values) {
  using T = typename Values::value_type;
  MutableTensor t = make_tensor(TypeOf<T>::value, Shape({static_cast<std::int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), t->mutable_as<T>().begin());
  return t;
}

// The elements as integers. REQUIRES: data of type int32 or int64.
[[nodiscard]] Dims integers_of(const TensorBody& t);
// The tensor as it is now: a copy when it may change in place.
[[nodiscard]] TensorRef snapshot(const TensorRef& t);
// The value of a known integer scalar, or `otherwise`.
[[nodiscard]] std::int64_t integer_or(const TensorRef& t, std::int64_t otherwise);

}  // namespace tarry
