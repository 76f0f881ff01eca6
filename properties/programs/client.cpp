#include "properties/programs/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tarry {
namespace {

AttrValue tensor_value(DataType type, const Shape& shape, const void* data, std::size_t bytes) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = type;
  t->shape = shape;
  t->content.assign(static_cast<const char*>(data), bytes);
  return {std::shared_ptr<const TensorSpec>(std::move(t))};
}

}  // namespace

Client::Client(std::vector<std::string> devices, Random& random)
    : devices_(std::move(devices)), random_(random), stay_(random.below(9)) {}

const std::string& Client::any_device() {
  if (random_.below(8) >= stay_) last_device_ = random_.below(devices_.size());
  return devices_[last_device_];
}

std::string Client::emit(const std::string& op, std::vector<std::string> inputs, std::vector<AttrEntry> attrs,
                         const std::string& device) {
  if (is_free(op, inputs)) inputs.push_back("^" + contexts_[current_].pivot);
  std::string name = fmt::format("{}_{}", op, nodes_.size());
  at_[name] = nodes_.size();
  nodes_.push_back({.name = name,
                    .op = op,
                    .device = device.empty() ? any_device() : device,
                    .inputs = std::move(inputs),
                    .attrs = Attrs(std::move(attrs))});
  return name;
}

// A node of a loop that reads nothing but invariants would be alive in iterations in which the rest is dead.
bool Client::is_free(std::string_view op, const std::vector<std::string>& inputs) const {
  if (contexts_[current_].frame.empty() || op == "Enter" || op == "Merge" || inputs.empty()) return false;
  return std::ranges::all_of(inputs, [&](const std::string& input) {
    const NodeSpec& from = nodes_[at_.at(std::string(parse_input(input).node))];
    return !input.starts_with('^') && from.op == "Enter" && *from.attrs.get<bool>("is_constant");
  });
}

// ---- contexts ----

std::string Client::enter(const Tensor& t, const std::string& outer, const Context& loop, bool is_constant) {
  return emit(
      "Enter", {outer},
      {{"T", t.type}, {"frame_name", loop.frame}, {"is_constant", is_constant}, {"parallel_iterations", loop.parallel}},
      t.device);
}

std::string Client::use(const Tensor& t, std::size_t context) {
  if (t.context == context) return t.name;
  const std::string outer = use(t, contexts_[context].parent);
  Context& here = contexts_[context];
  const auto known = here.captured.find(outer);
  if (known != here.captured.end()) return known->second;
  std::string inner = here.frame.empty() ? emit("Switch", {outer, here.predicate}, {{"T", t.type}}, t.device)
                                         : enter(t, outer, here, true);
  if (here.frame.empty() && here.side == 1) inner += ":1";
  return here.captured[outer] = inner;
}

// ---- nodes ----

std::string Client::add(const std::string& op, const Tensors& inputs, std::vector<AttrEntry> attrs,
                        const std::vector<std::string>& controls, const std::string& device) {
  std::vector<std::string> names;
  for (const Tensor& t : inputs) names.push_back(use(t, current_));
  for (const std::string& c : controls) names.push_back("^" + c);
  if (names.empty() && current_ != 0) names.push_back("^" + contexts_[current_].pivot);
  return emit(op, std::move(names), std::move(attrs), device);
}

Tensor Client::add_tensor(const std::string& op, const Tensors& inputs, std::vector<AttrEntry> attrs, DataType type,
                          const Shape& shape, const std::vector<std::string>& controls, const std::string& device) {
  return {add(op, inputs, std::move(attrs), controls, device), type, shape, current_,
          type == DataType::kResource ? device : ""};
}

Tensor Client::constant(const Shape& shape, const std::vector<float>& values) {
  return add_tensor("Const", {},
                    {{"dtype", DataType::kFloat},
                     {"value", tensor_value(DataType::kFloat, shape, values.data(), values.size() * sizeof(float))}},
                    DataType::kFloat, shape);
}

Tensor Client::constant(std::int32_t value) {
  return add_tensor(
      "Const", {},
      {{"dtype", DataType::kInt32}, {"value", tensor_value(DataType::kInt32, Shape(), &value, sizeof value)}},
      DataType::kInt32);
}

Tensor Client::identity(const Tensor& t, const std::vector<std::string>& controls) {
  return add_tensor("Identity", {t}, {{"T", t.type}}, t.type, t.shape, controls, t.device);
}

// ---- loops ----

Tensors Client::while_loop(const Tensors& variables, std::int64_t parallel,
                           const std::function<Tensor(const Tensors&)>& condition,
                           const std::function<Tensors(const Tensors&)>& body) {
  const std::size_t outside = current_, inside = contexts_.size();
  const int number = loops_++;
  contexts_.push_back(
      {.parent = outside,
       .frame = fmt::format("{}/while_context", number == 0 ? "while" : fmt::format("while_{}", number)),
       .parallel = parallel});
  Tensors merges, insides, exits;
  for (const Tensor& v : variables) merges.push_back(merge(v, inside));
  current_ = inside;
  contexts_[inside].pivot = merges[0].name;
  const std::string on = add("LoopCond", {condition(merges)}, {});
  std::vector<std::string> switches;
  for (const Tensor& m : merges) {
    switches.push_back(emit("Switch", {m.name, on}, {{"T", m.type}}, nodes_[at_.at(m.name)].device));
    insides.push_back(
        {emit("Identity", {switches.back() + ":1"}, {{"T", m.type}}, m.device), m.type, m.shape, inside, m.device});
  }
  contexts_[inside].pivot = insides[0].name;
  const Tensors results = body(insides);
  for (std::size_t i = 0; i < merges.size(); ++i) close(merges[i], results[i]);
  current_ = outside;
  for (std::size_t i = 0; i < merges.size(); ++i)
    exits.push_back(
        {emit("Exit", {switches[i]}, {{"T", merges[i].type}}, ""), merges[i].type, merges[i].shape, outside, ""});
  return exits;
}

// A variable at the top of the loop: both its inputs are the Enter until the body is there.
Tensor Client::merge(const Tensor& variable, std::size_t inside) {
  const std::string outer = use(variable, contexts_[inside].parent),
                    entered = enter(variable, outer, contexts_[inside], false);
  return {emit("Merge", {entered, entered}, {{"T", variable.type}, {"N", std::int64_t{2}}}, ""), variable.type,
          variable.shape, inside, ""};
}

void Client::close(const Tensor& merge, const Tensor& next) {
  const std::string result = use(next, merge.context);
  nodes_[at_.at(merge.name)].inputs[1] = emit("NextIteration", {result}, {{"T", merge.type}}, "");
}

// ---- branches ----

Tensors Client::branch(const std::string& predicate, const std::string& pivot, int side,
                       const std::function<Tensors()>& body) {
  const std::size_t outside = std::exchange(current_, contexts_.size());
  contexts_.push_back({.parent = outside, .pivot = pivot, .predicate = predicate, .side = side});
  Tensors results = body();
  for (Tensor& t : results) t = {use(t, current_), t.type, t.shape, current_, t.device};
  current_ = outside;
  return results;
}

Tensors Client::cond(const Tensor& predicate, const std::function<Tensors()>& if_true,
                     const std::function<Tensors()>& if_false) {
  const std::string p = use(predicate, current_), split = emit("Switch", {p, p}, {{"T", DataType::kBool}}, "");
  const std::string pivot_t = emit("Identity", {split + ":1"}, {{"T", DataType::kBool}}, ""),
                    pivot_f = emit("Identity", {split}, {{"T", DataType::kBool}}, "");
  const std::string id = emit("Identity", {p}, {{"T", DataType::kBool}}, "");
  const Tensors on_true = branch(id, pivot_t, 1, if_true), on_false = branch(id, pivot_f, 0, if_false);
  Tensors merged;
  for (std::size_t i = 0; i < on_true.size(); ++i)
    merged.push_back({emit("Merge", {on_false[i].name, on_true[i].name},
                           {{"T", on_true[i].type}, {"N", std::int64_t{2}}}, on_true[i].device),
                      on_true[i].type, on_true[i].shape, current_, ""});
  return merged;
}

}  // namespace tarry
