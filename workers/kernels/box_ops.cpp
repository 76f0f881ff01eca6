// Boxes in images: of several that overlap, the one with the highest score.

#include <algorithm>
#include <numeric>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

struct Thresholds {
  float overlap = 0.5F, score = std::numeric_limits<float>::lowest();
};

// Inputs: boxes [n, 4], n scores.
Status check_boxes(const KernelContext& c) {
  const Shape &boxes = c.shape(0), &scores = c.shape(1);
  if (boxes.rank() != 2)
    return invalid("boxes must be 2-D{} (Shape must be rank 2 but is rank {})", to_string(boxes), boxes.rank());
  if (boxes.dims[1] != 4) return invalid("boxes must have 4 columns (Dimension must be 4 but is {})", boxes.dims[1]);
  if (scores.rank() != 1)
    return invalid("scores must be 1-D{} (Shape must be rank 1 but is rank {})", to_string(scores), scores.rank());
  if (scores.dims[0] != boxes.dims[0])
    return invalid("scores has incompatible shape (Dimensions must be equal, but are {} and {})", boxes.dims[0],
                   scores.dims[0]);
  return {};
}

struct Box {
  float top, left, bottom, right;
  [[nodiscard]] float area() const { return (bottom - top) * (right - left); }
};

// Two opposite corners, in whatever order.
Box box_at(std::span<const float> boxes, std::size_t i) {
  const auto b = boxes.subspan(4 * i, 4);
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

// What two boxes share, of what they cover together.
float overlap(const Box& a, const Box& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float high = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
              wide = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float shared = std::max(high, 0.0F) * std::max(wide, 0.0F);
  return shared / (a.area() + b.area() - shared);
}

std::vector<std::int32_t> chosen(std::span<const float> boxes, std::span<const float> scores, std::size_t most,
                                 Thresholds t) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<std::int32_t> to;
  for (const std::size_t i : order) {
    if (to.size() == most) break;
    const auto hides = [&](std::int32_t other) {
      return overlap(box_at(boxes, i), box_at(boxes, static_cast<std::size_t>(other))) > t.overlap;
    };
    if (scores[i] > t.score && std::ranges::none_of(to, hides)) to.push_back(static_cast<std::int32_t>(i));
  }
  return to;
}

Status choose(KernelContext& c, Thresholds t) {
  if (t.overlap < 0 || t.overlap > 1 || t.overlap != t.overlap) return invalid("iou_threshold must be in [0, 1]");
  TARRY_RETURN_IF_ERROR(check_boxes(c));
  const std::int64_t most = integers_of(c.in(2))[0];
  if (c.shape(0).dims[0] == 0) return c.give(0, make_vector(std::vector<std::int32_t>()));
  if (most < 0) return invalid("output size must be non-negative");
  return c.give(0, make_vector(chosen(c.data<float>(0), c.data<float>(1), static_cast<std::size_t>(most), t)));
}

constexpr InputRule kLimits[] = {{2, "max_output_size must be 0-D, got shape {}"},
                                 {3, "iou_threshold must be 0-D, got shape {}"},
                                 {4, "score_threshold must be 0-D, got shape {}"}};

// NonMaxSuppression (boxes, scores, most), V2 (and the overlap), V3 (and the score): indices of boxes.
Behaviour make_choice(const KernelSetup& s) {
  return {[overlap = attr_or(s.attrs, "iou_threshold", 0.5F)](KernelContext& c) -> Status {
            if (c.inputs.size() == 5 && c.shape(2).rank() != 0)
              return invalid("max_output_size must be 0-D, got shape {0} (Shape must be rank 0 but is rank {1})",
                             to_string(c.shape(2)), c.shape(2).rank());
            TARRY_RETURN_IF_ERROR(check_inputs(c, std::span(kLimits).first(c.inputs.size() - 2)));
            Thresholds t{overlap};
            if (c.inputs.size() > 3) t.overlap = c.data<float>(3)[0];
            if (c.inputs.size() > 4) t.score = c.data<float>(4)[0];
            return choose(c, t);
          },
          nullptr};
}

constexpr KernelRow kBoxRows[] = {
    {"NonMaxSuppression", make_choice},
    {"NonMaxSuppressionV2", make_choice},
    {"NonMaxSuppressionV3", make_choice},
};

}  // namespace

KernelFamily box_ops() { return kBoxRows; }

}  // namespace tarry
