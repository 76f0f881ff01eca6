// How one number of a variable changes when it is updated.
#pragma once

#include <algorithm>
#include <type_traits>

namespace tarry {

enum class Update { assign, add, sub, mul, div, min, max };

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
      return std::min(old, by);
    case Update::max:
      return std::max(old, by);
  }
  return old;
}

}  // namespace tarry
