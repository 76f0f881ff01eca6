#include <algorithm>

#include "placer/core/check.hpp"
#include "placer/graph/op_def.hpp"
#include "placer/graph/read.hpp"
#include "placer/graph/wire_list.hpp"

extern "C" const char tarry_ops_data[], tarry_ops_data_end[], tarry_kernels_data[], tarry_kernels_data_end[];

namespace tarry {
namespace {

template <class T>
T undamaged(StatusOr<T> part) {
  check(part.ok(), "the embedded registry is damaged");
  return *std::move(part);
}

WireList unpacked(const char* begin, const char* end) {
  return undamaged(
      index_list(undamaged(decompress({begin, static_cast<std::size_t>(end - begin)}, "embedded registry"))));
}

std::vector<KernelDef> decode(std::span<const std::string_view> bodies) {
  std::vector<KernelDef> kernels;
  kernels.reserve(bodies.size());
  for (const std::string_view body : bodies) kernels.push_back(undamaged(parse_kernel_def(body)));
  return kernels;
}

const std::vector<KernelDef>& kernels_in(const Lazy<std::vector<KernelDef>>& kept,
                                         std::span<const std::string_view> bodies) {
  return kept.get([&] { return decode(bodies); });
}

}  // namespace

// ---- ops ----

OpRegistry::OpRegistry(std::vector<OpDef> ops) {
  for (OpDef& op : ops) ops_.push_back({{}, {}, Lazy<OpDef>(std::move(op))});
  for (Entry& e : ops_) e.name = def_of(e).name;
  std::ranges::sort(ops_, {}, &Entry::name);
}

OpRegistry::OpRegistry(const WireList& list) : bytes_(list.bytes) {
  ops_.reserve(list.entries.size());
  for (const WireList::Entry& e : list.entries) ops_.push_back({e.name, e.body, {}});
}

const OpDef& OpRegistry::def_of(const Entry& entry) {
  return entry.def.get([&] { return undamaged(parse_op_def(entry.body)); });
}

const OpDef* OpRegistry::find(std::string_view op) const {
  const auto it = std::ranges::lower_bound(ops_, op, {}, &Entry::name);
  return it == ops_.end() || it->name != op ? nullptr : &def_of(*it);
}

std::vector<std::reference_wrapper<const OpDef>> OpRegistry::all() const {
  std::vector<std::reference_wrapper<const OpDef>> all;
  for (const Entry& e : ops_) all.emplace_back(def_of(e));
  return all;
}

// ---- kernels ----

KernelRegistry::KernelRegistry(std::vector<KernelDef> kernels) : size_(kernels.size()) {
  std::ranges::stable_sort(kernels, {}, &KernelDef::op);
  for (auto first = kernels.begin(); first != kernels.end();) {
    const auto last = std::ranges::find_if(first, kernels.end(), [&](const KernelDef& k) { return k.op != first->op; });
    Lazy<std::vector<KernelDef>> of_op({std::move_iterator{first}, std::move_iterator{last}});
    const std::string_view op = kernels_in(of_op, {}).front().op;
    by_op_[op].kernels = std::move(of_op);
    first = last;
  }
}

KernelRegistry::KernelRegistry(const WireList& list) : bytes_(list.bytes), size_(list.entries.size()) {
  for (std::size_t i = 0; i < size_;) {
    const std::string_view op = list.entries[i].name;
    Entry& entry = by_op_[op];
    for (; i < size_ && list.entries[i].name == op; ++i) entry.bodies.push_back(list.entries[i].body);
  }
}

std::span<const KernelDef> KernelRegistry::of(std::string_view op) const {
  const auto found = by_op_.find(op);
  if (found == by_op_.end()) return {};
  return kernels_in(found->second.kernels, found->second.bodies);
}

// ---- those that ship ----

const OpRegistry& ops_of_tf215() {
  static const OpRegistry registry(unpacked(tarry_ops_data, tarry_ops_data_end));
  return registry;
}

const KernelRegistry& kernels_of_tf215() {
  static const KernelRegistry registry(unpacked(tarry_kernels_data, tarry_kernels_data_end));
  return registry;
}

}  // namespace tarry
