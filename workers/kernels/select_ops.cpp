// Choosing between two tensors, element by element, and tensors of zeros or ones.

#include <algorithm>
#include <functional>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/tensor_list.hpp"

namespace tarry {
namespace {

// Select: the condition has the values' shape, or is a scalar, or a vector that chooses rows.
Status select_shape(const KernelContext& c, std::span<Shape> out,
                    const std::function<Status(const KernelContext&, std::span<Shape>)>& same) {
  const Shape& condition = c.shape(0);
  if (condition.rank() == 1 && c.shape(1).rank() != 1) {
    if (c.shape(1).rank() == 0)
      return invalid("'then' must be at least a vector, but saw shape: {}", to_string(c.shape(1)));
    if (condition.dims[0] != c.shape(1).dims[0])
      return invalid("Number of batches of 'then' must match size of 'cond', but saw: {} vs. {}", c.shape(1).dims[0],
                     condition.dims[0]);
  } else if (condition.rank() != 0) {
    return same(c, out);
  }
  if (c.shape(1) != c.shape(2))
    return invalid("'then' and 'else' must have the same size.  but received: {} vs. {}", to_string(c.shape(1)),
                   to_string(c.shape(2)));
  return only(out, c.shape(1));
}

Status select(KernelContext& c) {
  const auto condition = c.data<bool>(0);
  const auto n = static_cast<std::size_t>(out(c).elements());
  const std::size_t each = condition.empty() ? 1 : n / condition.size();
  for (std::size_t i = 0; i < n; ++i) copy_elements(out(c), i, c.in(condition[i / each] ? 1 : 2), i);
  return {};
}

Behaviour make_select(const KernelSetup& s) {
  return {select, [same = equal_shapes(s)](const KernelContext& c, std::span<Shape> out) {
            return select_shape(c, out, same);
          }};
}

Status select_v2_shape(const KernelContext& c, std::span<Shape> out) {
  Shape values, all;
  const bool fits = broadcast(c.shape(1), c.shape(2), values).ok() && broadcast(c.shape(0), values, all).ok();
  if (!fits)
    return invalid("condition {}, then {}, and else {} must be broadcastable", to_string(c.shape(0)),
                   to_string(c.shape(1)), to_string(c.shape(2)));
  return only(out, all);
}

Status select_v2(KernelContext& c) {
  const Shape& shape = out(c).shape();
  const auto condition = broadcast_indices(c.shape(0), shape), yes = broadcast_indices(c.shape(1), shape),
             no = broadcast_indices(c.shape(2), shape);
  for (std::size_t i = 0; i < condition.size(); ++i) {
    const bool taken = c.data<bool>(0)[condition[i]];
    copy_elements(out(c), i, c.in(taken ? 1 : 2), taken ? yes[i] : no[i]);
  }
  return {};
}

Status give_zeros(KernelContext& c) {
  TARRY_ASSIGN(TensorRef list, zeros_like(c.in(0)));
  return c.give(0, std::move(list));
}

template <int value>
Behaviour make_like(const KernelSetup&) {
  return {[](KernelContext& c) {
            if (c.in(0).dtype() == DataType::kString) return Status();  // empty strings are there already
            if (c.in(0).dtype() == DataType::kVariant) return give_zeros(c);
            return for_number_or_bool(c.in(0).dtype(), [&]<class T>() {
              return std::ranges::fill(c.out<T>(0), static_cast<T>(value)), Status();
            });
          },
          same_shape};
}

constexpr KernelRow kSelectRows[] = {
    {"Select", make_select},
    {"SelectV2", behaves<select_v2, select_v2_shape>},
    {"ZerosLike", make_like<0>},
    {"OnesLike", make_like<1>},
};

}  // namespace

KernelFamily select_ops() { return kSelectRows; }

}  // namespace tarry
