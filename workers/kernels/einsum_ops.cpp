// Einsum of one or two operands with explicit labels. An ellipsis stands for dimensions that are broadcast.

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

constexpr char kEllipsis = '.';

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// One character for an ellipsis.
StatusOr<std::string> subscript_of(std::string_view text) {
  std::string labels(text);
  const auto dots = std::ranges::count(labels, kEllipsis);
  if (dots == 0) return labels;
  const auto at = labels.find("...");
  if (dots != 3 || at == std::string::npos)
    return invalid("Expected at most one ellipsis (...), but found {} periods (.) in the input subscript: {}", dots,
                   text);
  return labels.erase(at, 2);
}

StatusOr<Equation> parse_equation(const std::string& text) {
  const auto arrow = text.find("->");
  if (arrow == std::string::npos) return invalid("Expecting exactly one '->' in einsum equation: {}", text);
  Equation e;
  TARRY_ASSIGN(e.output, subscript_of(std::string_view(text).substr(arrow + 2)));
  for (const std::string_view input : split(std::string_view(text).substr(0, arrow), ',')) {
    TARRY_ASSIGN(std::string labels, subscript_of(input));
    e.inputs.push_back(std::move(labels));
  }
  if (e.inputs.size() > 2)
    return invalid("Expecting 1 or 2 input subscripts in equation '{}' but got: {}", text, e.inputs.size());
  const auto is_known = [&](char l) {
    return l == kEllipsis ||
           std::ranges::any_of(e.inputs, [l](const std::string& in) { return in.find(l) != std::string::npos; });
  };
  if (!std::ranges::all_of(e.output, is_known))
    return error(Code::kUnimplemented, "tarry computes no einsum whose output has a label of its own: {}", text);
  return e;
}

bool has_ellipsis(const std::string& labels) { return labels.find(kEllipsis) != std::string::npos; }

// The labels of an ellipsis's dimensions: 1 is the last one.
std::string broadcast_labels(std::size_t n) {
  std::string labels;
  for (std::size_t i = n; i > 0; --i) labels += static_cast<char>(i);
  return labels;
}
bool is_broadcast(char label) { return static_cast<unsigned char>(label) <= 16; }

void expand(std::string& labels, std::size_t n) {
  if (const auto at = labels.find(kEllipsis); at != std::string::npos) labels.replace(at, 1, broadcast_labels(n));
}

// With labels in place of ellipses, as many as the inputs' ranks need.
StatusOr<Equation> expanded(Equation e, const KernelContext& c) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    const std::size_t own = e.inputs[i].size() - (has_ellipsis(e.inputs[i]) ? 1 : 0), rank = c.shape(i).rank();
    if (!has_ellipsis(e.inputs[i]) && rank != own)
      return invalid("Expected input {} to have rank {} but got: {}", i, own, rank);
    if (rank < own) return invalid("Expected input {} to have rank at least {} but got: {}", i, own, rank);
    most = std::max(most, rank - own);
    expand(e.inputs[i], rank - own);
  }
  if (most > 0 && !has_ellipsis(e.output))
    return invalid(
        "Output contains {} broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.", most);
  expand(e.output, most);
  return e;
}

using Sizes = std::map<char, std::int64_t>;

bool has(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

// What a product of matrices would be of one operand: the broadcast dimensions, those of a batch, then rows and
// columns, which are those that are summed over and the others.
std::string as_matrices(const Equation& e, std::size_t i, const KernelContext& c) {
  const std::string& own = e.inputs[i];
  const auto size_of = [&](char l) { return c.shape(i).dims[own.find(l)]; };
  const auto is_batch = [&](char l) { return has(e.inputs[0], l) && has(e.inputs[1], l) && has(e.output, l); };
  Shape shape;
  for (const char l : own)
    if (is_broadcast(l)) shape.dims.push_back(size_of(l));
  for (const char l : e.inputs[0])
    if (!is_broadcast(l) && is_batch(l)) shape.dims.push_back(size_of(l));
  std::int64_t summed = 1, free = 1;
  bool is_summed_first = true;
  for (const char l : own) {
    if (is_broadcast(l) || is_batch(l)) continue;
    if (has(e.output, l)) is_summed_first = is_summed_first && summed > 1;
    (has(e.output, l) ? free : summed) *= size_of(l);
  }
  shape.dims.push_back(is_summed_first ? summed : free);
  shape.dims.push_back(is_summed_first ? free : summed);
  return to_string(shape);
}

StatusOr<Sizes> sizes_of(const Equation& e, const KernelContext& c) {
  Sizes sizes;
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    const auto& dims = c.shape(i).dims;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const char l = e.inputs[i][d];
      const auto it = sizes.try_emplace(l, dims[d]).first;
      if (is_broadcast(l) && it->second == 1) it->second = dims[d];
      if (it->second == dims[d] || (is_broadcast(l) && dims[d] == 1)) continue;
      if (is_broadcast(l))
        return invalid("In[0] and In[1] must have compatible batch dimensions: {} vs. {}", as_matrices(e, 0, c),
                       as_matrices(e, 1, c));
      return invalid("Expected dimension {} at axis {} of the input shaped {} but got dimension {}", it->second, d,
                     to_string(c.shape(i)), dims[d]);
    }
  }
  return sizes;
}

// Where an operand's element is, given a number for every label; a dimension of one is broadcast.
std::size_t offset(const std::string& labels, const Shape& shape, const Sizes& at) {
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < labels.size(); ++d)
    flat = flat * shape.dims[d] + (shape.dims[d] == 1 ? 0 : at.at(labels[d]));
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

Status einsum(const Equation& given, KernelContext& c) {
  TARRY_ASSIGN(const Equation e, expanded(given, c));
  TARRY_ASSIGN(const Sizes sizes, sizes_of(e, c));
  if (std::ranges::any_of(sizes, [](const auto& s) { return s.second == 0; })) return {};
  Sizes at;
  for (const auto& [label, size] : sizes) at[label] = 0;
  return for_number(c.in(0).dtype(), [&]<class T>() {
    do {
      T x = c.data<T>(0)[offset(e.inputs[0], c.shape(0), at)];
      if (e.inputs.size() > 1) x *= c.data<T>(1)[offset(e.inputs[1], c.shape(1), at)];
      c.out<T>(0)[offset(e.output, out(c).shape(), at)] += x;
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
          [given = *e](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_ASSIGN(const Equation e, expanded(given, c));
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
