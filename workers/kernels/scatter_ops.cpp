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
    if (shape.rank() < 1) return invalid("params must be at least 1-D, got shape {}", to_string(shape));
    TARRY_RETURN_IF_ERROR(check_updates(shape, c));
    if (how == Update::div && !is_reference_ && has_zero(c.in(2))) return invalid("updates must not contain 0");
    auto rows = integers_of(c.in(1));
    const auto bad = std::ranges::find_if(rows, [&](std::int64_t row) { return row < 0 || row >= shape.dims[0]; });
    Status fault = bad == rows.end() ? Status()
                                     : invalid("indices{} = {} is not in [0, {})",
                                               position(c.shape(1), bad - rows.begin()), *bad, shape.dims[0]);
    rows.erase(bad, rows.end());  // those before it are updated
    v.value = storage_for_update(v, is_reference_);
    TARRY_RETURN_IF_ERROR(for_every_number(v.value->dtype(), [&]<class T>() {
      apply<T>(const_cast<TensorBody&>(*v.value).mutable_as<T>(), rows, c.data<T>(2), c.shape(2).rank() == 0,
               static_cast<std::size_t>(product(shape, 1, shape.dims.size())));
      return Status();
    }));
    return fault;
  }

  static bool has_zero(const TensorBody& t) {
    bool found = false;
    (void)for_every_number(
        t.dtype(), [&]<class T>() { return found = std::ranges::find(t.as<T>(), T{0}) != t.as<T>().end(), Status(); });
    return found;
  }

  [[nodiscard]] Status check_updates(const Shape& shape, const KernelContext& c) const {
    const Dims &indices = c.shape(1).dims, &updates = c.shape(2).dims;
    const bool is_prefix =
        updates.size() >= indices.size() && std::equal(indices.begin(), indices.end(), updates.begin());
    if (!is_reference_ && c.shape(2).rank() > 0 && !is_prefix)
      return invalid("The shape of indices ({}) must be a prefix of the shape of updates ({})", to_string(c.shape(1)),
                     to_string(c.shape(2)));
    Shape wanted = c.shape(1);
    wanted.dims.insert(wanted.dims.end(), shape.dims.begin() + 1, shape.dims.end());
    if (c.shape(2) == wanted || c.shape(2).rank() == 0) return {};
    return invalid(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape {}, "
        "indices.shape {}, params.shape {}",
        to_string(c.shape(2)), to_string(c.shape(1)), to_string(shape));
  }

  template <class T>
  static void apply(std::span<T> to, const Dims& rows, std::span<const T> by, bool one, std::size_t width) {
    for (std::size_t i = 0; i < rows.size() * width; ++i) {
      T& x = to[static_cast<std::size_t>(rows[i / width]) * width + i % width];
      x = updated<T>(how, x, by[one ? 0 : i]);
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
