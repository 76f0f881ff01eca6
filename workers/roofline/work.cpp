#include "workers/roofline/work.hpp"

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

using Rows = std::vector<WorkRow>;

Rows all_rows() {
  Rows rows;
  for (const WorkFamily family : {elementwise_work(), matrix_work(), movement_work(), neural_work(), optimizer_work(),
                                  reduction_work(), no_work()})
    rows.insert(rows.end(), family.begin(), family.end());
  std::ranges::sort(rows, {}, &WorkRow::op);
  return rows;
}

// Height and width of a list in the order of the data format; {1, 1} when it has not four.
std::array<std::int64_t, 2> spatial(const Attrs& attrs, const char* name, bool channels_first) {
  const auto* list = attrs.get<AttrList>(name);
  if (list == nullptr || list->i.size() != 4) return {1, 1};
  const std::size_t h = channels_first ? 2 : 1;
  return {std::max<std::int64_t>(1, list->i[h]), std::max<std::int64_t>(1, list->i[h + 1])};
}

// Eight numbers, two for each dimension.
std::array<std::int64_t, 2> explicit_padding(const Attrs& attrs, bool channels_first) {
  const auto* list = attrs.get<AttrList>("explicit_paddings");
  if (list == nullptr || list->i.size() != 8) return {0, 0};
  const std::size_t h = channels_first ? 4 : 2;
  return {list->i[h] + list->i[h + 1], list->i[h + 2] + list->i[h + 3]};
}

bool any_true(const Attrs& attrs, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return attr_or(attrs, name, false); });
}

void read_window(const Attrs& attrs, WorkFacts& f) {
  f.channels_first = attr_or(attrs, "data_format", std::string("NHWC")) == "NCHW";
  f.stride = spatial(attrs, "strides", f.channels_first);
  f.dilation = spatial(attrs, "dilations", f.channels_first);
  f.window = spatial(attrs, "ksize", f.channels_first);
  const std::string padding = attr_or(attrs, "padding", std::string("VALID"));
  f.same_padding = padding == "SAME";
  if (padding == "EXPLICIT") f.padding = explicit_padding(attrs, f.channels_first);
}

}  // namespace

NodeWork::NodeWork(const WorkRow& row, const KernelSetup& setup) : formula_(row.formula) {
  facts_.each = row.each;
  facts_.at = row.at;
  facts_.outputs = setup.outputs.size();
  facts_.out_size = setup.outputs.empty() ? 0 : type_size(base_type(setup.outputs[0]));
  if (const auto* shapes = setup.attrs.get<AttrList>("_output_shapes")) facts_.recorded = shapes->shape;
  facts_.transpose_a = any_true(setup.attrs, {"transpose_a", "adj_x"});
  facts_.transpose_b = any_true(setup.attrs, {"transpose_b", "adj_y"});
  facts_.is_training = attr_or(setup.attrs, "is_training", true);
  facts_.nesterov = attr_or(setup.attrs, "use_nesterov", false);
  read_window(setup.attrs, facts_);
}

Work NodeWork::operator()(std::span<const Value> inputs) const { return formula_(facts_, WorkInputs(inputs)); }

const WorkRow* find_work(std::string_view op) {
  static const Rows rows = all_rows();
  const auto it = std::ranges::lower_bound(rows, op, {}, &WorkRow::op);
  return it == rows.end() || it->op != op ? nullptr : &*it;
}

}  // namespace tarry
