// Conditional accumulators: the ops around accumulator.hpp, dense and sparse, reference and resource kinds.

#include "placer/graph/shape_faults.hpp"
#include "workers/auditor.hpp"
#include "workers/env.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/signature.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

// An accumulator's node: what the accumulator is to be.
struct AccumulatorSpec {
  KernelHost& host;
  std::string container;
  std::string node_name;  // or its shared name: so it is logged
  NameId logged_as;
  DataType dtype;
  Shape shape;
  Reduction reduction;
  bool sparse;

  explicit AccumulatorSpec(const KernelSetup& s)
      : host(s.host),
        container(container_of(s)),
        node_name(resource_name(s)),
        logged_as(host.env->name(node_name)),
        dtype(attr_or(s.attrs, "dtype", DataType::kFloat)),
        shape(attr_or(s.attrs, "shape", Shape::unknown())),
        reduction(attr_or(s.attrs, "reduction_type", std::string("MEAN")) == "SUM" ? Reduction::sum : Reduction::mean),
        sparse(s.op.find("Sparse") != std::string_view::npos) {}
  [[nodiscard]] std::unique_ptr<AccumulatorResource> make() const;
};

std::unique_ptr<AccumulatorResource> AccumulatorSpec::make() const {
  auto a = std::make_unique<AccumulatorResource>(Accumulator(node_name, dtype, shape, reduction, sparse));
  Env& env = *host.env;
  a->accumulator.planted = host.planted;
  a->accumulator.auditor = host.auditor;
  a->accumulator.on_pushed = [&env, id = logged_as, task = host.task](std::int64_t local, std::int64_t step,
                                                                      bool accepted, std::uint64_t tag) {
    env.note(GradientPushed{task, id, StepId{tag}, local, step, accepted});
  };
  a->accumulator.on_taken = [&env, id = logged_as, task = host.task](std::int64_t averaged, std::int64_t step,
                                                                     std::uint64_t tag) {
    env.note(AggregateTaken{task, id, StepId{tag}, averaged, step});
  };
  return a;
}

StatusOr<std::unique_ptr<Kernel>> make_accumulator(const KernelSetup& s) {
  if (const auto fault = fault_of_partial(attr_or(s.attrs, "shape", Shape::unknown())); !fault.empty())
    return invalid("{}", fault);
  const auto find_or_make = [spec = AccumulatorSpec(s)](const std::string& name) -> StatusOr<Resource*> {
    return spec.host.resources->find_or_make<AccumulatorResource>(spec.container, name, [&] { return spec.make(); });
  };
  return std::make_unique<ObjectKernel>(s, ObjectKernel::When::first, find_or_make);
}

Accumulator& accumulator_of(const KernelContext& c) {
  Accumulator& a = static_cast<AccumulatorResource&>(*c.inputs[0].resource).accumulator;
  a.tag = c.step->id.value;
  return a;
}

constexpr InputRule kLocalStep{1, "Argument local_step must be scalar, but had bad shape {}"};

// Calls `use(the number)`. 2.15.1 refuses a step of one element that is no scalar, and uses it all the same.
template <class Use>
Status use_step(const KernelContext& c, const InputRule& rule, Use&& use) {
  TARRY_ASSIGN(const std::int64_t step, integer_in(c, {rule.input, rule.refusal, Takes::one_element}));
  const Status used = use(step), refusal = check_input(c, rule);
  return refusal.ok() ? used : refusal;
}

constexpr InputRule kNumRequired{
    1, "Argument num_required must be scalar, but had bad shape {}"};  // also said of new_global_step

// Inputs: handle, local_step, gradient.
class ApplyKernel : public Kernel {
 public:
  explicit ApplyKernel(const KernelSetup& s) : signature_(s) {}
  Status compute(KernelContext& c) override {
    TARRY_RETURN_IF_ERROR(signature_.match({DataType::kInt64, accumulator_of(c).dtype()}, {}));
    return use_step(c, kLocalStep,
                    [&](std::int64_t step) { return accumulator_of(c).apply(step, c.inputs[2].tensor); });
  }

 private:
  Signature signature_;
};

// Inputs: handle, local_step, indices, values, shape.
class SparseApplyKernel : public Kernel {
 public:
  explicit SparseApplyKernel(const KernelSetup& s)
      : signature_(s), has_known_shape_(attr_or(s.attrs, "has_known_shape", true)) {}
  Status compute(KernelContext& c) override {
    constexpr DataType kWhole = DataType::kInt64;
    TARRY_RETURN_IF_ERROR(signature_.match({kWhole, kWhole, accumulator_of(c).dtype(), kWhole}, {}));
    return use_step(c, kLocalStep, [&](std::int64_t step) {
      return accumulator_of(c).apply_sparse(
          step, {c.inputs[2].tensor, c.inputs[3].tensor, c.inputs[4].tensor, has_known_shape_});
    });
  }

 private:
  Signature signature_;
  bool has_known_shape_;
};

// Inputs: handle, num_required.
class TakeKernel : public Kernel {
 public:
  explicit TakeKernel(const KernelSetup& s) : host_(s.host), signature_(s) {}
  [[nodiscard]] bool is_async() const override { return true; }
  void compute_async(KernelContext& c) override {
    if (Status s = check_types(c); !s.ok()) return c.done(s);
    const auto required = integer_in(c, kNumRequired);
    if (!required.ok()) return c.done(required.status());
    Accumulator& a = accumulator_of(c);
    host_.env->note(TakeIssued{host_.task, host_.env->name(a.name()), c.step->id, *required});
    a.take(*required, c.step->cancellation, [&c](StatusOr<std::vector<TensorRef>> taken) {
      if (!taken.ok()) return c.done(taken.status());
      for (std::size_t i = 0; i < c.outputs.size(); ++i) c.set(i, (*taken)[i]);
      c.done(Status());
    });
  }

 private:
  [[nodiscard]] Status check_types(const KernelContext& c) const {
    const DataType type = accumulator_of(c).dtype(), whole = DataType::kInt64;
    return signature_.match({DataType::kInt32},
                            c.outputs.size() == 1 ? DataTypes{type} : DataTypes{whole, type, whole});
  }

  KernelHost& host_;
  Signature signature_;
};

// Inputs: handle, new_global_step.
class SetStepKernel : public Kernel {
 public:
  explicit SetStepKernel(KernelHost& host) : host_(host) {}
  Status compute(KernelContext& c) override {
    return use_step(c, kNumRequired, [&](std::int64_t step) { return set(accumulator_of(c), step); });
  }

 private:
  Status set(Accumulator& a, std::int64_t step) const {
    Env& env = *host_.env;
    mark_if(step < a.step(), host_.auditor, Mark::accumulator_set_back);
    if (step < a.step())
      env.note(LogLine{host_.task, 'W',
                       env.name(fmt::format("Attempt to set current_global_step_ to smaller value: "
                                            "current_global_step_ = {} >= {} = new_global_step.",
                                            a.step(), step))});
    a.set_step(step);
    env.note(AccumulatorStepSet{host_.task, env.name(a.name()), step});
    return {};
  }

  KernelHost& host_;
};

class CountKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    return c.give(0, make_scalar(static_cast<std::int32_t>(accumulator_of(c).count())));
  }
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> make_hosted(const KernelSetup& s) {
  return std::make_unique<K>(s.host);
}

constexpr KernelRow kAccumulatorRows[] = {
    {"ConditionalAccumulator", make_accumulator},
    {"ResourceConditionalAccumulator", make_accumulator},
    {"SparseConditionalAccumulator", make_accumulator},
    {"AccumulatorApplyGradient", make_from_setup<ApplyKernel>},
    {"ResourceAccumulatorApplyGradient", make_from_setup<ApplyKernel>},
    {"SparseAccumulatorApplyGradient", make_from_setup<SparseApplyKernel>},
    {"AccumulatorTakeGradient", make_from_setup<TakeKernel>},
    {"ResourceAccumulatorTakeGradient", make_from_setup<TakeKernel>},
    {"SparseAccumulatorTakeGradient", make_from_setup<TakeKernel>},
    {"AccumulatorSetGlobalStep", make_hosted<SetStepKernel>},
    {"ResourceAccumulatorSetGlobalStep", make_hosted<SetStepKernel>},
    {"AccumulatorNumAccumulated", make_plain<CountKernel>},
    {"ResourceAccumulatorNumAccumulated", make_plain<CountKernel>},
};

}  // namespace

KernelFamily accumulator_ops() { return {kAccumulatorRows, ResourceKind::accumulator}; }

}  // namespace tarry
