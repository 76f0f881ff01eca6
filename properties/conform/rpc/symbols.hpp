// Translates the values that differ between a run and the recorded one, in both directions: session handles and step
// ids.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "properties/conform/rpc/json.hpp"

namespace tarry::rpc {

class Symbols {
 public:
  // `symbol`, such as $SESSION1, stands for our `handle`.
  void bind(const std::string& symbol, const std::string& handle) { handles_[symbol] = handle; }
  [[nodiscard]] bool knows(const std::string& symbol) const { return handles_.contains(symbol); }
  [[nodiscard]] bool knows_handle(const std::string& handle) const;
  void add_step(const std::string& id) { steps_.push_back(id); }

  [[nodiscard]] std::string to_values(std::string text) const;   // $SESSION1 -> our handle
  [[nodiscard]] std::string to_symbols(std::string text) const;  // our handle -> $SESSION1, our step ids -> $STEP

 private:
  std::map<std::string, std::string> handles_;
  std::vector<std::string> steps_;
};

// Sorts the lists whose order means nothing.
[[nodiscard]] Json canonical(Json j);

[[nodiscard]] std::string replace_all(std::string text, const std::string& from, const std::string& to);

}  // namespace tarry::rpc
