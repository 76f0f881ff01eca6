// AccumulateNV2 becomes a temporary variable of zeros to which each input is added (docs/rules/runtime.md#A.6.7).

#include "placer/lower/rewriting.hpp"

namespace tarry {
namespace {

class Sum {
 public:
  Sum(Rewriting& r, NodeId n)
      : r_(r),
        g_(r.g),
        n_(n),
        name_(g_.name(n)),
        device_(g_.requested_device(n)),
        type_(base_type(g_.output_type(n, 0))),
        variable_(name_ + "/Internal/Accumulator") {}

  Status run() {
    TARRY_RETURN_IF_ERROR(add_variable());
    for (int slot = 0; slot < g_.input_count(n_); ++slot) {
      TARRY_ASSIGN(const NodeId added,
                   add("AssignAdd", of_type({{"use_locking", true}}), {{zeros_, 0}, r_.input(n_, slot)}));
      added_.push_back(added);
    }
    const std::vector<OutEdge> consumers = r_.consumers(n_);
    g_.remove_node(n_);
    TARRY_ASSIGN(const NodeId total, r_.add({name_,
                                             "DestroyTemporaryVariable",
                                             device_,
                                             beside(of_type({{"var_name", variable_}})),
                                             {{zeros_, 0}},
                                             added_},
                                            n_));
    for (const OutEdge& c : consumers) {
      if (c.dst_slot == kControlSlot)
        r_.add_control_once(total, c.dst);
      else
        g_.add_edge(total, 0, c.dst, c.dst_slot);
    }
    return {};
  }

 private:
  // Zeros of the first input's shape.
  Status add_variable() {
    TARRY_ASSIGN(const NodeId variable,
                 add("TemporaryVariable", {{"shape", Shape({0})}, {"dtype", type_}, {"var_name", variable_}}, {}));
    TARRY_ASSIGN(const NodeId shape, add("Shape", of_type({{"out_type", DataType::kInt32}}), {r_.input(n_, 0)}));
    auto zero = std::make_shared<TensorSpec>();
    zero->dtype = type_;
    TARRY_ASSIGN(const NodeId none,
                 add("Const", {{"dtype", type_}, {"value", std::shared_ptr<const TensorSpec>(zero)}}, {}));
    TARRY_ASSIGN(const NodeId filled,
                 add("Fill", of_type({{"index_type", DataType::kInt32}}), {{shape, 0}, {none, 0}}));
    TARRY_ASSIGN(zeros_, add("Assign", of_type({{"validate_shape", false}, {"use_locking", true}}),
                             {{variable, 0}, {filled, 0}}, r_.control_inputs(n_)));
    return {};
  }

  [[nodiscard]] Attrs of_type(Attrs attrs) const {
    attrs.set("T", type_);
    return attrs;
  }
  [[nodiscard]] Attrs beside(Attrs attrs) const {
    if (const AttrValue* place = g_.node(n_).attrs.find("_class"); place != nullptr) attrs.set("_class", *place);
    return attrs;
  }
  StatusOr<NodeId> add(std::string_view op, Attrs attrs, std::vector<NodeOutput> inputs,
                       std::vector<NodeId> controls = {}) {
    return r_.add({r_.new_name(name_ + "/Internal", n_), op, device_, beside(std::move(attrs)), std::move(inputs),
                   std::move(controls)},
                  n_);
  }

  Rewriting& r_;
  Graph& g_;
  const NodeId n_;
  const std::string name_, device_;
  const DataType type_;
  const std::string variable_;
  NodeId zeros_;
  std::vector<NodeId> added_;
};

}  // namespace

Status lower_sum(Rewriting& r, NodeId n) { return Sum(r, n).run(); }

}  // namespace tarry
