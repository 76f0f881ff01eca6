#include "properties/programs/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tarry {
namespace {

constexpr int kDeepest = 3;
constexpr std::int32_t kMostTrips = 60;

float small_real(Random& random) { return static_cast<float>(static_cast<int>(random.below(33)) - 16) / 8.0F; }

}  // namespace

void Writer::write(int statements) {
  push(client_.constant(static_cast<std::int32_t>(random_.below(7))));
  push(client_.constant(Shape(), {small_real(random_)}));
  for (int i = 0; i < statements; ++i) statement(0);
}

// The newest values, some others, and what every piece of state came to.
std::vector<std::string> Writer::fetches() {
  std::vector<std::string> names;
  for (const Object& o : objects_) names.push_back(o.order.name);
  const std::size_t newest = std::min<std::size_t>(pool_.size(), 1 + random_.below(4));
  for (std::size_t i = 0; i < newest; ++i) names.push_back(pool_[pool_.size() - 1 - i].name);
  names.push_back(pool_[random_.below(pool_.size())].name);
  for (std::string& n : names)
    if (n.find(':') == std::string::npos) n += ":0";
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// ---- values ----

Tensor Writer::pick(DataType type, const Shape& shape) {
  const auto fits = [&](const Tensor& t) { return t.type == type && t.shape == shape; };
  const std::size_t n = pool_.size(), first = random_.chance(2, 3) ? n - 1 - random_.below(std::min<std::size_t>(4, n))
                                                                   : random_.below(n);
  for (std::size_t i = 0; i < n; ++i)
    if (fits(pool_[(first + n - i) % n])) return pool_[(first + n - i) % n];
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  std::ranges::generate(values, [&] { return small_real(random_); });
  return type == DataType::kInt32 ? client_.constant(static_cast<std::int32_t>(random_.below(7)))
                                  : client_.constant(shape, values);
}

Tensor Writer::pick_float() {
  return random_.chance(3, 4) ? pick(DataType::kFloat) : pick(DataType::kFloat, Shape({3}));
}

Tensor Writer::predicate() {
  const DataType type = random_.chance(1, 2) ? DataType::kInt32 : DataType::kFloat;
  const char* op = random_.chance(1, 2) ? "Less" : "GreaterEqual";
  Tensor p = client_.add_tensor(op, {pick(type), pick(type)}, {type_attr(type)}, DataType::kBool);
  if (random_.chance(1, 4)) p = client_.add_tensor("LogicalNot", {p}, {}, DataType::kBool);
  return p;
}

// Integers stay below a modulus, reals in (-1, 1).
Tensor Writer::bounded(Tensor t) {
  if (t.type == DataType::kInt32)
    return client_.add_tensor("FloorMod", {t, client_.constant(13)}, {type_attr(t.type)}, t.type);
  return client_.add_tensor("Tanh", {t}, {type_attr(t.type)}, t.type, t.shape);
}

// ---- statements ----

void Writer::statement(int depth) {
  const std::uint64_t what = random_.below(16);
  if (what < 3 && depth < kDeepest && turns_ < kMostTrips) return random_.chance(1, 4) ? scan(depth) : loop(depth);
  if (what < 6 && depth < kDeepest) return branch(depth);
  if (what < 9 && has_reachable()) return touch();
  if (what < 11 && client_.context() == 0 && objects_.size() < 4) return make_object();
  if (what == 11 && random_.chance(1, 3)) return check_something();
  plain();
}

void Writer::plain() {
  switch (random_.below(4)) {
    case 0:
      return integer();
    case 1:
      return vector();
    default:
      return random_.chance(1, 2) ? integer() : real();
  }
}

void Writer::integer() {
  static constexpr std::array kOps = {"AddV2", "Sub", "Mul", "Maximum", "Minimum"};
  const char* op = kOps[random_.below(kOps.size())];
  push(bounded(client_.add_tensor(op, {pick(DataType::kInt32), pick(DataType::kInt32)}, {type_attr(DataType::kInt32)},
                                  DataType::kInt32)));
}

void Writer::real() {
  static constexpr std::array kOps = {"AddV2", "Sub", "Mul", "Maximum"};
  if (random_.chance(1, 5)) {
    const Tensor i = pick(DataType::kInt32);
    return push(bounded(
        client_.add_tensor("Cast", {i}, {{"SrcT", DataType::kInt32}, {"DstT", DataType::kFloat}}, DataType::kFloat)));
  }
  const char* op = kOps[random_.below(kOps.size())];
  push(bounded(client_.add_tensor(op, {pick(DataType::kFloat), pick(DataType::kFloat)}, {type_attr(DataType::kFloat)},
                                  DataType::kFloat)));
}

void Writer::vector() {
  const Tensor v = pick(DataType::kFloat, Shape({3}));
  if (random_.chance(1, 3)) {
    const Tensor axis = client_.constant(0);
    return push(bounded(client_.add_tensor(
        "Sum", {v, axis}, {type_attr(v.type), {"Tidx", DataType::kInt32}, {"keep_dims", false}}, v.type)));
  }
  const Tensor other = pick_float();
  push(bounded(
      client_.add_tensor(random_.chance(1, 2) ? "AddV2" : "Mul", {v, other}, {type_attr(v.type)}, v.type, v.shape)));
}

// Mostly true. The value goes on only if it is.
void Writer::check_something() {
  const Tensor x = pick(DataType::kInt32), limit = client_.constant(random_.chance(1, 4) ? 6 : 14);
  const Tensor holds = client_.add_tensor("Less", {x, limit}, {type_attr(x.type)}, DataType::kBool);
  AttrList types;
  types.type = {DataType::kInt32};
  const std::string checked =
      client_.add("Assert", {holds, x}, {{"T", AttrValue(types)}, {"summarize", std::int64_t{3}}});
  push(client_.identity(x, {checked}));
}

void Writer::body(int depth) {
  const std::uint64_t statements = 1 + random_.below(3);
  for (std::uint64_t i = 0; i < statements; ++i) statement(depth + 1);
}

// ---- loops and branches ----

Writer::Mark Writer::mark() const {
  Mark m{pool_.size(), {}, {}};
  for (const Object& o : objects_) {
    m.orders.push_back(o.order);
    m.reachable.push_back(o.reachable);
  }
  return m;
}

void Writer::restore(const Mark& m) {
  pool_.resize(m.pool);
  objects_.erase(objects_.begin() + static_cast<std::ptrdiff_t>(m.orders.size()), objects_.end());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    objects_[i].order = m.orders[i];
    objects_[i].reachable = m.reachable[i];
  }
}

// The objects that what follows may touch: some of those that may be touched now. The others are out of reach.
std::vector<std::size_t> Writer::threaded() {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (objects_[i].reachable && objects_[i].kind != Kind::reference_variable && random_.chance(2, 3))
      chosen.push_back(i);
    else
      objects_[i].reachable = false;
  }
  return chosen;
}

Tensors Writer::orders_of(const std::vector<std::size_t>& objects) const {
  Tensors found;
  for (const std::size_t i : objects) found.push_back(objects_[i].order);
  return found;
}

void Writer::take_orders(const std::vector<std::size_t>& objects, const Tensors& from, std::size_t first) {
  for (std::size_t i = 0; i < objects.size(); ++i) objects_[objects[i]].order = from[first + i];
}

// A counter, some values of the pool, the order tokens. Ends when the counter has reached its limit, or earlier.
void Writer::loop(int depth) {
  const Mark before = mark();
  LoopPlan plan = plan_loop(depth);
  const std::int32_t outside = std::exchange(turns_, turns_ * std::max(plan.trips, 1));
  plan.objects = threaded();
  Tensors variables = plan.values;
  std::ranges::copy(orders_of(plan.objects), std::back_inserter(variables));
  ++loops_around_;
  const Tensors exits = client_.while_loop(
      variables, plan.parallel, [&](const Tensors& v) { return goes_on(plan, v); },
      [&](const Tensors& v) { return turn(plan, v, depth); });
  --loops_around_;
  restore(before);
  turns_ = outside;
  take_orders(plan.objects, exits, plan.values.size());
  pool_.insert(pool_.end(), exits.begin(), exits.begin() + static_cast<std::ptrdiff_t>(plan.values.size()));
}

Writer::LoopPlan Writer::plan_loop(int depth) {
  static constexpr std::array kParallel = {1, 1, 2, 3, 10, 32};
  LoopPlan plan{.trips = static_cast<std::int32_t>(random_.below(depth == 0 ? 7 : 4)),
                .parallel = kParallel[random_.below(kParallel.size())],
                .stops_early = random_.chance(1, 4)};
  if (random_.chance(1, 2)) plan.limit = client_.constant(plan.trips);
  plan.values = {client_.constant(0)};
  const std::uint64_t more = random_.below(3);
  for (std::uint64_t i = more + (random_.chance(5, 6) ? 1 : 0); i > 0; --i)
    plan.values.push_back(random_.chance(1, 2) ? pick(DataType::kInt32) : pick_float());
  return plan;
}

Tensor Writer::goes_on(const LoopPlan& plan, const Tensors& v) {
  const AttrEntry integers = type_attr(DataType::kInt32);
  const Tensor p = client_.add_tensor("Less", {v[0], plan.limit ? *plan.limit : client_.constant(plan.trips)},
                                      {integers}, DataType::kBool);
  if (!plan.stops_early) return p;
  const Tensor& watched = v[plan.values.size() - 1];
  const Tensor more = client_.add_tensor(
      "Less", {watched.type == DataType::kInt32 ? watched : v[0], client_.constant(4)}, {integers}, DataType::kBool);
  return client_.add_tensor("LogicalAnd", {p, more}, {}, DataType::kBool);
}

Tensors Writer::turn(const LoopPlan& plan, const Tensors& v, int depth) {
  Tensors next = {
      client_.add_tensor("AddV2", {v[0], client_.constant(1)}, {type_attr(DataType::kInt32)}, DataType::kInt32)};
  const std::size_t values = plan.values.size();
  pool_.insert(pool_.end(), v.begin(), v.begin() + static_cast<std::ptrdiff_t>(values));
  take_orders(plan.objects, v, values);
  body(depth);
  for (std::size_t i = 1; i < values; ++i) next.push_back(pick(v[i].type, v[i].shape));
  std::ranges::copy(orders_of(plan.objects), std::back_inserter(next));
  return next;
}

// Two values of fixed types, and the order tokens.
void Writer::branch(int depth) {
  const Mark before = mark();
  const Tensor p = predicate();
  const bool is_vector = random_.chance(1, 5);
  const std::vector<std::size_t> objects = threaded();
  const Mark inside = mark();
  const auto side = [&] {
    restore(inside);
    if (random_.chance(4, 5)) body(depth);
    Tensors results = {pick(DataType::kInt32), pick(DataType::kFloat, is_vector ? Shape({3}) : Shape())};
    std::ranges::copy(orders_of(objects), std::back_inserter(results));
    return results;
  };
  const Tensors merged = client_.cond(p, side, side);
  const bool peeks = depth == 0 && random_.chance(1, 12);  // fetches from inside a branch: dead if it is not taken
  const Tensor inner = pool_.back();
  restore(before);
  take_orders(objects, merged, 2);
  push(merged[0]);
  push(merged[1]);
  if (peeks && client_.context() == 0 && inner.context != 0)
    pool_.push_back({inner.name, DataType::kInvalid, inner.shape, inner.context, ""});
}

// A loop that fills a TensorArray, as map_fn does; then one of its elements.
void Writer::scan(int depth) {
  const Mark before = mark();
  const std::int32_t size = 1 + static_cast<std::int32_t>(random_.below(4)),
                     outside = std::exchange(turns_, turns_ * size);
  const Object array = new_array(size);
  for (Object& o : objects_) o.reachable = false;
  const AttrEntry integers = type_attr(DataType::kInt32);
  const std::int64_t parallel = random_.chance(1, 2) ? 10 : 2;
  ++loops_around_;
  const Tensors exits = client_.while_loop(
      {client_.constant(0), array.order}, parallel,
      [&](const Tensors& v) {
        return client_.add_tensor("Less", {v[0], client_.constant(size)}, {integers}, DataType::kBool);
      },
      [&](const Tensors& v) {
        push(v[0]);
        body(depth);
        return Tensors{client_.add_tensor("AddV2", {v[0], client_.constant(1)}, {integers}, DataType::kInt32),
                       written(array, v[0], v[1])};
      });
  --loops_around_;
  restore(before);
  turns_ = outside;
  push(read(array, client_.constant(static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(size)))),
            exits[1]));
}

}  // namespace tarry
