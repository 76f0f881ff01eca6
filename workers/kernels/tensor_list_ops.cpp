// TensorLists: the ops around tensor_list.hpp, which loops and TensorArrays of control flow v2 use.

#include <algorithm>
#include <numeric>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/tensor_list.hpp"

namespace tarry {
namespace {

struct ListOp {  // what a node says
  explicit ListOp(const KernelSetup& s)
      : type(attr_or(s.attrs, "element_dtype", DataType::kFloat)),
        count(attr_or(s.attrs, "num_elements", std::int64_t{-1})),
        resizes(attr_or(s.attrs, "resize_if_index_out_of_bounds", false)),
        shape_type(attr_or(s.attrs, "shape_type", DataType::kInt32)),
        limit(s.host.values_up_to) {}

  DataType type;
  std::int64_t count;
  bool resizes;
  DataType shape_type;
  std::int64_t limit;
};

// Elements may have a shape only, so every op runs whatever its inputs have.
template <Status (*run)(KernelContext&, const ListOp&)>
class ListKernel : public Kernel {
 public:
  explicit ListKernel(const KernelSetup& s) : op_(s) {}
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override { return run(c, op_); }

 private:
  ListOp op_;
};

Status check_list_type(const Variant& list, DataType type) {
  if (list.element_type == type) return {};
  return invalid("Invalid data types; op elements {} but list elements {}", type_name(type),
                 type_name(list.element_type));
}

StatusOr<const Variant*> typed_list_in(const KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, list_in(c, 0));
  TARRY_RETURN_IF_ERROR(check_list_type(*list, op.type));
  return list;
}

StatusOr<std::int64_t> list_number_in(const KernelContext& c, std::size_t i) {
  return integer_in(c, {i, "the input must be one number, but its shape is {}", Takes::first_element});
}

StatusOr<Dims> list_indices_in(const KernelContext& c, std::size_t i) {
  if (c.in(i).has_data()) return integers_of(c.in(i));
  return error(Code::kUnimplemented, "the indices have no values here: raise values_up_to");
}

Status list_empty(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const std::int64_t most,
               integer_in(c, {1, "max_num_elements expected to be a scalar but got shape: {}"}));
  TARRY_ASSIGN(const Shape shape, shape_in(c, 0));
  return c.give(0, make_variant({.element_type = op.type, .element_shape = shape, .most_elements = most}));
}

Status list_reserve(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Shape shape, shape_in(c, 0));
  TARRY_ASSIGN(const std::int64_t count, list_number_in(c, 1));
  if (count < 0) return invalid("The num_elements to reserve must be a non negative number, but got {}", count);
  Variant list{.element_type = op.type, .element_shape = shape};
  list.tensors.resize(static_cast<std::size_t>(count));
  return c.give(0, make_variant(std::move(list)));
}

Status list_resize(KernelContext& c, const ListOp&) {
  TARRY_ASSIGN(const Variant* list, list_in(c, 0));
  TARRY_ASSIGN(const std::int64_t count, list_number_in(c, 1));
  if (count < 0) return invalid("TensorListSlice expects size to be non-negative. Got: {}", count);
  Variant resized = *list;
  resized.tensors.resize(static_cast<std::size_t>(count));
  return c.give(0, make_variant(std::move(resized)));
}

Status list_length(KernelContext& c, const ListOp&) {
  TARRY_ASSIGN(const Variant* list, list_in(c, 0));
  return c.give(0, make_scalar(static_cast<std::int32_t>(list->tensors.size())));
}

Status list_element_shape(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, list_in(c, 0));
  const Shape& shape = list->element_shape;
  const Dims dims = shape.unknown_rank ? Dims{-1} : shape.dims;
  return for_number(op.shape_type, [&]<class T>() {
    MutableTensor t = make_tensor(op.shape_type, shape.unknown_rank ? Shape() : Shape({shape.rank()}));
    std::ranges::transform(dims, t->mutable_as<T>().begin(), [](std::int64_t d) { return static_cast<T>(d); });
    return c.give(0, t);
  });
}

Status list_push_back(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, list_in(c, 0));
  if (!fits_shape(list->element_shape, c.shape(1)))
    return invalid("Tried to append a tensor with incompatible shape to a list. Op element shape: {} list shape: {}",
                   to_string(c.shape(1)), to_string(list->element_shape));
  TARRY_RETURN_IF_ERROR(check_list_type(*list, op.type));
  if (list->most_elements != -1 && std::cmp_greater_equal(list->tensors.size(), list->most_elements))
    return invalid("Tried to push item into a full list list size: {} max_num_elements: {}", list->tensors.size(),
                   list->most_elements);
  Variant longer = *list;
  longer.tensors.push_back(snapshot(c.inputs[1].tensor));
  return c.give(0, make_variant(std::move(longer)));
}

// What the list and an input say of the elements' shape.
StatusOr<Shape> element_shape_of(const KernelContext& c, const Variant& list, std::size_t input) {
  TARRY_ASSIGN(const Shape wanted, shape_in(c, input));
  return merged_shape(wanted, list.element_shape);
}

StatusOr<Shape> with_those_set(Shape shape, const std::vector<TensorRef>& tensors) {
  for (const TensorRef& t : tensors)
    if (t) {
      TARRY_ASSIGN(shape, merged_shape(shape, t->shape()));
    }
  return shape;
}

Status list_pop_back(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, typed_list_in(c, op));
  if (list->tensors.empty()) return invalid("Trying to pop from an empty list.");
  TensorRef last = list->tensors.back();
  if (!last) {
    TARRY_ASSIGN(const Shape shape, element_shape_of(c, *list, 1));
    if (!shape.fully_known())
      return invalid("Trying to read an uninitialized tensor but element_shape is not fully defined.{}",
                     to_string(shape));
    last = zero_tensor(op.type, shape, op.limit);
  }
  Variant shorter = *list;
  shorter.tensors.pop_back();
  c.set(0, make_variant(std::move(shorter)));
  return c.give(1, std::move(last));
}

StatusOr<TensorRef> element_or_zeros(const KernelContext& c, const ListOp& op, const Variant& list, std::size_t i) {
  if (list.tensors[i]) return list.tensors[i];
  TARRY_ASSIGN(Shape shape, element_shape_of(c, list, 2));
  if (!shape.fully_known()) {
    TARRY_ASSIGN(shape, with_those_set(std::move(shape), list.tensors));
  }
  if (!shape.fully_known())
    return invalid(
        "Trying to read an uninitialized tensor but element_shape is not fully defined: {} and no list element is set.",
        to_string(shape));
  return zero_tensor(op.type, shape, op.limit);
}

Status list_get_item(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, typed_list_in(c, op));
  TARRY_ASSIGN(const std::int64_t i, list_number_in(c, 1));
  if (i < 0 || std::cmp_greater_equal(i, list->tensors.size()))
    return invalid("Trying to access element {} in a list with {} elements.", i, list->tensors.size());
  TARRY_ASSIGN(TensorRef item, element_or_zeros(c, op, *list, static_cast<std::size_t>(i)));
  return c.give(0, std::move(item));
}

Status list_set_item(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, typed_list_in(c, op));
  TARRY_ASSIGN(const std::int64_t i, list_number_in(c, 1));
  if (i < 0 || (!op.resizes && std::cmp_greater_equal(i, list->tensors.size())))
    return invalid("Trying to modify element {} in a list with {} elements.", i, list->tensors.size());
  if (!fits_shape(list->element_shape, c.shape(2)))
    return invalid(
        "Tried to set a tensor with incompatible shape at a list index. Item element shape: {} list shape: {}",
        to_string(c.shape(2)), to_string(list->element_shape));
  Variant changed = *list;
  const auto at = static_cast<std::size_t>(i);
  if (at >= changed.tensors.size()) changed.tensors.resize(at + 1);
  changed.tensors[at] = snapshot(c.inputs[2].tensor);
  return c.give(0, make_variant(std::move(changed)));
}

Status list_stack(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, typed_list_in(c, op));
  if (op.count != -1 && std::cmp_not_equal(list->tensors.size(), op.count))
    return invalid("Operation expected a list with {} elements but got a list with {} elements.", op.count,
                   list->tensors.size());
  TARRY_ASSIGN(Shape shape, element_shape_of(c, *list, 1));
  if (!shape.fully_known() && list->tensors.empty())
    return invalid("Tried to stack elements of an empty list with non-fully-defined element_shape: {}",
                   to_string(shape));
  TARRY_ASSIGN(shape, with_those_set(std::move(shape), list->tensors));
  if (!shape.fully_known())
    return invalid(
        "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: {}",
        to_string(shape));
  return c.give(0, stacked(list->tensors, op.type, shape, op.limit));
}

Status no_element(const Variant& list, std::int64_t i) {
  if (list.element_shape.fully_known())
    return invalid("Index {} out o range; list only has {} elements.", i, list.tensors.size());
  return invalid("Trying to gather element {} in a list with {} elements.", i, list.tensors.size());
}

Status list_gather(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, typed_list_in(c, op));
  TARRY_ASSIGN(Shape shape, element_shape_of(c, *list, 2));
  TARRY_ASSIGN(const Dims indices, list_indices_in(c, 1));
  if (indices.empty() && !shape.fully_known())
    return invalid("Tried to gather 0-elements from a list with non-fully-defined shape: {}", to_string(shape));
  std::vector<TensorRef> found;
  for (const std::int64_t i : indices) {
    if (i < 0 || std::cmp_greater_equal(i, list->tensors.size())) return no_element(*list, i);
    found.push_back(list->tensors[static_cast<std::size_t>(i)]);
  }
  TARRY_ASSIGN(shape, with_those_set(std::move(shape), found));
  if (!shape.fully_known())
    return invalid("Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: {}",
                   to_string(shape));
  return c.give(0, stacked(found, op.type, shape, op.limit));
}

// ---- TensorListConcatV2 (list, element_shape, the first dimensions of elements that are not set) ----

struct JoinedElements {
  std::int64_t first;  // the first dimension of all; -1 = not known, or they differ
  Shape rest;          // the other dimensions
};

StatusOr<JoinedElements> joined_elements(const KernelContext& c, const Variant& list) {
  TARRY_ASSIGN(Shape rest, element_shape_of(c, list, 1));
  if (!rest.unknown_rank && rest.dims.empty())
    return invalid("Concat requires elements to be at least vectors, found scalars instead.");
  const std::int64_t first = rest.unknown_rank ? -1 : rest.dims[0];
  if (!rest.unknown_rank) rest.dims.erase(rest.dims.begin());
  if (list.tensors.empty() && !rest.fully_known())
    return invalid(
        "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: {}",
        to_string(rest));
  return JoinedElements{first, std::move(rest)};
}

// What the elements themselves say.
Status join_elements(const Variant& list, JoinedElements& all) {
  Dims firsts;
  for (std::size_t i = 0; i < list.tensors.size(); ++i) {
    if (!list.tensors[i]) continue;
    Shape own = list.tensors[i]->shape();
    if (own.dims.empty()) return invalid("Concat saw a scalar shape at index {} but requires at least vectors.", i);
    firsts.push_back(own.dims[0]);
    own.dims.erase(own.dims.begin());
    TARRY_ASSIGN(all.rest, merged_shape(all.rest, own));
    if (all.first != -1 && all.first != firsts.back())
      return invalid(
          "First entry of element_shape input does not match the first dim of list element at index: {} Expected: {} "
          "Actual: {}",
          i, all.first, firsts.back());
  }
  if (!firsts.empty() && std::ranges::count(firsts, firsts[0]) == std::ssize(firsts)) all.first = firsts[0];
  return {};
}

constexpr std::int64_t kLongestPart = std::int64_t{1} << 40;  // so that lengths can be added up

StatusOr<std::int64_t> length_of_element(const KernelContext& c, const Variant& list, std::int64_t first,
                                         std::size_t i) {
  if (list.tensors[i]) return list.tensors[i]->shape().dims[0];
  const std::int64_t given = c.in(2).elements();
  if (std::cmp_less(i, given)) {
    TARRY_ASSIGN(const Dims lengths, list_indices_in(c, 2));
    if (lengths[i] >= 0 && lengths[i] <= kLongestPart) return lengths[i];
    return invalid("leading_dims[{}] = {} is no length of an element", i, lengths[i]);
  }
  if (first != -1) return first;
  return invalid("List contains uninitialized tensor at index {} but leading_dims has only {} elements.", i, given);
}

TensorRef joined(const Variant& list, const Dims& lengths, const Shape& rest, std::int64_t limit) {
  Shape whole = rest;
  whole.dims.insert(whole.dims.begin(), std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  const auto has_none = [](const TensorRef& t) { return t && !t->has_data(); };
  const bool is_small = whole.dims[0] <= limit && rest.elements() <= limit && whole.elements() <= limit;
  if (!is_small || std::ranges::any_of(list.tensors, has_none)) return make_shape_only(list.element_type, whole);
  MutableTensor to = make_tensor(list.element_type, whole);
  std::size_t at = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto count = static_cast<std::size_t>(lengths[i] * rest.elements());
    if (list.tensors[i]) copy_elements(*to, at, *list.tensors[i], 0, count);
    at += count;
  }
  return to;
}

Status list_concat(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Variant* list, typed_list_in(c, op));
  TARRY_ASSIGN(JoinedElements all, joined_elements(c, *list));
  TARRY_RETURN_IF_ERROR(join_elements(*list, all));
  if (!all.rest.fully_known())
    return invalid(
        "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully "
        "defined: {}",
        to_string(all.rest));
  Dims lengths;
  for (std::size_t i = 0; i < list->tensors.size(); ++i) {
    TARRY_ASSIGN(const std::int64_t length, length_of_element(c, *list, all.first, i));
    lengths.push_back(length);
  }
  c.set(0, joined(*list, lengths, all.rest, op.limit));
  return c.give(1, make_vector(lengths));
}

Status check_list_rows(const TensorBody& t, const Shape& wanted) {
  if (t.shape().rank() < 1) return invalid("Tensor must be at least a vector, but saw shape: {}", to_string(t.shape()));
  Shape row = t.shape();
  row.dims.erase(row.dims.begin());
  if (fits_shape(wanted, row)) return {};
  return invalid("Specified a list with shape {} from a tensor with shape {}", to_string(wanted), to_string(row));
}

Status list_from_tensor(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Shape shape, shape_in(c, 1));
  TARRY_RETURN_IF_ERROR(check_list_rows(c.in(0), shape));
  return c.give(0, make_variant({.element_type = op.type, .element_shape = shape, .tensors = rows_of(c.in(0))}));
}

// Row i of the tensor becomes element indices[i], below `count` unless that is -1. REQUIRES: an index for each row.
Status put_rows(Variant& list, const TensorBody& t, const Dims& indices, std::int64_t count) {
  const std::vector<TensorRef> rows = rows_of(t);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (indices[i] < 0) return invalid("Indices in TensorListScatter must all be non-negative.");
    const auto at = static_cast<std::size_t>(indices[i]);
    if (count != -1 && indices[i] >= count)
      return invalid("TensorListScatter: Trying to scatter at index {} in list with size {}", at, count);
    if (at >= list.tensors.size()) list.tensors.resize(at + 1);
    list.tensors[at] = rows[i];
  }
  return {};
}

// Inputs: tensor, indices, element_shape, num_elements.
Status list_scatter(KernelContext& c, const ListOp& op) {
  TARRY_ASSIGN(const Shape shape, shape_in(c, 2));
  TARRY_ASSIGN(const std::int64_t count, list_number_in(c, 3));
  if (count < -1) return invalid("TensorListScatter expects num_elements >= -1, found: {}", count);
  TARRY_RETURN_IF_ERROR(check_list_rows(c.in(0), shape));
  TARRY_ASSIGN(const Dims indices, list_indices_in(c, 1));
  if (const std::int64_t rows = c.shape(0).dims[0]; rows != std::ssize(indices))
    return invalid("Invalid number of rows in input tensor. Expected: {} Actual: {}", indices.size(), rows);
  Variant list{.element_type = op.type, .element_shape = shape};
  if (count > 0) list.tensors.resize(static_cast<std::size_t>(count));
  TARRY_RETURN_IF_ERROR(put_rows(list, c.in(0), indices, count));
  return c.give(0, make_variant(std::move(list)));
}

// Inputs: list, tensor, indices. Nobody looks whether the rows have the shape of the list's elements.
Status list_scatter_into(KernelContext& c, const ListOp& /*op*/) {
  TARRY_ASSIGN(const Variant* list, list_in(c, 0));
  if (const DataType type = c.in(1).dtype(); type != list->element_type)
    return invalid("Invalid data types; input tensor type: {} list element_type: {}", type_name(type),
                   type_name(list->element_type));
  TARRY_RETURN_IF_ERROR(check_list_rows(c.in(1), Shape::unknown()));
  TARRY_ASSIGN(const Dims indices, list_indices_in(c, 2));
  if (const std::int64_t rows = c.shape(1).dims[0]; rows != std::ssize(indices))
    return invalid("Expected len(indices) == tensor.shape[0], but saw: {} vs. {}", indices.size(), rows);
  Variant changed = *list;
  TARRY_RETURN_IF_ERROR(put_rows(changed, c.in(1), indices, -1));
  return c.give(0, make_variant(std::move(changed)));
}

template <Status (*run)(KernelContext&, const ListOp&)>
constexpr MakeKernel kListOp = make_from_setup<ListKernel<run>>;

constexpr KernelRow kTensorListRows[] = {
    {"EmptyTensorList", kListOp<list_empty>},
    {"TensorListReserve", kListOp<list_reserve>},
    {"TensorListResize", kListOp<list_resize>},
    {"TensorListLength", kListOp<list_length>},
    {"TensorListElementShape", kListOp<list_element_shape>},
    {"TensorListPushBack", kListOp<list_push_back>},
    {"TensorListPopBack", kListOp<list_pop_back>},
    {"TensorListGetItem", kListOp<list_get_item>},
    {"TensorListSetItem", kListOp<list_set_item>},
    {"TensorListStack", kListOp<list_stack>},
    {"TensorListGather", kListOp<list_gather>},
    {"TensorListConcatV2", kListOp<list_concat>},
    {"TensorListFromTensor", kListOp<list_from_tensor>},
    {"TensorListSplit", make_list_split},
    {"TensorListScatterV2", kListOp<list_scatter>},
    {"TensorListScatterIntoExistingList", kListOp<list_scatter_into>},
};

}  // namespace

KernelFamily tensor_list_ops() { return kTensorListRows; }

}  // namespace tarry
