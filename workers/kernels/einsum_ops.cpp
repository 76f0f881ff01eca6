// Einsum of one or two operands: explicit labels, no ellipsis.

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

StatusOr<Equation> parse_equation(const std::string& text) {
  const auto arrow = text.find("->");
  if (arrow == std::string::npos) return invalid("Expecting exactly one '->' in einsum equation: {}", text);
  Equation e{{}, text.substr(arrow + 2)};
  for (const std::string_view input : split(std::string_view(text).substr(0, arrow), ',')) e.inputs.emplace_back(input);
  if (e.inputs.size() > 2)
    return invalid("Expecting 1 or 2 input subscripts in equation '{}' but got: {}", text, e.inputs.size());
  if (text.find('.') != std::string::npos)
    return error(Code::kUnimplemented, "tarry computes no einsum with an ellipsis: {}", text);
  return e;
}

using Sizes = std::map<char, std::int64_t>;

StatusOr<Sizes> sizes_of(const Equation& e, const KernelContext& c) {
  Sizes sizes;
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    const auto& dims = c.shape(i).dims;
    if (dims.size() != e.inputs[i].size())
      return invalid("Expected input {} to have rank {} but got: {}", i, e.inputs[i].size(), dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (const auto [it, is_new] = sizes.try_emplace(e.inputs[i][d], dims[d]); !is_new && it->second != dims[d])
        return invalid("Expected dimension {} at axis {} of the input shaped {} but got dimension {}", it->second, d,
                       to_string(c.shape(i)), dims[d]);
  }
  return sizes;
}

// Where an operand's element is, given a number for every label.
std::size_t offset(const std::string& labels, const Sizes& sizes, const Sizes& at) {
  std::int64_t flat = 0;
  for (const char l : labels) flat = flat * sizes.at(l) + at.at(l);
  return static_cast<std::size_t>(flat);
}

// Counts `at` up over all sizes; false after the last.
bool advance(Sizes& at, const Sizes& sizes) {
  for (auto it = at.rbegin(); it != at.rend(); ++it) {
    if (++it->second < sizes.at(it->first)) return true;
    it->second = 0;
  }
  return false;
}

Status einsum(const Equation& e, KernelContext& c) {
  TARRY_ASSIGN(const Sizes sizes, sizes_of(e, c));
  if (std::ranges::any_of(sizes, [](const auto& s) { return s.second == 0; })) return {};
  Sizes at;
  for (const auto& [label, size] : sizes) at[label] = 0;
  return for_number(c.in(0).dtype(), [&]<class T>() {
    do {
      T x = c.data<T>(0)[offset(e.inputs[0], sizes, at)];
      if (e.inputs.size() > 1) x *= c.data<T>(1)[offset(e.inputs[1], sizes, at)];
      c.out<T>(0)[offset(e.output, sizes, at)] += x;
    } while (advance(at, sizes));
    return Status();
  });
}

Behaviour make_einsum(const KernelSetup& s) {
  const StatusOr<Equation> e = parse_equation(attr_or(s.attrs, "equation", std::string()));
  if (!e.ok())
    return {[why = e.status()](KernelContext&) { return why; },
            [why = e.status()](const KernelContext&, std::span<Shape>) { return why; }};
  return {[e = *e](KernelContext& c) { return einsum(e, c); },
          [e = *e](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_ASSIGN(const Sizes sizes, sizes_of(e, c));
            for (const char l : e.output) out[0].dims.push_back(sizes.at(l));
            return {};
          }};
}

constexpr KernelRow kEinsumRows[] = {
    {"Einsum", make_einsum},
};

}  // namespace

KernelFamily einsum_ops() { return kEinsumRows; }

}  // namespace tarry
