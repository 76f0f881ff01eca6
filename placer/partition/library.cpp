#include "placer/partition/library.hpp"

#include <map>
#include <set>
#include <string_view>

namespace tarry {
namespace {

class Reach {
 public:
  explicit Reach(std::span<const FunctionSpec> library) {
    for (const FunctionSpec& f : library) functions_.emplace(f.signature.name, &f);
  }

  void nodes(std::span<const NodeSpec> list) {
    for (const NodeSpec& n : list) {
      name(n.op);
      for (const auto& [attr, value] : n.attrs) this->value(value);
    }
  }

  [[nodiscard]] bool has(std::string_view f) const { return reached_.contains(f); }

 private:
  void value(const AttrValue& v) {
    if (const FuncRef* f = v.get<FuncRef>()) call(*f);
    if (const AttrList* list = v.get<AttrList>())
      for (const FuncRef& f : list->func) call(f);
  }

  void call(const FuncRef& f) {
    name(f.name);
    if (f.attrs != nullptr)
      for (const auto& [attr, v] : *f.attrs) value(v);
  }

  void name(std::string_view f) {
    const auto it = functions_.find(f);
    if (it != functions_.end() && reached_.insert(it->first).second) nodes(it->second->nodes);
  }

  std::map<std::string_view, const FunctionSpec*> functions_;
  std::set<std::string_view> reached_;
};

}  // namespace

std::vector<FunctionSpec> reachable_functions(std::span<const FunctionSpec> library, std::span<const NodeSpec> nodes) {
  if (library.empty()) return {};
  Reach reach(library);
  reach.nodes(nodes);
  std::vector<FunctionSpec> kept;
  for (const FunctionSpec& f : library)
    if (reach.has(f.signature.name)) kept.push_back(f);
  return kept;
}

StackTraces traces_of(const StackTraces& all, std::span<const NodeSpec> nodes) {
  StackTraces kept;
  if (all.empty()) return kept;
  for (const NodeSpec& n : nodes)
    if (const auto it = all.find(n.name); it != all.end()) kept.insert(*it);
  return kept;
}

}  // namespace tarry
