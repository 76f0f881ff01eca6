// For tests of kernels: one op, computed on given tensors.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "workers/fake_env.hpp"
#include "workers/kernels/kernel.hpp"

namespace tarry {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using Ints = Dims;
using Floats = std::vector<float>;
using Tensors = std::vector<TensorRef>;

template <class T>
inline TensorRef tensor(const Dims& dims, const std::vector<T>& values) {
  const Shape shape(dims);
  MutableTensor t = make_tensor(TypeOf<T>::value, shape);
  std::ranges::copy(values, t->mutable_as<T>().begin());
  return t;
}
inline TensorRef floats(const Dims& dims, const Floats& values) { return tensor(dims, values); }
inline TensorRef ints(const Ints& values) { return make_vector(values); }
inline TensorRef bools(const Dims& dims, std::initializer_list<int> values) {
  MutableTensor t = make_tensor(DataType::kBool, Shape(dims));
  std::ranges::transform(values, t->mutable_as<bool>().begin(), [](int v) { return v != 0; });
  return t;
}
inline TensorRef shape_only(const Dims& dims) { return make_shape_only(DataType::kFloat, Shape(dims)); }

struct Asked {
  Attrs attrs = {};
  DataTypes outputs = {DataType::kFloat};
  std::int64_t values_up_to = 4096;
};

inline StatusOr<Tensors> compute(std::string_view op, const Tensors& inputs, const Asked& asked = {}) {
  FakeEnv env;
  KernelHost host{&env,    TaskId{0u},        "/job:a/replica:0/task:0/device:CPU:0", NameId::none(), nullptr,
                  nullptr, asked.values_up_to};
  DataTypes types;
  std::vector<Value> in, out(asked.outputs.size());
  for (const TensorRef& t : inputs) {
    types.push_back(t->dtype());
    in.push_back({t, nullptr});
  }
  TARRY_ASSIGN(const std::unique_ptr<Kernel> kernel, make_kernel({"n", op, asked.attrs, types, asked.outputs, host}));
  KernelContext c{in, out};
  TARRY_RETURN_IF_ERROR(kernel->compute(c));
  Tensors result;
  for (const Value& v : out) result.push_back(v.tensor);
  return result;
}
inline TensorRef one(std::string_view op, const Tensors& inputs, const Asked& asked = {}) {
  const auto r = compute(op, inputs, asked);
  check(r.ok(), r.ok() ? "" : std::string(text_of(r.status())).c_str());
  return (*r)[0];
}
inline Floats values(std::string_view op, const Tensors& inputs, const Asked& asked = {}) {
  const TensorRef t = one(op, inputs, asked);
  return {t->as<float>().begin(), t->as<float>().end()};
}
inline Ints integers(std::string_view op, const Tensors& inputs, Asked asked = {}) {
  asked.outputs = {DataType::kInt64};
  return integers_of(*one(op, inputs, asked));
}
inline std::vector<bool> truths(std::string_view op, const Tensors& inputs) {
  const TensorRef t = one(op, inputs, {.outputs = {DataType::kBool}});
  return {t->as<bool>().begin(), t->as<bool>().end()};
}
inline Dims dims(std::string_view op, const Tensors& inputs, const Asked& asked = {}) {
  return one(op, inputs, asked)->shape().dims;
}
inline std::string refusal(std::string_view op, const Tensors& inputs, const Asked& asked = {}) {
  const auto r = compute(op, inputs, asked);
  return r.ok() ? "ok" : std::string(text_of(r.status()));
}
inline Attrs axis_attr(std::int64_t axis) { return {{"axis", axis}}; }

inline const TensorRef kTwoByThree = floats({2, 3}, {1, 2, 3, 4, 5, 6});

}  // namespace tarry
