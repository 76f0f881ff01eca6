// Texts made of tensors or of several texts, and how far sequences are from each other.

#include <algorithm>
#include <map>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/element_text.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/sparse_parts.hpp"

namespace tarry {
namespace {

// ---- StringFormat (tensors): each in place of a placeholder ----

// All dimensions in brackets; of each, the first and the last entries only.
class BracketedText {
 public:
  BracketedText(const TensorBody& t, std::int64_t summarize)
      : t_(t), ends_(summarize == -1 ? t.elements() : std::min(summarize, t.elements())) {}
  std::string text() { return t_.shape().rank() == 0 ? element(0) : (dimension(0, 0), std::move(to_)); }

 private:
  [[nodiscard]] std::string element(std::int64_t i) const {
    const std::string text = element_text(t_, static_cast<std::size_t>(i));
    return t_.dtype() == DataType::kString ? fmt::format("\"{}\"", text) : text;
  }
  void entry(std::size_t d, std::int64_t flat) {
    if (d + 1 == t_.shape().dims.size())
      to_ += element(flat);
    else
      dimension(d + 1, flat);
  }
  void separate(std::size_t d) {
    to_ += std::string(t_.shape().dims.size() - d - 1, '\n') +
           std::string(d + 1 == t_.shape().dims.size() ? 1 : d + 1, ' ');
  }
  void dimension(std::size_t d, std::int64_t before) {
    const std::int64_t size = t_.shape().dims[d], first = std::min(size, ends_);
    to_ += '[';
    for (std::int64_t i = 0; i < size; ++i) {
      const bool is_cut = size > 2 * ends_ && i == first;
      if (i > 0 || is_cut) separate(d);
      if (is_cut) to_ += "...", i = size - ends_;
      if (is_cut && ends_ == 0) break;
      if (is_cut) separate(d);
      entry(d, before * size + i);
    }
    to_ += ']';
  }

  const TensorBody& t_;
  std::int64_t ends_;
  std::string to_;
};

struct FormatPlan {
  std::string text, placeholder;
  std::int64_t summarize = 3;
};

Status format(KernelContext& c, const FormatPlan& plan) {
  std::string to;
  std::size_t at = 0;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const std::size_t next = std::min(plan.text.find(plan.placeholder, at), plan.text.size());
    to += plan.text.substr(at, next - at) + BracketedText(c.in(i), plan.summarize).text();
    at = std::min(next + plan.placeholder.size(), plan.text.size());
  }
  return c.give(0, make_string(to + plan.text.substr(at)));
}

Status scalar_text_shape(const KernelContext&, std::span<Shape> out) { return only(out, Shape()); }

Behaviour make_format(const KernelSetup& s) {
  const FormatPlan plan{attr_or(s.attrs, "template", std::string("%s")),
                        attr_or(s.attrs, "placeholder", std::string("%s")),
                        attr_or(s.attrs, "summarize", std::int64_t{3})};
  Behaviour b{[plan](KernelContext& c) { return format(c, plan); }, scalar_text_shape};
  b.allocates = true;
  return b;
}

// ---- StringNGrams (texts, splits): runs of neighbours in each row, joined; splits ----

struct NGrams {
  std::string separator, left, right;
  Dims widths;
  std::int64_t padding = 0;
  bool keeps_short = false;
};

Status check_ngrams(const NGrams& n, const Dims& splits, std::int64_t count) {
  if (!splits.empty() && splits[0] != 0) return invalid("First split value must be 0, got {}", splits[0]);
  for (std::size_t i = 1; i < splits.size(); ++i)
    if (splits[i] < splits[i - 1] || splits[i] > count)
      return invalid("Invalid split value {}, must be in [{}, {}]", splits[i], splits[i - 1], count);
  if (!splits.empty() && splits.back() != count)
    return invalid("Last split value must be data size. Expected {}, got {}", count, splits.back());
  if (std::ranges::any_of(n.widths, [](std::int64_t w) { return w <= 0; }))
    return invalid("ngram_widths must contain positive values");
  return {};
}

// The runs of `width` in a row that is padded at both ends.
void append_ngrams(const NGrams& n, std::span<const std::string> row, std::int64_t width, std::int64_t padding,
                   std::vector<std::string>& to) {
  const std::int64_t size = std::ssize(row);
  for (std::int64_t from = -padding; from + width <= size + padding; ++from) {
    std::string text;
    for (std::int64_t i = from; i < from + width; ++i)
      text += (i > from ? n.separator : "") + (i < 0 ? n.left : i < size ? row[static_cast<std::size_t>(i)] : n.right);
    to.push_back(std::move(text));
  }
}

std::vector<std::string> ngrams_of(const NGrams& n, std::span<const std::string> row) {
  std::vector<std::string> to;
  const auto padding = [&](std::int64_t width) { return n.padding < 0 ? width - 1 : std::min(n.padding, width - 1); };
  for (const std::int64_t width : n.widths) append_ngrams(n, row, width, padding(width), to);
  // What is too short for any of them is kept as it is, with its padding.
  if (to.empty() && n.keeps_short && !row.empty()) {
    const std::int64_t most = std::max<std::int64_t>(n.padding, 0);
    append_ngrams(n, row, std::ssize(row) + 2 * most, most, to);
  }
  return to;
}

Status ngrams(KernelContext& c, const NGrams& n) {
  const Dims splits = integers_of(c.in(1));
  TARRY_RETURN_IF_ERROR(check_ngrams(n, splits, c.in(0).elements()));
  MutableTensor ends = make_tensor(c.in(1).dtype(), c.shape(1));
  std::vector<std::string> all;
  const std::span<const std::string> texts = c.in(0).strings();
  for (std::size_t i = 1; i < splits.size(); ++i) {
    const auto from = static_cast<std::size_t>(splits[i - 1]), size = static_cast<std::size_t>(splits[i]) - from;
    std::ranges::move(ngrams_of(n, texts.subspan(from, size)), std::back_inserter(all));
    put_integer(*ends, i, std::ssize(all));
  }
  MutableTensor to = make_tensor(DataType::kString, splits.empty() ? c.shape(0) : Shape({std::ssize(all)}));
  if (!splits.empty()) to->mutable_strings() = std::move(all);
  c.set(0, to);
  return c.give(1, ends);
}

Behaviour make_ngrams(const KernelSetup& s) {
  const auto text = [&](const char* name) { return attr_or(s.attrs, name, std::string()); };
  NGrams n{text("separator"), text("left_pad"), text("right_pad")};
  if (const auto* widths = s.attrs.get<AttrList>("ngram_widths")) n.widths.assign(widths->i.begin(), widths->i.end());
  n.padding = attr_or(s.attrs, "pad_width", std::int64_t{0});
  n.keeps_short = attr_or(s.attrs, "preserve_short_sequences", false);
  return {[n](KernelContext& c) { return ngrams(c, n); }, nullptr};
}

// ---- EditDistance (two sparse tensors, whose rows are sequences) ----

Status check_sequences(const KernelContext& c) {
  constexpr const char* kSides[] = {"hypothesis", "truth"};
  for (std::size_t i = 0; i < 6; ++i) {
    const std::size_t part = i / 2, side = i % 2;
    const std::int64_t wanted = part == 0 ? 2 : 1;
    const Shape& s = c.shape(side * 3 + (part == 0 ? 0 : part));
    if (s.rank() != wanted)
      return invalid("{}_{} should be a {}, but got shape: {}", kSides[side],
                     part == 0   ? "indices"
                     : part == 1 ? "values"
                                 : "shape",
                     part == 0 ? "matrix" : "vector", to_string(s));
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const Shape &indices = c.shape(side * 3), &values = c.shape(side * 3 + 1), &shape = c.shape(side * 3 + 2);
    if (side == 1 && shape.dims[0] < 2)
      return invalid("Input SparseTensors must have rank at least 2, but truth_shape rank is: {}", shape.dims[0]);
    if (values.dims[0] != indices.dims[0])
      return invalid("Expected {0}_values.NumElements == #rows({0}_indices), their shapes are: {1} and {2}",
                     kSides[side], to_string(values), to_string(indices));
    if (shape.dims[0] != indices.dims[1])
      return invalid("Expected {0}_shape.NumElements == #cols({0}_indices), their shapes are: {1} and {2}",
                     kSides[side], to_string(shape), to_string(indices));
  }
  return {};
}

// The larger of both sizes of each dimension but the last.
Status distances_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_sequences(c));
  if (!known(c, 2) || !known(c, 5)) return shape_not_known();
  const Dims hypothesis = integers_of(c.in(2)), truth = integers_of(c.in(5));
  if (hypothesis.size() != truth.size())
    return invalid("Expected truth and hypothesis to have matching ranks, but their shapes are: {} and {}",
                   to_string(c.shape(5)), to_string(c.shape(2)));
  for (const Dims& sizes : {hypothesis, truth})
    for (const std::int64_t d : sizes)
      if (d < 0) return invalid("Dimension {} must be >= 0", d);
  for (std::size_t d = 0; d + 1 < truth.size(); ++d) out[0].dims.push_back(std::max(hypothesis[d], truth[d]));
  if (out[0].elements() == 0) return invalid("Got output shape {} which has 0 elements", to_string(out[0]));
  return {};
}

// Elements one behind the other that have the same place.
struct Sequence {
  Dims place;
  std::size_t from = 0, to = 0;
};
std::vector<Sequence> sequences_of(const SparseParts& p) {
  std::vector<Sequence> all;
  for (std::size_t i = 0; i < p.count(); ++i) {
    Dims place(p.row(i).begin(), p.row(i).end() - 1);
    if (all.empty() || all.back().place != place) all.push_back({std::move(place), i, i});
    all.back().to = i + 1;
  }
  return all;
}

bool is_same_element(const TensorBody& a, std::size_t i, const TensorBody& b, std::size_t j) {
  if (a.dtype() == DataType::kString) return a.strings()[i] == b.strings()[j];
  bool is_same = false;
  const auto compare = [&]<class T>() { return is_same = a.as<T>()[i] == b.as<T>()[j], Status(); };
  (void)(is_complex(a.dtype()) ? for_number_or_complex(a.dtype(), compare) : for_number_or_bool(a.dtype(), compare));
  return is_same;
}

// How many elements are put in, taken out or changed to make one sequence of the other.
std::int64_t distance(const TensorBody& a, const Sequence& x, const TensorBody& b, const Sequence& y) {
  std::vector<std::int64_t> row(y.to - y.from + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<std::int64_t>(j);
  for (std::size_t i = x.from; i < x.to; ++i) {
    std::int64_t above = row[0]++;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::int64_t changed = above + (is_same_element(a, i, b, y.from + j - 1) ? 0 : 1);
      above = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

// Walks over the sequences of both sides at once, as if they were in the order of their places.
Status distances(KernelContext& c, bool normalize) {
  const SparseParts a = sparse_parts(c, 0), b = sparse_parts(c, 3);
  const std::vector<Sequence> hypothesis = sequences_of(a), truth = sequences_of(b);
  const auto to = c.out<float>(0);
  for (std::size_t i = 0, j = 0; i < hypothesis.size() || j < truth.size();) {
    const bool has_hypothesis = i < hypothesis.size() && (j == truth.size() || hypothesis[i].place <= truth[j].place);
    const bool has_truth = j < truth.size() && (i == hypothesis.size() || truth[j].place <= hypothesis[i].place);
    const Sequence none, &x = has_hypothesis ? hypothesis[i] : none, &y = has_truth ? truth[j] : none;
    const std::int64_t at = flat_index(out(c).shape(), has_truth ? y.place : x.place);
    if (at < 0 || at >= std::ssize(to))
      return error(Code::kInternal,
                   "Got an inner product {} which would require writing to outside of the buffer for the output tensor "
                   "(max elements {})",
                   at, to.size());
    const auto changes = static_cast<float>(distance(a.values, x, b.values, y));
    to[static_cast<std::size_t>(at)] = normalize ? changes / static_cast<float>(y.to - y.from) : changes;
    i += has_hypothesis ? 1 : 0, j += has_truth ? 1 : 0;
  }
  return {};
}

Behaviour make_edit_distance(const KernelSetup& s) {
  return {[normalize = attr_or(s.attrs, "normalize", true)](KernelContext& c) { return distances(c, normalize); },
          distances_shape};
}

constexpr KernelRow kTextFormatRows[] = {
    {"StringFormat", make_format},
    {"StringNGrams", make_ngrams},
    {"EditDistance", make_edit_distance},
};

}  // namespace

KernelFamily text_format_ops() { return kTextFormatRows; }

}  // namespace tarry
