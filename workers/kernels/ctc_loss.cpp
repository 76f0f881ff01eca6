// CTCLoss (scores, places of labels, labels, lengths): the loss of each of the batch, and the scores' gradient.

#include "workers/kernels/ctc.hpp"

namespace tarry {
namespace {

struct LossRule {
  bool collapses = false, merges = true, skips_long = false;
};

Status check_loss_shapes(const KernelContext& c) {
  const Shape &scores = c.shape(0), &at = c.shape(1), &labels = c.shape(2), &lengths = c.shape(3);
  if (scores.rank() != 3) return invalid("inputs is not a 3-Tensor");
  if (lengths.rank() != 1) return invalid("sequence_length is not a vector");
  if (at.rank() != 2) return invalid("labels_indices is not a matrix");
  if (labels.rank() != 1) return invalid("labels_values is not a vector");
  if (at.dims[1] != 2) return invalid("labels_indices must have two columns, got shape {}", to_string(at));
  if (scores.dims[2] == 0) return invalid("inputs must have a class at least, got shape {}", to_string(scores));
  if (scores.dims[0] == 0) return invalid("Max time or first dimension of input cannot be 0.");
  if (scores.dims[1] != lengths.dims[0])
    return invalid("len(sequence_length) != batch_size.  len(sequence_length):  {} batch_size: {}", lengths.dims[0],
                   scores.dims[1]);
  if (at.dims[0] != labels.dims[0])
    return invalid("labels_indices and labels_values must contain the same number of rows, but saw shapes: {} vs. {}",
                   to_string(at), to_string(labels));
  return scores.dims[1] != 0 ? Status() : invalid("batch_size must not be 0");
}

Status ctc_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_loss_shapes(c));
  out[0] = c.shape(3);
  out[1] = c.shape(0);
  return {};
}

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

// The labels of each of the batch, in the order in which they come.
StatusOr<std::vector<Labels>> labels_in(const KernelContext& c) {
  const auto at = c.data<std::int64_t>(1);
  const auto values = c.data<std::int32_t>(2);
  const std::int64_t batch = c.shape(0).dims[1];
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    longest = std::max(longest, at[2 * i + 1] < kFar ? at[2 * i + 1] + 1 : kFar);
  std::vector<Labels> to(static_cast<std::size_t>(batch));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = at.subspan(2 * i, 2);
    const char* fault = nullptr;
    if (row[0] < 0 || row[0] >= batch || row[1] < 0)
      return invalid(
          "label SparseTensor is not valid: indices[{}] = [{},{}] is out of bounds: need 0 <= index < [{},{}]", i,
          row[0], row[1], batch, longest);
    if (i > 0 && std::ranges::equal(at.subspan(2 * i - 2, 2), row)) fault = "repeated";
    if (i > 0 && std::ranges::lexicographical_compare(row, at.subspan(2 * i - 2, 2)))
      fault =
          "out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a correctly "
          "ordered copy.\n\n";
    if (fault != nullptr)
      return invalid("label SparseTensor is not valid: indices[{}] = [{},{}] is {}", i, row[0], row[1], fault);
    to[static_cast<std::size_t>(row[0])].push_back(values[i]);
  }
  return to;
}

// The labels without those that end them, a blank before each and one at the end.
StatusOr<Labels> with_blanks(const LossRule& rule, const Labels& labels, std::size_t of, std::int64_t classes,
                             std::int64_t time) {
  if (labels.empty()) return invalid("Labels length is zero in batch {}", of);
  Labels kept;
  bool has_ended = false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0 && rule.collapses && labels[i] == labels[i - 1]) continue;
    if (labels[i] >= classes - 1)
      has_ended = true;
    else if (has_ended)
      return invalid(
          "Saw a non-null label (index >= num_classes - 1) following a null label, batch: {} num_classes: {} labels: "
          "{} labels seen so far: {}",
          of, classes, fmt::join(labels, ","), fmt::join(kept, ","));
    else
      kept.push_back(labels[i]);
  }
  if (std::ranges::any_of(kept, [](std::int64_t l) { return l < 0; }))
    return invalid("All labels must be nonnegative integers, batch: {} labels: {}", of, fmt::join(kept, ","));
  if (!rule.skips_long && std::ssize(labels) > time)
    return invalid(
        "Not enough time for target transition sequence (required: {}, available: {}){}You can turn this error into a "
        "warning by using the flag ignore_longer_outputs_than_inputs",
        labels.size(), time, of);
  Labels to{classes - 1};
  for (const std::int64_t l : kept) to.insert(to.end(), {l, classes - 1});
  return to;
}

template <class T>
using LogOdds = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// The paths through the labels of one of the batch. `y`: probabilities, a column for each time.
template <class T>
struct LabelPaths {
  const Labels& labels;
  LogOdds<T> y;
  bool merges;

  [[nodiscard]] std::int64_t blank() const { return y.rows() - 1; }
  [[nodiscard]] std::int64_t label(std::int64_t u) const { return labels[static_cast<std::size_t>(u)]; }
  [[nodiscard]] T at(std::int64_t u, std::int64_t t) const { return std::log(y(label(u), t)); }
  [[nodiscard]] bool repeats(std::int64_t u) const { return merges || label(u) == blank(); }
  [[nodiscard]] bool skips(std::int64_t from, std::int64_t to) const {
    return label(to) != blank() && !(merges && label(from) == label(to));
  }
  // Calls `f(u)` for the labels at which a path can be at a time.
  template <class F>
  void for_reachable(std::int64_t t, F f) const {
    const std::int64_t size = std::ssize(labels), times = y.cols();
    for (std::int64_t u = std::max<std::int64_t>(0, size - 2 * (times - t)); u < std::min(size, 2 * (t + 1)); ++u) f(u);
  }
};

template <class T>
LogOdds<T> forward_odds(const LabelPaths<T>& p) {
  LogOdds<T> to = LogOdds<T>::Constant(std::ssize(p.labels), p.y.cols(), kNever<T>);
  to(0, 0) = p.at(0, 0);
  if (to.rows() > 1) to(1, 0) = p.at(1, 0);
  for (std::int64_t t = 1; t < to.cols(); ++t)
    p.for_reachable(t, [&](std::int64_t u) {
      T sum = p.repeats(u) ? to(u, t - 1) : kNever<T>;
      if (u > 0) sum = log_of_sum(sum, to(u - 1, t - 1));
      if (u > 1 && p.skips(u - 2, u)) sum = log_of_sum(sum, to(u - 2, t - 1));
      to(u, t) = p.at(u, t) + sum;
    });
  return to;
}

template <class T>
LogOdds<T> backward_odds(const LabelPaths<T>& p) {
  const std::int64_t size = std::ssize(p.labels), last = p.y.cols() - 1;
  LogOdds<T> to = LogOdds<T>::Constant(size, last + 1, kNever<T>);
  for (std::int64_t u = std::max<std::int64_t>(0, size - 2); u < size; ++u) to(u, last) = T{0};
  for (std::int64_t t = last - 1; t >= 0; --t)
    p.for_reachable(t, [&](std::int64_t u) {
      T sum = p.repeats(u) ? to(u, t + 1) + p.at(u, t + 1) : kNever<T>;
      if (u + 1 < size) sum = log_of_sum(sum, to(u + 1, t + 1) + p.at(u + 1, t + 1));
      // A path never leaves a blank for the label behind the next one.
      if (u + 2 < size && p.label(u) != p.blank() && p.skips(u, u + 2))
        sum = log_of_sum(sum, to(u + 2, t + 1) + p.at(u + 2, t + 1));
      // For a blank alone TensorFlow writes its first value one column in front, too, and adds to it.
      if (size == 1 && t == last - 1) sum = log_of_sum(sum, T{0});
      to(u, t) = sum;
    });
  return to;
}

template <class T>
LogOdds<T> softmax_of(const ClassScores<T>& scores, std::int64_t length) {
  LogOdds<T> y(static_cast<std::int64_t>(scores.classes), length);
  for (std::int64_t t = 0; t < length; ++t) {
    const auto row = scores.at(static_cast<std::size_t>(t));
    const T most = *std::ranges::max_element(row);
    for (std::size_t k = 0; k < row.size(); ++k) y(static_cast<std::int64_t>(k), t) = std::exp(row[k] - most);
    y.col(t) /= y.col(t).sum();
  }
  return y;
}

// Gives the loss; writes the gradient, a column for each time.
template <class T>
T loss_of_paths(const LabelPaths<T>& p, LogOdds<T>& gradient) {
  const LogOdds<T> both = forward_odds(p) + backward_odds(p);
  T all = kNever<T>;
  for (std::int64_t u = 0; u < both.rows(); ++u) all = log_of_sum(all, both(u, 0));
  gradient = p.y;
  if (all == kNever<T>) return -all;
  for (std::int64_t t = 0; t < both.cols(); ++t) {
    std::vector<T> sums(static_cast<std::size_t>(p.y.rows()), kNever<T>);
    for (std::int64_t u = 0; u < both.rows(); ++u) {
      T& sum = sums[static_cast<std::size_t>(p.label(u))];
      sum = log_of_sum(sum, both(u, t));
    }
    for (std::int64_t k = 0; k < p.y.rows(); ++k)
      gradient(k, t) -= static_cast<T>(std::exp(static_cast<float>(sums[static_cast<std::size_t>(k)] - all)));
  }
  return -all;
}

// All of the batch are looked at before the first loss is computed.
StatusOr<std::vector<Labels>> checked_labels(const KernelContext& c, const LossRule& rule,
                                             const std::vector<Labels>& labels) {
  const auto lengths = c.data<std::int32_t>(3);
  const std::int64_t most = c.shape(0).dims[0];
  for (std::size_t b = 0; b < lengths.size(); ++b)
    if (lengths[b] > most) return invalid("sequence_length({}) <= {}", b, most);
  for (std::size_t b = 0; b < lengths.size(); ++b)
    if (lengths[b] < 0) return invalid("seq_len({}) < 0", b);
  std::vector<Labels> to;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    auto with = with_blanks(rule, labels[b], b, c.shape(0).dims[2], lengths[b]);
    if (!with.ok()) return with.status();
    to.push_back(*std::move(with));
  }
  return to;
}

template <class T>
void put_loss(KernelContext& c, const LossRule& rule, const Labels& labels, std::size_t b) {
  const std::int64_t length = c.data<std::int32_t>(3)[b];
  const auto scores = scores_of<T>(c, b);
  LogOdds<T> gradient;
  c.out<T>(0)[b] = loss_of_paths<T>({labels, softmax_of(scores, length), rule.merges}, gradient);
  for (std::int64_t t = 0; t < length; ++t)
    for (std::int64_t k = 0; k < gradient.rows(); ++k)
      c.out<T>(1)[(static_cast<std::size_t>(t) * scores.batch + b) * scores.classes + static_cast<std::size_t>(k)] =
          gradient(k, t);
}

Status ctc_loss(KernelContext& c, const LossRule& rule) {
  const auto labels = labels_in(c);
  if (!labels.ok()) return labels.status();
  const auto with = checked_labels(c, rule, *labels);
  if (!with.ok()) return with.status();
  return for_real(c.in(0).dtype(), [&]<class T>() {
    for (std::size_t o = 0; o < 2; ++o) std::ranges::fill(c.out<T>(o), T{0});
    for (std::size_t b = 0; b < with->size(); ++b) {
      const std::int64_t length = c.data<std::int32_t>(3)[b];
      if (length > 0 && !(rule.skips_long && std::ssize((*labels)[b]) > length)) put_loss<T>(c, rule, (*with)[b], b);
    }
    return Status();
  });
}

}  // namespace

Behaviour make_ctc_loss(const KernelSetup& s) {
  const LossRule rule{attr_or(s.attrs, "preprocess_collapse_repeated", false),
                      attr_or(s.attrs, "ctc_merge_repeated", true),
                      attr_or(s.attrs, "ignore_longer_outputs_than_inputs", false)};
  return {[rule](KernelContext& c) { return ctc_loss(c, rule); }, ctc_shape};
}

}  // namespace tarry
