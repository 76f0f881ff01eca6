// Writes a random program, statement by statement, through a client. Private to the generator.
//
// State is functional: each variable, queue and TensorArray has an order token (for a TensorArray its flow), a tensor
// that every access reads and replaces. Loops and branches thread the tokens of the objects that they access.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "properties/programs/client.hpp"

namespace tarry {

[[nodiscard]] inline AttrEntry type_attr(DataType t) { return {"T", t}; }

class Writer {
 public:
  Writer(Client& client, Random& random) : client_(client), random_(random) {}

  void write(int statements);
  [[nodiscard]] std::vector<std::string> fetches();

 private:
  enum class Kind { resource_variable, reference_variable, queue, array };
  struct Object {
    Kind kind;
    Tensor handle;  // the handle, or the reference
    DataType type;
    Shape shape;
    Tensor order;
    std::int32_t written = 0;  // elements of an array
    bool reachable = true;     // may be accessed in the current context
  };
  struct Mark {  // the state to restore at the end of a context
    std::size_t pool;
    std::vector<Tensor> orders;
    std::vector<bool> reachable;
  };

  struct LoopPlan {
    std::int32_t trips = 0;
    std::int64_t parallel = 1;
    bool stops_early = false;
    std::optional<Tensor> limit;  // a tensor from outside the loop
    Tensors values;               // the counter first
    std::vector<std::size_t> objects = {};
  };

  // values
  Tensor pick(DataType type, const Shape& shape = {});
  Tensor pick_float();
  Tensor predicate();
  void push(Tensor t) { pool_.push_back(std::move(t)); }
  Tensor bounded(Tensor t);

  // statements
  void statement(int depth);
  void plain();
  void integer();
  void real();
  void vector();
  void check_something();
  void loop(int depth);
  LoopPlan plan_loop(int depth);
  Tensor goes_on(const LoopPlan& plan, const Tensors& v);
  Tensors turn(const LoopPlan& plan, const Tensors& v, int depth);
  void branch(int depth);
  void scan(int depth);
  void body(int depth);

  // state
  void make_object();
  Object& reachable_object();
  void touch();
  void touch_variable(Object& v);
  void touch_reference(Object& v);
  void touch_queue(Object& q);
  void touch_array(Object& a);
  void initialize(Object& v);
  Object new_array(std::int32_t size);
  Tensor written(const Object& a, const Tensor& index, const Tensor& flow);
  Tensor read(const Object& a, const Tensor& index, const Tensor& flow);
  std::vector<std::size_t> threaded();
  Mark mark() const;
  void restore(const Mark& m);
  Tensors orders_of(const std::vector<std::size_t>& objects) const;
  void take_orders(const std::vector<std::size_t>& objects, const Tensors& from, std::size_t first);
  [[nodiscard]] bool has_reachable() const;

  Client& client_;
  Random& random_;
  std::vector<Tensor> pool_;
  std::vector<Object> objects_;
  std::int32_t turns_ = 1;  // the product of the trip counts of the loops around; bounded, to keep programs small
  int loops_around_ = 0;
};

}  // namespace tarry
