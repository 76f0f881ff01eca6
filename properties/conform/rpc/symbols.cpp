#include "properties/conform/rpc/symbols.hpp"

#include <algorithm>
#include <set>

namespace tarry::rpc {
namespace {

bool has_no_order(const std::string& field) {
  static const std::set<std::string> fields = {"tensor",
                                               "local_device",
                                               "remote_device",
                                               "partition_graphs",
                                               "dev_stats",
                                               "node_stats",
                                               "cluster_device_attributes",
                                               "payloads",
                                               "recv",
                                               "cancelled_after"};
  return fields.contains(field);
}

}  // namespace

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

bool Symbols::knows_handle(const std::string& handle) const {
  return std::ranges::any_of(handles_, [&](const auto& entry) { return entry.second == handle; });
}

std::string Symbols::to_values(std::string text) const {
  for (auto entry = handles_.rbegin(); entry != handles_.rend(); ++entry)
    text = replace_all(std::move(text), entry->first, entry->second);  // $SESSION10 before $SESSION1
  return text;
}

std::string Symbols::to_symbols(std::string text) const {
  for (const auto& [symbol, handle] : handles_) text = replace_all(std::move(text), handle, symbol);
  for (const std::string& step : steps_) text = replace_all(std::move(text), step, "$STEP");
  return text;
}

Json canonical(Json j) {
  if (!j.is_structured()) return j;
  for (Json& child : j) child = canonical(std::move(child));
  if (j.is_object())
    for (auto& [field, child] : j.items())
      if (child.is_array() && has_no_order(field)) child = sorted(child);
  return j;
}

}  // namespace tarry::rpc
