// Updating rows of a variable.

#include <algorithm>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/state.hpp"
#include "workers/kernels/update.hpp"

namespace tarry {
namespace {

// Inputs: variable, indices, updates (a row each, or one scalar for all). Equal indices are applied one after the
// other.
template <Update how>
class ScatterKernel : public Kernel {
 public:
  explicit ScatterKernel(const KernelSetup& s) : host_(s.host), is_reference_(is_ref(s.inputs[0])) {}

  Status compute(KernelContext& c) override {
    Variable& v = variable_of(c);
    if (!v.value) return no_such_resource(host_, v);
    if (v.value->has_data() && c.in(1).has_data() && c.in(2).has_data())
      TARRY_RETURN_IF_ERROR(update(v, c));
    else
      lose_values(v);
    if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
    return {};
  }

 private:
  Status update(Variable& v, const KernelContext& c) {
    const Shape shape = v.value->shape();  // the value may be a new one before this is done
    TARRY_RETURN_IF_ERROR(is_reference_ ? check_shape(shape, c) : check_rows(shape, c));
    auto rows = integers_of(c.in(1));
    const std::int64_t limit = shape.rank() < 1 ? 1 : shape.dims[0];
    const auto bad = std::ranges::find_if(rows, [&](std::int64_t row) { return row < 0 || row >= limit; });
    Status fault = bad == rows.end() ? Status()
                                     : invalid("indices{} = {} is not in [0, {})",
                                               position(c.shape(1), bad - rows.begin()), *bad, limit);
    rows.erase(bad, rows.end());  // those before it are updated
    const Widths widths = widths_of(shape, c);
    if (is_outside(widths, rows, shape)) return lose_values(v), fault;
    v.value = storage_for_update(v, is_reference_);
    auto& to = const_cast<TensorBody&>(*v.value);
    check(to.dtype() == c.in(2).dtype(), "updates are of the variable's type");
    if (how == Update::assign) return put_rows(to, rows, c.in(2), widths), fault;
    TARRY_RETURN_IF_ERROR(for_every_updated(to.dtype(), [&]<class T>() {
      apply<T>(to.mutable_as<T>(), rows, c.data<T>(2), widths);
      return Status();
    }));
    return fault;
  }

  static bool has_zero(const TensorBody& t) {
    bool found = false;
    (void)for_every_updated(
        t.dtype(), [&]<class T>() { return found = std::ranges::find(t.as<T>(), T{0}) != t.as<T>().end(), Status(); });
    return found;
  }

  [[nodiscard]] static Status check_shape(const Shape& shape, const KernelContext& c) {
    if (shape.rank() < 1) return invalid("params must be at least 1-D, got shape {}", to_string(shape));
    Shape wanted = c.shape(1);
    wanted.dims.insert(wanted.dims.end(), shape.dims.begin() + 1, shape.dims.end());
    return c.shape(2) == wanted || c.shape(2).rank() == 0 ? Status() : refused_shape(shape, c);
  }

  // 2.15.1 compares no inner dimensions of a resource's rows.
  [[nodiscard]] static Status check_rows(const Shape& shape, const KernelContext& c) {
    const Shape &indices = c.shape(1), &updates = c.shape(2);
    if (updates.rank() != 0 && updates.rank() != indices.rank() + shape.rank() - 1) return refused_shape(shape, c);
    if (how == Update::div && has_zero(c.in(2))) return invalid("updates must not contain 0");
    const bool is_prefix =
        updates.rank() >= indices.rank() && std::equal(indices.dims.begin(), indices.dims.end(), updates.dims.begin());
    if (is_prefix || indices.elements() == 0 || updates.rank() == 0) return {};
    return invalid("The shape of indices ({}) must be a prefix of the shape of updates ({})", to_string(indices),
                   to_string(updates));
  }

  [[nodiscard]] static Status refused_shape(const Shape& shape, const KernelContext& c) {
    return invalid(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape {}, "
        "indices.shape {}, params.shape {}",
        to_string(c.shape(2)), to_string(c.shape(1)), to_string(shape));
  }

  // How many numbers a row of the variable has, and one of the updates.
  struct Widths {
    std::size_t own, given;
    bool is_one;
  };
  static Widths widths_of(const Shape& shape, const KernelContext& c) {
    const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(c.shape(1).elements(), 1));
    return {shape.rank() < 1 ? 1 : static_cast<std::size_t>(product(shape, 1, shape.dims.size())),
            static_cast<std::size_t>(c.shape(2).elements()) / rows, c.shape(2).rank() == 0};
  }
  // Whether something beside the variable or the updates would be written or read.
  static bool is_outside(const Widths& w, const Dims& rows, const Shape& shape) {
    if (rows.empty() || w.is_one || w.own == w.given) return false;
    const auto last = static_cast<std::size_t>(*std::ranges::max_element(rows));
    return how == Update::assign ? last * w.own + w.given > static_cast<std::size_t>(shape.elements())
                                 : w.own > w.given;
  }

  // What is given is written, of whatever type; the other updates read as much as the variable has.
  static void put_rows(TensorBody& to, const Dims& rows, const TensorBody& by, const Widths& w) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(rows[i]) * w.own;
      if (!w.is_one) copy_elements(to, at, by, i * w.given, w.given);
      for (std::size_t k = 0; w.is_one && k < w.own; ++k) copy_elements(to, at + k, by, 0);
    }
  }

  template <class T>
  static void apply(std::span<T> to, const Dims& rows, std::span<const T> by, const Widths& w) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < w.own; ++k) {
        T& x = to[static_cast<std::size_t>(rows[i]) * w.own + k];
        x = updated<T>(how, x, by[w.is_one ? 0 : i * w.given + k]);
      }
  }

  KernelHost& host_;
  bool is_reference_;
};

constexpr KernelRow kScatterRows[] = {
    {"ScatterUpdate", make_from_setup<ScatterKernel<Update::assign>>},
    {"ResourceScatterUpdate", make_from_setup<ScatterKernel<Update::assign>>},
    {"ScatterAdd", make_from_setup<ScatterKernel<Update::add>>},
    {"ResourceScatterAdd", make_from_setup<ScatterKernel<Update::add>>},
    {"ScatterSub", make_from_setup<ScatterKernel<Update::sub>>},
    {"ResourceScatterSub", make_from_setup<ScatterKernel<Update::sub>>},
    {"ScatterMul", make_from_setup<ScatterKernel<Update::mul>>},
    {"ResourceScatterMul", make_from_setup<ScatterKernel<Update::mul>>},
    {"ScatterDiv", make_from_setup<ScatterKernel<Update::div>>},
    {"ResourceScatterDiv", make_from_setup<ScatterKernel<Update::div>>},
    {"ScatterMin", make_from_setup<ScatterKernel<Update::min>>},
    {"ResourceScatterMin", make_from_setup<ScatterKernel<Update::min>>},
    {"ScatterMax", make_from_setup<ScatterKernel<Update::max>>},
    {"ResourceScatterMax", make_from_setup<ScatterKernel<Update::max>>},
};

}  // namespace

KernelFamily scatter_ops() { return {kScatterRows, ResourceKind::variable}; }

}  // namespace tarry
