#include "workers/kernels/resample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "workers/kernels/rearrange.hpp"

namespace tarry {

std::int64_t nearest(const Scaling& s, std::int64_t at, std::int64_t in, std::int64_t out) {
  const float place = (static_cast<float>(at) + (s.half_pixels ? 0.5F : 0)) * s.scale(in, out);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(s.align_corners ? std::round(place) : std::floor(place)), 0,
                                  in - 1);
}

namespace {

float place_of(const Scaling& s, std::int64_t at, std::int64_t in, std::int64_t out) {
  return s.half_pixels ? (static_cast<float>(at) + 0.5F) * s.scale(in, out) - 0.5F
                       : static_cast<float>(at) * s.scale(in, out);
}

}  // namespace

Between between(const Scaling& s, std::int64_t at, std::int64_t in, std::int64_t out) {
  const float place = place_of(s, at, in, out), floor = std::floor(place);
  return {std::max<std::int64_t>(static_cast<std::int64_t>(floor), 0),
          std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(place)), in - 1), place - floor};
}

namespace {

// Which positions of one dimension a value is made of, each with a weight.
struct Share {
  std::int64_t at;
  float weight;
};

std::size_t pixel_at(const Shape& s, const Dims& image, std::int64_t row, std::int64_t column) {
  return static_cast<std::size_t>(flat_index(s, {image[0], row, column, image[3]}));
}

// ---- Bicubic: two positions on each side; how far away one is, is known to a part in 1024 ----

constexpr float kParts = 1024;

// The weight at a distance of up to one, and up to two.
float near_weight(double bend, float x) { return static_cast<float>(((bend + 2) * x - (bend + 3)) * x * x + 1); }
float far_weight(double bend, float x) {
  return static_cast<float>(((bend * x - 5 * bend) * x + 8 * bend) * x - 4 * bend);
}

// With half pixels, positions outside have no weight; otherwise the edge stands for them.
std::array<Share, 4> cubic_shares(const Scaling& s, std::int64_t at, std::int64_t in, std::int64_t out) {
  const float place = place_of(s, at, in, out);
  const auto first = static_cast<std::int64_t>(std::floor(place));
  const float part = std::rint((place - static_cast<float>(first)) * kParts) / kParts;
  const double bend = s.half_pixels ? -0.5 : -0.75;
  std::array<Share, 4> to{{{first - 1, far_weight(bend, part + 1)},
                           {first, near_weight(bend, part)},
                           {first + 1, near_weight(bend, 1 - part)},
                           {first + 2, far_weight(bend, 2 - part)}}};
  float sum = 0;
  for (Share& share : to) {
    const std::int64_t inside = std::clamp<std::int64_t>(share.at, 0, in - 1);
    if (s.half_pixels && inside != share.at) share.weight = 0;
    share.at = inside;
    sum += share.weight;
  }
  if (s.half_pixels && std::abs(sum) >= 1000 * std::numeric_limits<float>::min())
    for (Share& share : to) share.weight *= 1 / sum;
  return to;
}

// ---- Area: all positions that an output's covers, by how much of each ----

// One position stands for all.
float area_scale(const Scaling& s, std::int64_t in, std::int64_t out) {
  const float scale = s.scale(in, out);
  return scale == 0 ? Scaling().scale(in, out) : scale;
}

std::vector<Share> area_shares(const Scaling& s, std::int64_t at, std::int64_t in, std::int64_t out) {
  const float scale = area_scale(s, in, out);
  const float begin = static_cast<float>(at) * scale, end = static_cast<float>(at + 1) * scale;
  std::vector<Share> to;
  for (auto i = static_cast<std::int64_t>(std::floor(begin)); i < static_cast<std::int64_t>(std::ceil(end)); ++i) {
    const auto from = static_cast<float>(i);
    const bool starts_before = from<begin, ends_behind = from + 1> end;
    float weight = 1;
    if (ends_behind) weight = starts_before ? scale : end - from;
    if (starts_before && !ends_behind) weight = from + 1 - begin;
    to.push_back({std::clamp<std::int64_t>(i, 0, in - 1), weight});
  }
  return to;
}

// An output is the sum over columns of the sums over rows, or the other way round.
template <class T, class Shares>
float sum_of(const KernelContext& c, const Dims& at, const Shares& outer, const Shares& inner, bool rows_inside) {
  float sum = 0;
  for (const Share& a : outer) {
    float line = 0;
    for (const Share& b : inner)
      line += static_cast<float>(c.data<T>(
                  0)[rows_inside ? pixel_at(c.shape(0), at, b.at, a.at) : pixel_at(c.shape(0), at, a.at, b.at)]) *
              b.weight;
    sum += line * a.weight;
  }
  return sum;
}

// Calls `f(coordinates, index)` for each element.
template <class F>
void for_pixels(const Shape& s, F f) {
  for (std::int64_t i = 0; i < s.elements(); ++i) f(coordinates(s, i), static_cast<std::size_t>(i));
}

}  // namespace

Status resize_bicubic(const Scaling& s, KernelContext& c) {
  const Shape &from = c.shape(0), &to = out(c).shape();
  return for_number(c.in(0).dtype(), [&]<class T>() {
    for_pixels(to, [&](const Dims& at, std::size_t i) {
      const auto rows = cubic_shares(s, at[1], from.dims[1], to.dims[1]),
                 columns = cubic_shares(s, at[2], from.dims[2], to.dims[2]);
      c.out<float>(0)[i] = sum_of<T>(c, at, columns, rows, true);
    });
    return Status();
  });
}

Status resize_area(const Scaling& s, KernelContext& c) {
  const Shape &from = c.shape(0), &to = out(c).shape();
  const auto part =
      static_cast<float>(1.0 / (area_scale(s, from.dims[1], to.dims[1]) * area_scale(s, from.dims[2], to.dims[2])));
  return for_number(c.in(0).dtype(), [&]<class T>() {
    for_pixels(to, [&](const Dims& at, std::size_t i) {
      const auto rows = area_shares(s, at[1], from.dims[1], to.dims[1]),
                 columns = area_shares(s, at[2], from.dims[2], to.dims[2]);
      c.out<float>(0)[i] = sum_of<T>(c, at, rows, columns, false) * part;
    });
    return Status();
  });
}

Status resize_bicubic_back(const Scaling& s, KernelContext& c) {
  const Shape &from = c.shape(0), &to = out(c).shape();
  return for_number(c.in(1).dtype(), [&]<class T>() {
    std::ranges::fill(c.out<T>(0), T{0});
    for_pixels(from, [&](const Dims& at, std::size_t i) {
      const auto gradient = static_cast<T>(c.data<float>(0)[i]);
      for (const Share& row : cubic_shares(s, at[1], to.dims[1], from.dims[1]))
        for (const Share& column : cubic_shares(s, at[2], to.dims[2], from.dims[2]))
          c.out<T>(0)[pixel_at(to, at, row.at, column.at)] +=
              static_cast<T>(gradient * static_cast<T>(row.weight) * static_cast<T>(column.weight));
    });
    return Status();
  });
}

Status resize_bilinear_back(const Scaling& s, KernelContext& c) {
  const Shape &from = c.shape(0), &to = out(c).shape();
  return for_number(c.in(1).dtype(), [&]<class T>() {
    std::ranges::fill(c.out<T>(0), T{0});
    for_pixels(from, [&](const Dims& at, std::size_t i) {
      const float gradient = c.data<float>(0)[i];
      const Between y = between(s, at[1], to.dims[1], from.dims[1]), x = between(s, at[2], to.dims[2], from.dims[2]);
      const auto add = [&](std::int64_t row, std::int64_t column, float by) {
        c.out<T>(0)[pixel_at(to, at, row, column)] += static_cast<T>(by);
      };
      add(y.below, x.below, gradient * (1 - y.part) * (1 - x.part));
      add(y.below, x.above, gradient * (1 - y.part) * x.part);
      add(y.above, x.below, gradient * y.part * (1 - x.part));
      add(y.above, x.above, gradient * y.part * x.part);
    });
    return Status();
  });
}

Status resize_nearest_back(const Scaling& s, KernelContext& c) {
  const Shape &from = c.shape(0), &to = out(c).shape();
  return for_number(c.in(0).dtype(), [&]<class T>() {
    std::ranges::fill(c.out<T>(0), T{0});
    for_pixels(from, [&](const Dims& at, std::size_t i) {
      const std::int64_t row = nearest(s, at[1], to.dims[1], from.dims[1]),
                         column = nearest(s, at[2], to.dims[2], from.dims[2]);
      c.out<T>(0)[pixel_at(to, at, row, column)] += c.data<T>(0)[i];
    });
    return Status();
  });
}

}  // namespace tarry
