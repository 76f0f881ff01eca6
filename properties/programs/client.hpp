// Builds graphs as TensorFlow's (1.x) Python client does: while_loop and cond out of Enter, Merge, Switch,
// NextIteration and Exit.
//
// A tensor of an outer context that is used in an inner one is captured: in a loop by a constant Enter, in a branch by
// a Switch on the branch's predicate. A node without inputs gets a control input from its context's pivot, so that it
// runs once per iteration, or not at all in a branch not taken; in a loop, so does a node that reads captured tensors
// only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "placer/core/random.hpp"
#include "properties/programs/program.hpp"

namespace tarry {

struct Tensor {
  std::string name;  // "x", "x:1"
  DataType type = DataType::kFloat;
  Shape shape;
  std::size_t context = 0;
  std::string device;  // set for tensors that must stay on their device: handles
};
using Tensors = std::vector<Tensor>;

class Client {
 public:
  Client(std::vector<std::string> devices, Random& random);

  // Adds a node in the current context; inputs are captured as needed. `device` "" = a random device.
  std::string add(const std::string& op, const Tensors& inputs, std::vector<AttrEntry> attrs,
                  const std::vector<std::string>& controls = {}, const std::string& device = "");
  Tensor add_tensor(const std::string& op, const Tensors& inputs, std::vector<AttrEntry> attrs, DataType type,
                    const Shape& shape = {}, const std::vector<std::string>& controls = {},
                    const std::string& device = "");
  Tensor constant(const Shape& shape, const std::vector<float>& values);
  Tensor constant(std::int32_t value);
  Tensor identity(const Tensor& t, const std::vector<std::string>& controls = {});

  // REQUIRES: the body gives one tensor per variable, of the same type; the condition gives a bool.
  Tensors while_loop(const Tensors& variables, std::int64_t parallel,
                     const std::function<Tensor(const Tensors&)>& condition,
                     const std::function<Tensors(const Tensors&)>& body);
  // REQUIRES: both branches give tensors of the same types.
  Tensors cond(const Tensor& predicate, const std::function<Tensors()>& if_true,
               const std::function<Tensors()>& if_false);

  [[nodiscard]] std::size_t context() const { return current_; }
  [[nodiscard]] const std::string& any_device();
  [[nodiscard]] std::vector<NodeSpec> take() { return std::move(nodes_); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  struct Context {
    std::size_t parent = 0;
    std::string pivot;  // the node that inner nodes without inputs wait for
    std::string frame;  // of a loop; "" for a branch
    std::int64_t parallel = 1;
    std::string predicate;  // of a branch; "" for a loop
    int side = 0;
    std::map<std::string, std::string> captured;  // outer name -> inner name
  };
  std::string use(const Tensor& t, std::size_t context);
  std::string emit(const std::string& op, std::vector<std::string> inputs, std::vector<AttrEntry> attrs,
                   const std::string& device);
  [[nodiscard]] bool is_free(std::string_view op, const std::vector<std::string>& inputs) const;
  std::string enter(const Tensor& t, const std::string& outer, const Context& loop, bool is_constant);
  Tensor merge(const Tensor& variable, std::size_t inside);
  void close(const Tensor& merge, const Tensor& next);
  Tensors branch(const std::string& predicate, const std::string& pivot, int side,
                 const std::function<Tensors()>& body);

  std::vector<std::string> devices_;
  Random& random_;
  std::uint64_t stay_;  // in about stay_ of 8 cases a node is put on the last node's device
  std::size_t last_device_ = 0;
  std::vector<NodeSpec> nodes_;
  std::map<std::string, std::size_t> at_;
  std::vector<Context> contexts_ = std::vector<Context>(1);
  std::size_t current_ = 0;
  int loops_ = 0;
};

}  // namespace tarry
