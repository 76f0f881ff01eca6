#include "workers/train/build/accumulators.hpp"

#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

std::string named(const char* name) { return std::string(kSyncScope) + "/" + name; }

// The shape of a variable's gradient, by its variable's `shape`.
Shape shape_of(const NodeSpec& variable) { return *variable.attrs.get<Shape>("shape"); }
DataType type_of(const NodeSpec& variable) { return *variable.attrs.get<DataType>("dtype"); }

class Maker {
 public:
  Maker(GraphEditor& g, StepAccess& steps, const LocalStep& local, const Gradient& gradient, const std::string& worker)
      : g_(g),
        steps_(steps),
        local_(local),
        gradient_(gradient),
        variable_(g.at(gradient.variable)),
        type_(type_of(variable_)) {
    out_.device = within(worker, variable_.device);
    out_.is_sparse = gradient.is_sparse();
  }

  GradientAccumulator make(int replicas) {
    out_.name = gradient_.is_sparse() ? add_sparse() : add_dense();
    out_.apply = gradient_.is_sparse() ? push_sparse() : push_dense();
    out_.take = take(replicas);
    return out_;
  }

 private:
  [[nodiscard]] std::string shared_name() const { return variable_.name + ":0/grad_accum"; }

  std::string add(const char* op, const char* name, const std::string& device, const Shape& shape) {
    return g_.add({named(name),
                   op,
                   device,
                   {},
                   {{"container", ""},
                    {"dtype", type_},
                    {"reduction_type", "MEAN"},
                    {"shape", shape},
                    {"shared_name", shared_name()}}});
  }
  // The resource accumulator is one of the ops that a device setter puts on servers; the sparse one is not.
  std::string add_dense() {
    return add("ResourceConditionalAccumulator", "conditional_accumulator", variable_.device, shape_of(variable_));
  }
  std::string add_sparse() {
    return add("SparseConditionalAccumulator", "sparse_conditional_accumulator", out_.device, Shape());
  }

  std::string push_dense() {
    const std::string step = steps_.local_step(local_, kSyncScope);
    return g_.add({named("ResourceAccumulatorApplyGradient"),
                   "ResourceAccumulatorApplyGradient",
                   out_.device,
                   {out_.name, step, gradient_.values},
                   {{"dtype", type_}}});
  }

  std::string to_int64(const std::string& tensor, DataType type) {
    if (type == DataType::kInt64) return tensor;
    return g_.add({named("Cast"),
                   "Cast",
                   out_.device,
                   {tensor},
                   {{"DstT", DataType::kInt64}, {"SrcT", type}, {"Truncate", false}}});
  }

  // The type of a dense shape: what made it says so.
  [[nodiscard]] DataType shape_type() const {
    const NodeSpec& n = g_.at(node_of(gradient_.dense_shape));
    for (const char* attr : {"DstT", "out_type", "dtype"})
      if (const auto* type = n.attrs.get<DataType>(attr)) return *type;
    return DataType::kInt32;
  }

  std::string dense_shape() {
    if (!gradient_.dense_shape.empty()) return to_int64(gradient_.dense_shape, shape_type());
    return g_.add(constant(named("Cast/x"), out_.device, DataType::kInt64, int_tensor(DataType::kInt64, {})));
  }

  std::string push_sparse() {
    const std::string step = steps_.local_step(local_, kSyncScope),
                      indices = to_int64(gradient_.indices, gradient_.index_type), shape = dense_shape();
    return g_.add(
        {named("SparseAccumulatorApplyGradient"),
         "SparseAccumulatorApplyGradient",
         out_.device,
         {out_.name, step, indices, gradient_.values, shape},
         {{"_class", colocation(out_.name)}, {"dtype", type_}, {"has_known_shape", !gradient_.dense_shape.empty()}}});
  }

  std::string take(int replicas) {
    const char* op = out_.is_sparse ? "SparseAccumulatorTakeGradient" : "ResourceAccumulatorTakeGradient";
    const std::string name = g_.unique_name(named(op));
    const std::string required = g_.insert(constant(name + "/num_required", out_.device, DataType::kInt32,
                                                    int_tensor(DataType::kInt32, {replicas}, true)));
    NodeSpec n{name, op, out_.device, {out_.name, required}, {{"dtype", type_}}};
    if (out_.is_sparse) n.attrs.set("_class", colocation(out_.name));
    n.attrs.set("_output_shapes", taken_shapes());
    return g_.insert(std::move(n));
  }

  // As a client infers them: a dense mean has the variable's shape; of a sparse one nothing is known but the ranks.
  [[nodiscard]] AttrValue taken_shapes() const {
    if (!out_.is_sparse) return AttrList{.shape = {shape_of(variable_)}};
    return AttrList{.shape = {Shape({-1}), Shape::unknown(), Shape({-1})}};
  }

  GraphEditor& g_;
  StepAccess& steps_;
  const LocalStep& local_;
  const Gradient& gradient_;
  const NodeSpec& variable_;
  DataType type_;
  GradientAccumulator out_;
};

}  // namespace

GradientAccumulator add_accumulator(GraphEditor& g, StepAccess& steps, const LocalStep& local, const Gradient& gradient,
                                    int replicas, const std::string& worker) {
  GradientAccumulator made = Maker(g, steps, local, gradient, worker).make(replicas);
  replace_gradient(g, gradient, {made.is_sparse ? made.take + ":1" : made.take, made.take, DataType::kInt64});
  return made;
}

std::string add_set_global_step(GraphEditor& g, StepAccess& steps, const GradientAccumulator& a) {
  NodeSpec n{named("SetGlobalStep"),
             a.is_sparse ? "AccumulatorSetGlobalStep" : "ResourceAccumulatorSetGlobalStep",
             a.device,
             {a.name, steps.global_step(kSyncScope)},
             {}};
  if (a.is_sparse) n.attrs.set("_class", colocation(a.name));
  return g.add(std::move(n));
}

}  // namespace tarry
