// For tests of accumulators: small tensors, accumulators of both kinds, and takes that wait.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>

#include "workers/state/accumulator.hpp"

namespace tarry {

using testing::ElementsAre;
using Taken = std::optional<StatusOr<std::vector<TensorRef>>>;

inline TensorRef floats(const std::vector<float>& v) { return make_vector(v); }
inline TensorRef indices(const std::vector<std::int64_t>& v) { return make_vector(v); }
inline std::vector<float> values_of(const TensorRef& t) { return {t->as<float>().begin(), t->as<float>().end()}; }
inline std::string text(const Status& s) { return s.ok() ? "ok" : std::string(text_of(s)); }

inline TensorRef rows(std::int64_t width, const std::vector<float>& v) {
  MutableTensor t = make_tensor(DataType::kFloat, Shape({static_cast<std::int64_t>(v.size()) / width, width}));
  std::ranges::copy(v, t->mutable_as<float>().begin());
  return t;
}
inline SparseGradient sparse(const std::vector<std::int64_t>& i, TensorRef values) {
  return {indices(i), std::move(values), nullptr, false};
}
inline SparseGradient with_shape(SparseGradient g, const std::vector<std::int64_t>& shape) {
  g.shape = indices(shape);
  g.has_known_shape = true;
  return g;
}

inline Accumulator dense(Shape shape = Shape::unknown(), Reduction r = Reduction::mean) {
  return {"a", DataType::kFloat, std::move(shape), r, false};
}
inline Accumulator of_rows(Shape shape = Shape::unknown(), Reduction r = Reduction::mean) {
  return {"a", DataType::kFloat, std::move(shape), r, true};
}

struct Taker {
  Taken& take(Accumulator& a, std::int64_t required) {
    Taken& to = outcomes.emplace_back();
    a.take(required, step, [&to](StatusOr<std::vector<TensorRef>> r) { to = std::move(r); });
    return to;
  }
  std::deque<Taken> outcomes;
  CancellationManager step;
};
inline std::vector<float> mean_of(const Taken& t) { return values_of((**t)[0]); }

}  // namespace tarry
