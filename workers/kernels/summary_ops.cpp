// Summaries: serialized messages for TensorBoard, as strings.
//
// A message is written field after field, in the order of its numbers; what is zero or empty is left out.

#include <algorithm>
#include <cmath>
#include <limits>

#include "placer/graph/wire_fields.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/tensor_message.hpp"

namespace tarry {
namespace {

// Makes a message of its inputs, in their own types. Where an input has no data, there is a text without data.
class MessageKernel : public Kernel {
 public:
  using Make = StatusOr<std::string> (*)(const std::string& node, const KernelContext&);
  MessageKernel(const KernelSetup& s, Make make) : node_(s.name), make_(make) {}
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    if (!std::ranges::all_of(c.inputs, [](const Value& v) { return v.tensor && v.tensor->has_data(); }))
      return c.give(0, make_shape_only(DataType::kString, Shape()));
    TARRY_ASSIGN(std::string message, make_(node_, c));
    return c.give(0, make_string(std::move(message)));
  }

 private:
  std::string node_;
  Make make_;
};
template <StatusOr<std::string> (*make)(const std::string&, const KernelContext&)>
StatusOr<std::unique_ptr<Kernel>> make_message(const KernelSetup& s) {
  return std::make_unique<MessageKernel>(s, make);
}

// The numbers of a tensor as doubles. Fails: UNIMPLEMENTED for a type that is none.
StatusOr<std::vector<double>> doubles_of(const TensorBody& t) {
  std::vector<double> values;
  TARRY_RETURN_IF_ERROR(for_every_number(t.dtype(), [&]<class T>() {
    for (const T x : t.as<T>()) values.push_back(static_cast<double>(x));
    return Status();
  }));
  return values;
}

// ---- ScalarSummary (tags, values) ----

StatusOr<std::string> scalar_summary(const std::string&, const KernelContext& c) {
  const Shape &tags = c.shape(0), &values = c.shape(1);
  if (tags != values)
    return invalid("tags and values are not the same shape: {} != {}{}", to_string(tags), to_string(values),
                   tags.elements() == 1 ? fmt::format(" (tag '{}')", c.in(0).strings()[0]) : "");
  TARRY_ASSIGN(const std::vector<double> numbers, doubles_of(c.in(1)));
  std::string summary;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::string value;
    put_text(value, 1, c.in(0).strings()[i]);
    put_float(value, 2, static_cast<float>(numbers[i]), true);
    put_text(summary, 1, value);
  }
  return summary;
}

// ---- HistogramSummary (tag, values) ----

// The upper limits of the buckets: from 1e-12 on, each a tenth larger than the last; the same below zero.
std::vector<double> bucket_limits() {
  std::vector<double> positive, limits;
  for (double v = 1.0E-12; v < 1.0E20; v *= 1.1) positive.push_back(v);
  positive.push_back(std::numeric_limits<double>::max());
  limits.assign(positive.rbegin(), positive.rend());
  for (double& v : limits) v = -v;
  limits.push_back(0.0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

struct Histogram {
  double least = std::numeric_limits<double>::max(), most = -std::numeric_limits<double>::max();
  double count = 0, sum = 0, squares = 0;
  std::vector<double> limits = bucket_limits(), buckets = std::vector<double>(limits.size(), 0.0);

  void add(double x) {
    const auto at = std::ranges::upper_bound(limits, x) - limits.begin();
    buckets[static_cast<std::size_t>(at)] += 1;
    least = std::min(least, x), most = std::max(most, x);
    count += 1, sum += x, squares += x * x;
  }
};

// A run of empty buckets is one, with the limit of its last.
std::string message_of(const Histogram& h) {
  std::string limits, counts, message;
  for (std::size_t i = 0; i < h.buckets.size();) {
    double limit = h.limits[i];
    const double n = h.buckets[i++];
    while (n <= 0 && i < h.buckets.size() && h.buckets[i] <= 0) limit = h.limits[i++];
    append_double(limits, limit), append_double(counts, n);
  }
  const double head[] = {h.least, h.most, h.count, h.sum, h.squares};
  for (std::size_t i = 0; i < std::size(head); ++i) put_double(message, i + 1, head[i]);
  put_text(message, 6, limits), put_text(message, 7, counts);
  return message;
}

StatusOr<std::string> histogram_summary(const std::string& node, const KernelContext& c) {
  TARRY_ASSIGN(const std::string tag, text_in(c, {0, "tags must be scalar"}));
  TARRY_ASSIGN(const std::vector<double> numbers, doubles_of(c.in(1)));
  Histogram h;
  for (const double x : numbers) {
    if (std::isnan(x)) return invalid("Nan in summary histogram for: {}", node);
    if (std::isinf(x)) return invalid("Infinity in Histogram for: {}", node);
    h.add(x);
  }
  std::string value, summary;
  put_text(value, 1, tag), put_text(value, 5, message_of(h)), put_text(summary, 1, value);
  return summary;
}

// ---- MergeSummary (summaries): what each says, in one. No tag may come twice. ----

// The first field of a message, which is taken away. Fails: INVALID_ARGUMENT.
StatusOr<WireField> take_field(std::string_view bytes, std::size_t& at) {
  WireField field;
  if (!step_over_field(bytes, at, field).empty()) return invalid("Could not parse one of the summary inputs");
  return field;
}

// Appends a summary's values to `all` and notes their tags in `seen`. Gives the first that was noted before, or "".
StatusOr<std::string> take_values(std::string_view summary, std::vector<std::string>& seen, std::string& all) {
  for (std::size_t at = 0; at < summary.size();) {
    const std::size_t from = at;
    TARRY_ASSIGN(const WireField value, take_field(summary, at));
    if (value.number != 1 || value.wire_type != 2) continue;
    all += summary.substr(from, at - from);
    const std::string_view fields = summary.substr(value.body, value.length);
    for (std::size_t in = 0; in < fields.size();) {
      TARRY_ASSIGN(const WireField field, take_field(fields, in));
      if (field.number != 1 || field.wire_type != 2) continue;
      std::string tag(fields.substr(field.body, field.length));
      if (std::ranges::find(seen, tag) != seen.end()) return tag;
      seen.push_back(std::move(tag));
    }
  }
  return std::string();
}

StatusOr<std::string> merge_summaries(const std::string&, const KernelContext& c) {
  std::string all;
  std::vector<std::string> seen;
  for (const Value& input : c.inputs)
    for (const std::string& summary : input.tensor->strings()) {
      TARRY_ASSIGN(const std::string twice, take_values(summary, seen, all));
      if (!twice.empty()) return invalid("Duplicate tag {} found in summary inputs ", twice);
    }
  return all;
}

// ---- TensorSummary (tensor), TensorSummaryV2 (tag, tensor, metadata); SerializeTensor (tensor) ----

StatusOr<std::string> tensor_summary(const std::string& node, const KernelContext& c) {
  std::string value, summary;
  put_text(value, 7, node), put_text(value, 8, tensor_message(c.in(0))), put_text(summary, 1, value);
  return summary;
}

// The metadata is taken as it is.
StatusOr<std::string> tensor_summary_v2(const std::string&, const KernelContext& c) {
  TARRY_ASSIGN(const std::string tag, text_in(c, {0, "tag must be scalar"}));
  TARRY_ASSIGN(const std::string metadata, text_in(c, {2, "serialized_summary_metadata must be scalar"}));
  std::string value, summary;
  put_text(value, 1, tag);
  put_text(value, 8, tensor_message(c.in(1)));
  put_text(value, 9, metadata, true);
  put_text(summary, 1, value);
  return summary;
}

StatusOr<std::string> serialize_tensor(const std::string&, const KernelContext& c) { return tensor_message(c.in(0)); }

constexpr KernelRow kSummaryRows[] = {
    {"ScalarSummary", make_message<scalar_summary>},      {"HistogramSummary", make_message<histogram_summary>},
    {"MergeSummary", make_message<merge_summaries>},      {"TensorSummary", make_message<tensor_summary>},
    {"TensorSummaryV2", make_message<tensor_summary_v2>}, {"SerializeTensor", make_message<serialize_tensor>},
};

}  // namespace

KernelFamily summary_ops() { return kSummaryRows; }

}  // namespace tarry
