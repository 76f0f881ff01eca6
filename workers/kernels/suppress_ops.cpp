// Boxes that lie over each other: the best ones are chosen, with their scores, padded, or class by class.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <queue>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

using BoxCorners = std::span<const float>;  // two opposite ones, in whatever order

float side(float a, float b) { return std::max(a, b) - std::min(a, b); }

// What two boxes share, of what they cover together; nothing where one has no area.
float shared_part(BoxCorners a, BoxCorners b) {
  const float area_a = side(a[0], a[2]) * side(a[1], a[3]), area_b = side(b[0], b[2]) * side(b[1], b[3]);
  if (area_a <= 0 || area_b <= 0) return 0;
  float shared = 1;
  for (std::size_t i = 0; i < 2; ++i)
    shared *= std::max(std::min(std::max(a[i], a[i + 2]), std::max(b[i], b[i + 2])) -
                           std::max(std::min(a[i], a[i + 2]), std::min(b[i], b[i + 2])),
                       0.0F);
  return shared / (area_a + area_b - shared);
}

// ---- NonMaxSuppressionV4, V5, WithOverlaps ----

struct Suppression {
  float overlap = 0.5F, score = 0, softness = 0;  // softness: 0 = a box is left out; else its score gets smaller
};

struct ChosenBox {
  std::int32_t box;
  float score;
};

struct BoxCandidate {
  float score;
  std::int32_t box;
  std::size_t seen;  // so many of the chosen boxes have already made its score smaller
  bool operator<(const BoxCandidate& other) const {
    return score < other.score || (score == other.score && box > other.box);
  }
};

using Likeness = std::function<float(std::size_t, std::size_t)>;

// The score that is left behind the boxes already chosen; none if it is left out.
std::optional<float> score_behind(std::span<const ChosenBox> chosen, const BoxCandidate& next, const Suppression& s,
                                  const Likeness& likeness) {
  float score = next.score;
  for (std::size_t i = chosen.size(); i-- > next.seen && score > s.score;) {
    const float alike = likeness(static_cast<std::size_t>(next.box), static_cast<std::size_t>(chosen[i].box));
    if (s.softness > 0)
      score *= std::exp(-0.5F / s.softness * alike * alike);
    else if (alike > s.overlap)
      return std::nullopt;
  }
  return score;
}

std::vector<ChosenBox> choose_boxes(std::span<const float> scores, std::size_t most, const Suppression& s,
                                    const Likeness& likeness) {
  std::priority_queue<BoxCandidate> candidates;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > s.score) candidates.push({scores[i], static_cast<std::int32_t>(i), 0});
  std::vector<ChosenBox> chosen;
  while (chosen.size() < most && !candidates.empty()) {
    const BoxCandidate next = candidates.top();
    candidates.pop();
    const auto left = score_behind(chosen, next, s, likeness);
    if (!left) continue;
    if (*left == next.score)
      chosen.push_back({next.box, next.score});
    else if (*left > s.score)
      candidates.push({*left, next.box, chosen.size()});
  }
  return chosen;
}

Status check_scores(const KernelContext& c, std::int64_t boxes) {
  const Shape& scores = c.shape(1);
  if (scores.rank() != 1)
    return invalid("scores must be 1-D{} (Shape must be rank 1 but is rank {})", to_string(scores), scores.rank());
  if (scores.dims[0] != boxes)
    return invalid("scores has incompatible shape (Dimensions must be equal, but are {} and {})", boxes,
                   scores.dims[0]);
  return {};
}

Status check_corners(const KernelContext& c) {
  const Shape& boxes = c.shape(0);
  if (boxes.rank() != 2)
    return invalid("boxes must be 2-D{} (Shape must be rank 2 but is rank {})", to_string(boxes), boxes.rank());
  if (boxes.dims[1] != 4) return invalid("boxes must have 4 columns (Dimension must be 4 but is {})", boxes.dims[1]);
  return check_scores(c, boxes.dims[0]);
}

Status check_overlaps(const KernelContext& c) {
  const Shape& overlaps = c.shape(0);
  if (overlaps.rank() != 2) return invalid("overlaps must be 2-D{}", to_string(overlaps));
  if (overlaps.dims[0] != overlaps.dims[1]) return invalid("overlaps must be square{}", to_string(overlaps));
  return check_scores(c, overlaps.dims[0]);
}

constexpr InputRule kThresholds[] = {{2, "max_output_size must be 0-D, got shape {}"},
                                     {3, "iou_threshold must be 0-D, got shape {}"},
                                     {4, "score_threshold must be 0-D, got shape {}"},
                                     {5, "soft_nms_sigma must be 0-D, got shape {}"}};

StatusOr<Suppression> suppression_in(const KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, std::span(kThresholds).first(2)));
  Suppression s{c.data<float>(3)[0]};
  if (!(s.overlap >= 0 && s.overlap <= 1)) return invalid("iou_threshold must be in [0, 1]");
  TARRY_RETURN_IF_ERROR(check_input(c, kThresholds[2]));
  s.score = c.data<float>(4)[0];
  if (c.inputs.size() < 6) return s;
  TARRY_RETURN_IF_ERROR(check_input(c, kThresholds[3]));
  s.softness = c.data<float>(5)[0];
  if (!(s.softness >= 0)) return invalid("soft_nms_sigma_val must be >= 0");
  return s;
}

// Outputs: the boxes; of V5, their scores; how many there are without what was padded.
void give_boxes(KernelContext& c, const std::vector<ChosenBox>& chosen, std::size_t size) {
  std::vector<std::int32_t> boxes(size, 0);
  std::vector<float> scores(size, 0.0F);
  std::ranges::transform(chosen, boxes.begin(), &ChosenBox::box);
  std::ranges::transform(chosen, scores.begin(), &ChosenBox::score);
  c.set(0, make_vector(boxes));
  if (c.outputs.size() == 3) c.set(1, make_vector(scores));
  if (c.outputs.size() > 1) c.set(c.outputs.size() - 1, make_scalar(static_cast<std::int32_t>(chosen.size())));
}

Status give_chosen(KernelContext& c, const Suppression& s, bool is_padded, const Likeness& likeness) {
  const std::int64_t most = integers_of(c.in(2))[0];
  if (most < 0) return invalid("output size must be non-negative");
  const auto chosen = choose_boxes(c.data<float>(1), static_cast<std::size_t>(most), s, likeness);
  if (is_padded) TARRY_RETURN_IF_ERROR(check_can_be_kept(Shape({most})));
  return give_boxes(c, chosen, is_padded ? static_cast<std::size_t>(most) : chosen.size()), Status();
}

Behaviour make_padded_choice(const KernelSetup& setup) {
  return {[is_padded = attr_or(setup.attrs, "pad_to_max_output_size", false)](KernelContext& c) -> Status {
            const auto s = suppression_in(c);
            if (!s.ok()) return s.status();
            TARRY_RETURN_IF_ERROR(check_corners(c));
            const auto boxes = c.data<float>(0);
            return give_chosen(c, *s, is_padded, [boxes](std::size_t a, std::size_t b) {
              return shared_part(boxes.subspan(4 * a, 4), boxes.subspan(4 * b, 4));
            });
          },
          nullptr};
}

Status choose_by_overlaps(KernelContext& c) {
  static constexpr InputRule kRules[] = {
      kThresholds[0], {3, "overlap_threshold must be 0-D, got shape {}"}, kThresholds[2]};
  TARRY_RETURN_IF_ERROR(check_inputs(c, kRules));
  TARRY_RETURN_IF_ERROR(check_overlaps(c));
  const auto overlaps = c.data<float>(0);
  const std::size_t boxes = c.data<float>(1).size();
  return give_chosen(c, {c.data<float>(3)[0], c.data<float>(4)[0]}, false,
                     [overlaps, boxes](std::size_t a, std::size_t b) { return overlaps[a * boxes + b]; });
}

// ---- CombinedNonMaxSuppression (boxes [batch, boxes, 1 or classes, 4], scores [batch, boxes, classes], most of a
// class, most of all, overlap, score): boxes, scores and classes of each of the batch, and how many ----

Status check_combined_shapes(const KernelContext& c) {
  const Shape &boxes = c.shape(0), &scores = c.shape(1);
  if (boxes.rank() != 4) return invalid("boxes must be 4-D{}", to_string(boxes));
  if (boxes.dims[2] != 1 && boxes.dims[2] != scores.dims.back())
    return invalid("third dimension of boxes must be either 1 or num classes");
  if (boxes.dims[3] != 4) return invalid("boxes must have 4 columns");
  if (scores.rank() != 3) return invalid("scores must be 3-D{}", to_string(scores));
  return boxes.dims[1] == scores.dims[1] ? Status() : invalid("scores has incompatible shape");
}

Status check_batches(const KernelContext& c) {
  const Shape &boxes = c.shape(0), &scores = c.shape(1);
  if (!boxes.dims.empty() && !scores.dims.empty() && boxes.dims[0] == scores.dims[0]) return {};
  return invalid("boxes and scores must have same batch size");
}

constexpr InputRule kMostOfClass = {2, "max_size_per_class must be 0-D, got shape {}"},
                    kMostOfAll = {3, "max_total_size must be 0-D, got shape {}"};
constexpr InputRule kCombinedThresholds[] = {{4, "iou_threshold must be 0-D, got shape {}"},
                                             {5, "score_threshold must be 0-D, got shape {}"}};

struct CombinedLimits {
  std::int64_t of_class, of_all;
  float overlap, score;
};

StatusOr<CombinedLimits> combined_limits(const KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_batches(c));
  const auto of_class = integer_in(c, kMostOfClass);
  if (!of_class.ok()) return of_class.status();
  if (*of_class <= 0) return invalid("max_size_per_class must be positive");
  const auto of_all = integer_in(c, kMostOfAll);
  if (!of_all.ok()) return of_all.status();
  if (*of_all <= 0) return invalid("max_total_size must be > 0");
  TARRY_RETURN_IF_ERROR(check_inputs(c, kCombinedThresholds));
  const CombinedLimits to{*of_class, *of_all, c.data<float>(4)[0], c.data<float>(5)[0]};
  if (!(to.overlap >= 0 && to.overlap <= 1)) return invalid("iou_threshold must be in [0, 1]");
  TARRY_RETURN_IF_ERROR(check_combined_shapes(c));
  return to;
}

struct ClassedBox {
  float score = -std::numeric_limits<float>::infinity();
  std::int64_t of_class = -1;
  std::array<float, 4> corners{};
};

struct CombinedImage {  // one of the batch
  std::span<const float> boxes, scores;
  std::size_t count, per_box, classes;  // per_box: boxes of each anchor
  [[nodiscard]] BoxCorners box(std::size_t i, std::size_t of_class) const {
    return boxes.subspan(4 * (i * per_box + (per_box > 1 ? of_class : 0)), 4);
  }
};

struct ByScore {
  bool operator()(const std::pair<float, std::size_t>& a, const std::pair<float, std::size_t>& b) const {
    return a.first < b.first;
  }
};

// Fills a class's part of the list, best first. Among equal scores the order is that of a heap.
void choose_of_class(const CombinedImage& image, std::size_t of_class, const CombinedLimits& limits,
                     std::span<ClassedBox> to) {
  std::priority_queue<std::pair<float, std::size_t>, std::vector<std::pair<float, std::size_t>>, ByScore> candidates;
  for (std::size_t i = 0; i < image.count; ++i)
    if (const float score = image.scores[i * image.classes + of_class]; score > limits.score)
      candidates.push({score, i});
  std::size_t chosen = 0;
  for (; chosen < to.size() && !candidates.empty(); candidates.pop()) {
    const auto [score, i] = candidates.top();
    const BoxCorners box = image.box(i, of_class);
    const auto hides = [&](const ClassedBox& other) { return shared_part(box, other.corners) > limits.overlap; };
    if (std::ranges::any_of(to.first(chosen), hides)) continue;
    to[chosen] = {score, static_cast<std::int64_t>(of_class), {}};
    std::ranges::copy(box, to[chosen++].corners.begin());
  }
}

std::vector<ClassedBox> choose_of_image(const CombinedImage& image, const CombinedLimits& limits) {
  if (image.count == 0) return {};
  const auto each = static_cast<std::size_t>(std::min(limits.of_class, static_cast<std::int64_t>(image.count)));
  std::vector<ClassedBox> all(each * image.classes);
  for (std::size_t k = 0; k < image.classes; ++k)
    choose_of_class(image, k, limits, std::span(all).subspan(k * each, each));
  std::ranges::sort(all, std::greater<>(), &ClassedBox::score);
  std::erase_if(all, [](const ClassedBox& b) { return b.of_class < 0; });
  return all;
}

void put_combined(KernelContext& c, std::size_t image, std::int64_t size, std::span<const ClassedBox> chosen,
                  bool is_clipped) {
  const std::size_t kept = std::min(chosen.size(), static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t at = image * static_cast<std::size_t>(size) + i;
    for (std::size_t k = 0; k < 4; ++k) {
      const float x = chosen[i].corners[k];
      out(c, 0).mutable_as<float>()[4 * at + k] = is_clipped ? std::max(std::min(x, 1.0F), 0.0F) : x;
    }
    out(c, 1).mutable_as<float>()[at] = chosen[i].score;
    out(c, 2).mutable_as<float>()[at] = static_cast<float>(chosen[i].of_class);
  }
  out(c, 3).mutable_as<std::int32_t>()[image] = static_cast<std::int32_t>(kept);
}

Status combine(KernelContext& c, bool pads_per_class, bool is_clipped) {
  const auto limits = combined_limits(c);
  if (!limits.ok()) return limits.status();
  const Shape &boxes = c.shape(0), &scores = c.shape(1);
  const std::int64_t batch = boxes.dims[0], classes = scores.dims[2];
  const bool fills_all = !pads_per_class || classes > limits->of_all;
  const std::int64_t size = fills_all ? limits->of_all : std::min(limits->of_all, limits->of_class * classes);
  TARRY_RETURN_IF_ERROR(check_can_be_kept(Shape({batch, size, 4})));
  c.set(0, make_tensor(DataType::kFloat, Shape({batch, size, 4})));
  for (std::size_t i = 1; i < 3; ++i) c.set(i, make_tensor(DataType::kFloat, Shape({batch, size})));
  c.set(3, make_tensor(DataType::kInt32, Shape({batch})));
  const auto in_boxes = static_cast<std::size_t>(product(boxes, 1, 4)),
             in_scores = static_cast<std::size_t>(product(scores, 1, 3));
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch); ++i) {
    const CombinedImage image{c.data<float>(0).subspan(i * in_boxes, in_boxes),
                              c.data<float>(1).subspan(i * in_scores, in_scores),
                              static_cast<std::size_t>(boxes.dims[1]), static_cast<std::size_t>(boxes.dims[2]),
                              static_cast<std::size_t>(classes)};
    put_combined(c, i, size, choose_of_image(image, *limits), is_clipped);
  }
  return {};
}

Behaviour make_combined(const KernelSetup& s) {
  return {[pads = attr_or(s.attrs, "pad_per_class", false),
           clips = attr_or(s.attrs, "clip_boxes", true)](KernelContext& c) { return combine(c, pads, clips); },
          nullptr};
}

constexpr KernelRow kSuppressRows[] = {
    {"NonMaxSuppressionV4", make_padded_choice},
    {"NonMaxSuppressionV5", make_padded_choice},
    {"NonMaxSuppressionWithOverlaps", behaves<choose_by_overlaps>},
    {"CombinedNonMaxSuppression", make_combined},
};

}  // namespace

KernelFamily suppress_ops() { return kSuppressRows; }

}  // namespace tarry
