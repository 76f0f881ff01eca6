#include "workers/kernels/tensor_list.hpp"

#include <algorithm>
#include <limits>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/update.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kAnySize = std::numeric_limits<std::int64_t>::max();

std::string described_variant(const TensorBody& t) {
  if (!is_variant(t, Variant::Kind::optional)) return "<empty>";
  return fmt::format("Variant<type: tensorflow::data::Optional value: OptionalVariant<{}>>",
                     variant_of(t).has_value ? "..." : "None");
}

Status add_elements_to(TensorBody& sum, const TensorBody& t) {
  return for_every_updated(sum.dtype(), [&]<class T>() {
    std::ranges::transform(sum.mutable_as<T>(), t.as<T>(), sum.mutable_as<T>().begin(),
                           [](T x, T y) { return static_cast<T>(x + y); });
    return Status();
  });
}

// Variants hold variants, and one of them may stand in many places: so many are looked at, and no deeper.
constexpr int kDeepest = 64;
Status too_deep() { return error(Code::kResourceExhausted, "variants hold variants more than {} deep", kDeepest); }

StatusOr<Variant> summed(Variant a, const Variant& b, int depth);

// A variant that holds nothing counts as zeros.
StatusOr<TensorRef> summed_variants(const TensorRef& a, const TensorRef& b, int depth) {
  if (depth > kDeepest) return too_deep();
  if (a->variant() == nullptr || b->variant() == nullptr) return a->variant() == nullptr ? b : a;
  TARRY_ASSIGN(Variant sum, summed(*a->variant(), *b->variant(), depth));
  return make_variant(std::move(sum));
}

// One that is not set counts as zeros.
StatusOr<TensorRef> summed(const TensorRef& a, const TensorRef& b, int depth) {
  if (!a || !b) return a ? a : b;
  if (a->dtype() != b->dtype())
    return invalid("Trying to add two tensors with incompatible element types. One is {} and the other is {}",
                   type_name(a->dtype()), type_name(b->dtype()));
  if (a->dtype() == DataType::kVariant) return summed_variants(a, b, depth + 1);
  if (a->shape() != b->shape())
    return invalid("Trying to add two tensors with incompatible element shapes. One is {} and the other is {}",
                   to_string(a->shape()), to_string(b->shape()));
  if (!a->has_data() || !b->has_data()) return make_shape_only(a->dtype(), a->shape());
  MutableTensor total(new TensorBody(*a));
  TARRY_RETURN_IF_ERROR(add_elements_to(*total, *b));
  return TensorRef(total);
}

Status check_optionals(const Variant& a, const Variant& b) {
  if (a.has_value != b.has_value) return invalid("Cannot add optionals because one has a value and the other doesn't.");
  if (a.tensors.size() == b.tensors.size()) return {};
  return invalid("Cannot add optionals because they have different numbers of components ({} vs. {}).",
                 a.tensors.size(), b.tensors.size());
}

// Gives the shape that the elements of both have.
StatusOr<Shape> check_lists(const Variant& a, const Variant& b) {
  if (a.element_type != b.element_type)
    return invalid("Trying to add two lists of tensors of different dtypes. One is {} and the other is {}",
                   type_name(a.element_type), type_name(b.element_type));
  const StatusOr<Shape> both = merged_shape(a.element_shape, b.element_shape);
  if (!both.ok())
    return invalid("Trying to add two lists of tensors with incompatible element shapes. One is {} and the other is {}",
                   to_string(a.element_shape), to_string(b.element_shape));
  if (a.tensors.size() != b.tensors.size())
    return invalid("Trying to add two lists of tensors with different lengths. One is {} and the other is {}",
                   a.tensors.size(), b.tensors.size());
  return both;
}

std::string_view type_of_variant(const Variant& v) {
  return v.kind == Variant::Kind::list ? "tensorflow::TensorList" : "tensorflow::data::Optional";
}

StatusOr<Variant> summed(Variant a, const Variant& b, int depth) {
  if (a.kind != b.kind)
    return error(Code::kInternal,
                 "BinaryOpVariants: Variants a and b have different type ids.  Type names: '{}' vs. '{}'",
                 type_of_variant(a), type_of_variant(b));
  if (a.kind == Variant::Kind::optional) {
    TARRY_RETURN_IF_ERROR(check_optionals(a, b));
  } else {
    TARRY_ASSIGN(a.element_shape, check_lists(a, b));
  }
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    TARRY_ASSIGN(a.tensors[i], summed(a.tensors[i], b.tensors[i], depth));
  }
  return a;
}

}  // namespace

StatusOr<const Variant*> list_in(const KernelContext& c, std::size_t i) {
  const TensorBody& t = c.in(i);
  if (!is_variant(t, Variant::Kind::list))
    return invalid("Input handle is not a list. Saw: '{}'", described_variant(t));
  return &variant_of(t);
}

StatusOr<Shape> shape_in(const KernelContext& c, std::size_t i) {
  const TensorBody& t = c.in(i);
  if (!t.has_data()) return Shape::unknown();
  if (t.shape().rank() > 1) return invalid("Shape must be at most rank 1 but is rank {}", t.shape().rank());
  const Dims dims = integers_of(t);
  if (t.shape().rank() == 1) return Shape(dims);
  if (dims[0] != -1) return invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  return Shape::unknown();
}

StatusOr<Shape> merged_shape(const Shape& a, const Shape& b) {
  if (a.unknown_rank || b.unknown_rank) return a.unknown_rank ? b : a;
  if (a.rank() != b.rank())
    return invalid("PartialTensorShape: Incompatible ranks during merge: {} vs. {}", a.rank(), b.rank());
  if (!fits_shape(a, b))
    return invalid("PartialTensorShape: Incompatible shapes during merge: {} vs. {}", to_string(a), to_string(b));
  Shape both = a;
  for (std::size_t i = 0; i < both.dims.size(); ++i)
    if (both.dims[i] < 0) both.dims[i] = b.dims[i];
  return both;
}

bool fits_shape(const Shape& a, const Shape& b) {
  if (a.unknown_rank || b.unknown_rank) return true;
  return std::ranges::equal(a.dims, b.dims, [](std::int64_t x, std::int64_t y) { return x < 0 || y < 0 || x == y; });
}

TensorRef zero_tensor(DataType type, const Shape& shape, std::int64_t limit) {
  return shape.elements() > limit ? make_shape_only(type, shape) : TensorRef(make_tensor(type, shape));
}

TensorRef stacked(const std::vector<TensorRef>& tensors, DataType type, const Shape& element, std::int64_t limit) {
  Shape shape = element;
  shape.dims.insert(shape.dims.begin(), static_cast<std::int64_t>(tensors.size()));
  const bool known = std::ranges::all_of(tensors, [](const TensorRef& t) { return !t || t->has_data(); });
  if (!known || shape.elements() > limit) return make_shape_only(type, shape);
  MutableTensor out = make_tensor(type, shape);
  const auto width = static_cast<std::size_t>(element.elements());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i]) copy_elements(*out, i * width, *tensors[i], 0, width);
  return out;
}

std::vector<TensorRef> rows_of(const TensorBody& t) {
  Shape row = t.shape();
  row.dims.erase(row.dims.begin());
  std::vector<TensorRef> rows;
  for (std::int64_t i = 0; i < t.shape().dims[0]; ++i) {
    MutableTensor part(new TensorBody(t.dtype(), row));
    const auto width = static_cast<std::size_t>(row.elements());
    if (t.has_data()) {
      part->allocate();
      copy_elements(*part, 0, t, static_cast<std::size_t>(i) * width, width);
    }
    rows.push_back(part);
  }
  return rows;
}

namespace {

StatusOr<TensorRef> zeros_like(const TensorBody& variant, int depth) {
  if (depth > kDeepest) return too_deep();
  if (variant.variant() == nullptr) return TensorRef(make_tensor(DataType::kVariant, variant.shape()));
  Variant value = variant_of(variant);
  for (TensorRef& t : value.tensors) {
    if (t && t->dtype() == DataType::kVariant) {
      TARRY_ASSIGN(t, zeros_like(*t, depth + 1));
    } else if (t) {
      t = zero_tensor(t->dtype(), t->shape(), t->has_data() ? kAnySize : -1);
    }
  }
  return make_variant(std::move(value));
}

}  // namespace

StatusOr<TensorRef> zeros_like(const TensorBody& variant) { return zeros_like(variant, 0); }

StatusOr<TensorRef> sum_of(std::span<const Value> variants) {
  TensorRef total = variants[0].tensor;
  for (const Value& v : variants.subspan(1)) {
    TARRY_ASSIGN(total, summed(total, v.tensor, 0));
  }
  return total;
}

}  // namespace tarry
