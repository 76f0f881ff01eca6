#include <algorithm>

#include "properties/programs/writer.hpp"

namespace tarry {
namespace {

AttrEntry dtype_attr(DataType t) { return {"dtype", t}; }
AttrEntry list_attr(const char* name, DataType t) {
  AttrList list;
  list.type = {t};
  return {name, AttrValue(std::move(list))};
}

}  // namespace

bool Writer::has_reachable() const {
  return std::ranges::any_of(objects_, [](const Object& o) { return o.reachable; });
}

Writer::Object& Writer::reachable_object() {
  const std::size_t first = random_.below(objects_.size());
  for (std::size_t i = 0;; ++i)
    if (Object& o = objects_[(first + i) % objects_.size()]; o.reachable) return o;
}

void Writer::make_object() {
  const DataType type = random_.chance(1, 2) ? DataType::kInt32 : DataType::kFloat;
  const std::string device = client_.any_device();
  const auto handle = [&](const char* op, std::vector<AttrEntry> attrs) {
    return client_.add_tensor(op, {}, std::move(attrs), DataType::kResource, {}, {}, device);
  };
  switch (random_.below(4)) {
    case 0:
      objects_.push_back(
          {Kind::queue,
           handle("FIFOQueueV2", {list_attr("component_types", type),
                                  {"capacity", std::int64_t{1} + static_cast<std::int64_t>(random_.below(3))}}),
           type,
           {},
           client_.constant(Shape(), {1.0F})});
      return;
    case 1:
      objects_.push_back(new_array(8));
      return;
    case 2: {
      Tensor ref =
          client_.add_tensor("VariableV2", {}, {dtype_attr(type), {"shape", Shape()}}, ref_type(type), {}, {}, device);
      ref.device = device;
      objects_.push_back({Kind::reference_variable, ref, type, {}, client_.constant(Shape(), {2.0F})});
      break;
    }
    default:
      objects_.push_back(
          {Kind::resource_variable,
           handle("VarHandleOp",
                  {dtype_attr(type), {"shape", Shape()}, {"shared_name", fmt::format("variable_{}", objects_.size())}}),
           type,
           {},
           client_.constant(Shape(), {3.0F})});
  }
  if (!random_.chance(1, 25)) initialize(objects_.back());
}

// A resource variable perhaps only if it has no value yet: then the step before shows.
void Writer::initialize(Object& v) {
  const Tensor value = pick(v.type);
  const Tensor now = client_.identity(v.order);
  if (v.kind == Kind::reference_variable) {
    v.order = client_.identity(
        now, {client_.add("Assign", {v.handle, value}, {type_attr(v.type)}, {now.name}, v.handle.device)});
    return;
  }
  const auto assigned = [&] {
    const Tensor here = client_.identity(now);
    return Tensors{client_.identity(here, {client_.add("AssignVariableOp", {v.handle, value}, {dtype_attr(v.type)},
                                                       {here.name}, v.handle.device)})};
  };
  if (random_.chance(1, 2)) return void(v.order = assigned()[0]);
  const Tensor known =
      client_.add_tensor("VarIsInitializedOp", {v.handle}, {}, DataType::kBool, {}, {}, v.handle.device);
  v.order = client_.cond(
      known, [&] { return Tensors{client_.identity(now)}; }, assigned)[0];
}

void Writer::touch() {
  Object& o = reachable_object();
  switch (o.kind) {
    case Kind::resource_variable:
      return touch_variable(o);
    case Kind::reference_variable:
      return touch_reference(o);
    case Kind::queue:
      return touch_queue(o);
    case Kind::array:
      return touch_array(o);
  }
}

void Writer::touch_variable(Object& v) {
  const Tensor value = pick(v.type), now = client_.identity(v.order);
  if (random_.chance(1, 2)) {
    const Tensor got =
        client_.add_tensor("ReadVariableOp", {v.handle}, {dtype_attr(v.type)}, v.type, {}, {now.name}, v.handle.device);
    push(bounded(got));
    v.order = client_.identity(now, {got.name});
    return;
  }
  const char* op = random_.chance(1, 2) ? "AssignVariableOp" : "AssignAddVariableOp";
  v.order =
      client_.identity(now, {client_.add(op, {v.handle, value}, {dtype_attr(v.type)}, {now.name}, v.handle.device)});
}

// What reads a reference sees later assignments too: so it computes at once, where the variable is.
void Writer::touch_reference(Object& v) {
  const Tensor value = pick(v.type), now = client_.identity(v.order);
  if (random_.chance(1, 2)) {
    const Tensor got =
        client_.add_tensor("AddV2", {v.handle, value}, {type_attr(v.type)}, v.type, {}, {now.name}, v.handle.device);
    push(bounded(got));
    v.order = client_.identity(now, {got.name});
    return;
  }
  v.order = client_.identity(now, {client_.add(random_.chance(1, 2) ? "Assign" : "AssignAdd", {v.handle, value},
                                               {type_attr(v.type)}, {now.name}, v.handle.device)});
}

// One in, one out, at once or one after the other; rarely only out, which waits for ever.
void Writer::touch_queue(Object& q) {
  const Tensor value = pick(q.type), now = client_.identity(q.order);
  std::vector<std::string> last;
  if (!random_.chance(1, 40))
    last.push_back(client_.add("QueueEnqueueV2", {q.handle, value}, {list_attr("Tcomponents", q.type)}, {now.name},
                               q.handle.device));
  const bool one_by_one = !last.empty() && random_.chance(1, 2);
  const Tensor got = client_.add_tensor("QueueDequeueV2", {q.handle}, {list_attr("component_types", q.type)}, q.type,
                                        {}, {one_by_one ? last[0] : now.name}, q.handle.device);
  push(got);
  last.push_back(got.name);
  q.order = client_.identity(now, last);
}

// ---- TensorArrays ----

Writer::Object Writer::new_array(std::int32_t size) {
  const std::string device = client_.any_device();
  const std::string node =
      client_.add("TensorArrayV3", {client_.constant(size)},
                  {dtype_attr(DataType::kFloat), {"element_shape", Shape()}, {"clear_after_read", false}}, {}, device);
  const std::size_t here = client_.context();
  return {Kind::array,
          {node, DataType::kResource, {}, here, device},
          DataType::kFloat,
          {},
          {node + ":1", DataType::kFloat, {}, here, ""}};
}

Tensor Writer::written(const Object& a, const Tensor& index, const Tensor& flow) {
  const Tensor value = pick(DataType::kFloat);
  return client_.add_tensor("TensorArrayWriteV3", {a.handle, index, value, flow}, {type_attr(DataType::kFloat)},
                            DataType::kFloat, {}, {}, a.handle.device);
}

Tensor Writer::read(const Object& a, const Tensor& index, const Tensor& flow) {
  return client_.add_tensor("TensorArrayReadV3", {a.handle, index, flow}, {dtype_attr(DataType::kFloat)},
                            DataType::kFloat, {}, {}, a.handle.device);
}

// An element is written once (a second time, in a loop, is an error); what was never written reads as zero.
void Writer::touch_array(Object& a) {
  if (a.written < 8 && random_.chance(1, loops_around_ > 0 ? 8 : 2)) {
    const Tensor index = client_.constant(a.written++);
    a.order = written(a, index, a.order);
    return;
  }
  if (a.written == 0) ++a.written;
  const Tensor index =
      client_.constant(static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(a.written))));
  const Tensor now = client_.identity(a.order);
  const Tensor got = read(a, index, now);
  push(got);
  a.order = client_.identity(now, {got.name});
}

}  // namespace tarry
