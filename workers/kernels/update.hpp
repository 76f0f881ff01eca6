// How one number of a variable changes when it is updated.
#pragma once

#include <algorithm>
#include <complex>
#include <type_traits>

#include "workers/kernels/every_number.hpp"

namespace tarry {

enum class Update { assign, add, sub, mul, div, min, max };

// As for_every_number, and complex numbers, of which there is no least or greatest.
template <class F>
Status for_every_updated(DataType t, F&& f) {
  if (base_type(t) == DataType::kComplex64) return f.template operator()<std::complex<float>>();
  if (base_type(t) == DataType::kComplex128) return f.template operator()<std::complex<double>>();
  return for_every_number(t, std::forward<F>(f));
}

template <class T>
[[nodiscard]] T updated(Update how, T old, T by) {
  switch (how) {
    case Update::assign:
      return by;
    case Update::add:
      return static_cast<T>(old + by);
    case Update::sub:
      return static_cast<T>(old - by);
    case Update::mul:
      return static_cast<T>(old * by);
    case Update::div:
      return by == T{0} && std::is_integral_v<T> ? T{0} : static_cast<T>(old / by);
    case Update::min:
      if constexpr (requires { old < by; }) return std::min(old, by);
      break;
    case Update::max:
      if constexpr (requires { old < by; }) return std::max(old, by);
      break;
  }
  return old;
}

}  // namespace tarry
