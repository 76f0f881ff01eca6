// The likeliest labels of sequences without alignment, where a blank may stand between any two.

#include <map>
#include <memory>

#include "workers/kernels/ctc.hpp"

namespace tarry {
namespace {

// ---- CTCGreedyDecoder, CTCBeamSearchDecoder (scores [time, batch, classes], lengths) ----

Status check_sequences(const KernelContext& c) {
  const Shape &scores = c.shape(0), &lengths = c.shape(1);
  if (scores.rank() != 3) return invalid("inputs is not a 3-Tensor");
  if (scores.elements() == 0) return invalid("inputs must not be empty");
  if (lengths.rank() != 1) return invalid("sequence_length is not a vector");
  if (lengths.dims[0] != scores.dims[1])
    return error(Code::kFailedPrecondition,
                 "len(sequence_length) != batch_size.  len(sequence_length):  {} batch_size: {}", lengths.dims[0],
                 scores.dims[1]);
  const auto at = c.data<std::int32_t>(1);
  for (std::size_t b = 0; b < at.size(); ++b)
    if (at[b] > scores.dims[0]) return error(Code::kFailedPrecondition, "sequence_length({}) <= {}", b, scores.dims[0]);
  return {};
}

// The sequences of the batch as the three parts of a sparse tensor: path `p` of so many.
void give_paths(KernelContext& c, std::size_t p, std::size_t paths, const std::vector<Labels>& of_batch) {
  Dims values, indices;
  std::int64_t longest = 0;
  for (std::size_t b = 0; b < of_batch.size(); ++b) {
    longest = std::max(longest, std::ssize(of_batch[b]));
    for (std::int64_t i = 0; i < std::ssize(of_batch[b]); ++i) {
      indices.push_back(static_cast<std::int64_t>(b));
      indices.push_back(i);
      values.push_back(of_batch[b][static_cast<std::size_t>(i)]);
    }
  }
  MutableTensor at = make_tensor(DataType::kInt64, Shape({std::ssize(values), 2}));
  std::ranges::copy(indices, at->mutable_as<std::int64_t>().begin());
  c.set(p, std::move(at));
  c.set(paths + p, make_vector(values));
  c.set(2 * paths + p, make_vector(Dims{std::ssize(of_batch), longest}));
}

template <class T>
Labels greedy_path(const ClassScores<T>& scores, std::size_t length, std::size_t blank, bool merges, T& score) {
  Labels to;
  std::size_t before = scores.classes;
  for (std::size_t t = 0; t < length; ++t) {
    const auto row = scores.at(t);
    std::size_t best = 0;
    for (std::size_t k = 1; k < row.size(); ++k)
      if (row[k] > row[best]) best = k;
    score -= row[best];
    if (best != blank && !(merges && best == before)) to.push_back(static_cast<std::int64_t>(best));
    before = best;
  }
  return to;
}

struct GreedyRule {
  bool merges = false;
  std::int64_t blank = -1;  // below zero: from the end
};

Status decode_greedily(KernelContext& c, GreedyRule rule) {
  TARRY_RETURN_IF_ERROR(check_sequences(c));
  const std::int64_t classes = c.shape(0).dims[2], blank = rule.blank < 0 ? classes + rule.blank : rule.blank;
  if (blank < 0 || blank >= classes)
    return invalid("blank_index expected to be between {} and {} but was {}", -classes, classes - 1, rule.blank);
  const auto lengths = c.data<std::int32_t>(1);
  return for_real(c.in(0).dtype(), [&]<class T>() {
    std::vector<Labels> paths;
    MutableTensor score = make_tensor(c.in(0).dtype(), Shape({std::ssize(lengths), 1}));
    for (std::size_t b = 0; b < lengths.size(); ++b)
      paths.push_back(greedy_path<T>(scores_of<T>(c, b), static_cast<std::size_t>(std::max(0, lengths[b])),
                                     static_cast<std::size_t>(blank), rule.merges, score->mutable_as<T>()[b]));
    c.set(3, std::move(score));
    return give_paths(c, 0, 1, paths), Status();
  });
}

Behaviour make_greedy(const KernelSetup& s) {
  const GreedyRule rule{attr_or(s.attrs, "merge_repeated", false), attr_or(s.attrs, "blank_index", std::int64_t{-1})};
  return {[rule](KernelContext& c) { return decode_greedily(c, rule); }, nullptr};
}

// ---- The beam: label sequences as paths in a tree; the likeliest so many of them go on ----

template <class T>
struct BeamOdds {  // logarithms; of all paths, of those that end in a blank, of those that end in the label
  T total = kNever<T>, blank = kNever<T>, label = kNever<T>;
};

template <class T>
struct BeamNode {
  BeamNode* parent = nullptr;
  std::int64_t label = -1;
  BeamOdds<T> before{}, now{};
  std::map<std::int64_t, std::unique_ptr<BeamNode>> children{};

  [[nodiscard]] bool is_alive() const { return now.total != kNever<T>; }
  BeamNode& child(std::int64_t of) {
    auto& to = children[of];
    if (!to) to = std::make_unique<BeamNode>(BeamNode{this, of});
    return *to;
  }
};

template <class T>
class Beam {
 public:
  explicit Beam(std::size_t width) : width_(width) {
    root_.now = {T{0}, T{0}, kNever<T>};
    push(&root_);
  }

  void step(std::span<const T> scores) {
    const T most = *std::ranges::max_element(scores);
    T sum{0};
    for (const T x : scores) sum += std::exp(x - most);
    const T all = most + std::log(sum);
    const std::vector<BeamNode<T>*> branches = std::exchange(leaves_, {});
    for (BeamNode<T>* b : branches) b->before = b->now;
    for (BeamNode<T>* b : branches) stay(*b, scores, all);
    for (BeamNode<T>* b : branches) grow(*b, scores, all);
  }

  // Best first.
  [[nodiscard]] const std::vector<BeamNode<T>*>& leaves() const { return leaves_; }

 private:
  // The same labels: the last one again, or a blank.
  void stay(BeamNode<T>& b, std::span<const T> scores, T all) {
    if (b.parent != nullptr) {
      if (b.parent->is_alive()) b.now.label = log_of_sum(b.now.label, from(*b.parent, b.label));
      b.now.label += scores[static_cast<std::size_t>(b.label)] - all;
    }
    b.now.blank = b.before.total + scores.back() - all;
    b.now.total = log_of_sum(b.now.blank, b.now.label);
    push(&b);
  }

  // One label more.
  void grow(BeamNode<T>& b, std::span<const T> scores, T all) {
    if (!has_place(b.before.total)) return;
    for (std::size_t k = 0; k + 1 < scores.size(); ++k) {
      BeamNode<T>& child = b.child(static_cast<std::int64_t>(k));
      if (child.is_alive()) continue;
      const T label = scores[k] - all + from(b, child.label);
      child.now = {label, kNever<T>, label};
      if (has_place(label))
        push(&child);
      else
        child.before = child.now = {};
    }
  }

  // The odds that a label can follow; behind the same label only a blank's.
  static T from(const BeamNode<T>& b, std::int64_t label) { return b.label == label ? b.before.blank : b.before.total; }

  [[nodiscard]] bool has_place(T total) const {
    return total > kNever<T> && (leaves_.size() < width_ || total > leaves_.back()->now.total);
  }

  // The least likely one makes place.
  void push(BeamNode<T>* b) {
    if (leaves_.size() == width_) {
      leaves_.back()->now = {};
      leaves_.pop_back();
    }
    const auto likelier = [](const BeamNode<T>* x, const BeamNode<T>* y) { return x->now.total > y->now.total; };
    leaves_.insert(std::ranges::upper_bound(leaves_, b, likelier), b);
  }

  std::size_t width_;
  BeamNode<T> root_;
  std::vector<BeamNode<T>*> leaves_;
};

template <class T>
Labels labels_to(const BeamNode<T>& leaf, bool merges) {
  Labels to;
  std::int64_t before = -1;
  for (const BeamNode<T>* at = &leaf; at->parent != nullptr; before = at->label, at = at->parent)
    if (!merges || at->label != before) to.push_back(at->label);
  std::ranges::reverse(to);
  return to;
}

struct BeamRule {
  std::size_t width = 1, paths = 1;
  bool merges = true;
};

template <class T>
Status decode_one(const ClassScores<T>& scores, std::int32_t length, const BeamRule& rule,
                  std::vector<std::vector<Labels>>& paths, std::span<T> odds) {
  Beam<T> beam(rule.width);
  for (std::int32_t t = 0; t < length; ++t) beam.step(scores.at(static_cast<std::size_t>(t)));
  if (rule.paths > beam.leaves().size()) return invalid("Less leaves in the beam search than requested.");
  for (std::size_t p = 0; p < rule.paths; ++p) {
    paths[p].push_back(labels_to(*beam.leaves()[p], rule.merges));
    odds[p] = beam.leaves()[p]->now.total;
  }
  return {};
}

// What a beam keeps: label sequences, in a tree that is as deep as time is long.
Status check_size(const KernelContext& c, const BeamRule& rule) {
  constexpr double kMostSequences = 5e6;
  constexpr std::int64_t kLongest = 20'000;
  const std::int64_t time = c.shape(0).dims[0], classes = c.shape(0).dims[2];
  const double sequences = static_cast<double>(rule.width) * static_cast<double>(classes) * static_cast<double>(time);
  if (sequences <= kMostSequences && time <= kLongest && rule.paths <= rule.width) return {};
  if (rule.paths > rule.width) return invalid("requested more paths than the beam width.");
  return error(Code::kResourceExhausted, "tarry keeps no beam of {} label sequences over {} times", sequences, time);
}

Status decode_by_beam(KernelContext& c, const BeamRule& rule) {
  TARRY_RETURN_IF_ERROR(check_sequences(c));
  TARRY_RETURN_IF_ERROR(check_size(c, rule));
  const auto lengths = c.data<std::int32_t>(1);
  return for_real(c.in(0).dtype(), [&]<class T>() -> Status {
    std::vector<std::vector<Labels>> paths(rule.paths);
    MutableTensor odds =
        make_tensor(c.in(0).dtype(), Shape({std::ssize(lengths), static_cast<std::int64_t>(rule.paths)}));
    for (std::size_t b = 0; b < lengths.size(); ++b)
      TARRY_RETURN_IF_ERROR(decode_one<T>(scores_of<T>(c, b), lengths[b], rule, paths,
                                          odds->mutable_as<T>().subspan(b * rule.paths, rule.paths)));
    for (std::size_t p = 0; p < rule.paths; ++p) give_paths(c, p, rule.paths, paths[p]);
    return c.give(3 * rule.paths, std::move(odds));
  });
}

Behaviour make_beam(const KernelSetup& s) {
  const BeamRule rule{static_cast<std::size_t>(attr_or(s.attrs, "beam_width", std::int64_t{1})),
                      static_cast<std::size_t>(attr_or(s.attrs, "top_paths", std::int64_t{1})),
                      attr_or(s.attrs, "merge_repeated", true)};
  return {[rule](KernelContext& c) { return decode_by_beam(c, rule); }, nullptr};
}

constexpr KernelRow kCtcRows[] = {
    {"CTCGreedyDecoder", make_greedy},
    {"CTCBeamSearchDecoder", make_beam},
    {"CTCLoss", make_ctc_loss},
};

}  // namespace

KernelFamily ctc_ops() { return kCtcRows; }

}  // namespace tarry
