#include <algorithm>
#include <limits>
#include <optional>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/elementwise.hpp"
#include "workers/kernels/window.hpp"

namespace tarry {
namespace {

// An image as places: each is one position of one entry of the batch, with all its channels.
struct Places {
  Shape shape;
  bool channels_first = false;
  std::size_t channels = 1, spatial = 1;
  std::size_t first = 1;  // dimension that is spatial

  [[nodiscard]] std::size_t at(std::size_t batch, std::size_t place, std::size_t channel) const {
    return channels_first ? (batch * channels + channel) * spatial + place
                          : (batch * spatial + place) * channels + channel;
  }
};

Places places_in(const Window& w, const Shape& s) {
  const auto n = static_cast<std::size_t>(product(s, w.first_spatial(), w.first_spatial() + w.spatial()));
  return {s, w.channels_first, static_cast<std::size_t>(s.dims[w.channels()]), n, w.first_spatial()};
}

// How far before the first element a window of that size begins.
std::int64_t padding_before(const Window& w, std::size_t d, std::int64_t in, std::int64_t out, std::int64_t size) {
  if (!w.padded.empty()) return w.padded[2 * d];
  const std::int64_t reach = (out - 1) * w.strides[d] + (size - 1) * w.dilations[d] + 1;
  return w.is_same ? std::max<std::int64_t>(0, reach - in) / 2 : 0;
}

struct Tap {
  std::size_t batch, in, out, of_window;  // places of the input, the output and the window
};

// The place of the input that a window's element meets, or -1 in the padding.
std::int64_t place_met(const Window& w, const Places& in, const Places& out, const Dims& size, std::int64_t o,
                       std::int64_t k) {
  std::int64_t place = 0, factor = 1;
  for (std::size_t i = w.spatial(); i-- > 0;) {
    const std::size_t d = w.first_spatial() + i;
    const std::int64_t in_size = in.shape.dims[d], out_size = out.shape.dims[d];
    const std::int64_t at =
        o % out_size * w.strides[d] - padding_before(w, d, in_size, out_size, size[i]) + k % size[i] * w.dilations[d];
    if (at < 0 || at >= in_size) return -1;
    place += at * factor, factor *= in_size;
    o /= out_size, k /= size[i];
  }
  return place;
}

// Calls `f` for each element of each window that is not in the padding. `size`: of the window, spatial.
template <class F>
void for_each_tap(const Window& w, const Places& in, const Places& out, const Dims& size, F f) {
  std::int64_t window = 1;
  for (const std::int64_t n : size) window *= n;
  for (std::size_t o = 0; o < out.spatial; ++o)
    for (std::int64_t k = 0; k < window; ++k) {
      const std::int64_t place = place_met(w, in, out, size, static_cast<std::int64_t>(o), k);
      for (std::size_t b = 0; place >= 0 && std::cmp_less(b, in.shape.dims[0]); ++b)
        f(Tap{b, static_cast<std::size_t>(place), o, static_cast<std::size_t>(k)});
    }
}

Dims spatial_size(const Window& w, const Dims& filter) {
  return {filter.begin(), filter.begin() + static_cast<std::ptrdiff_t>(w.spatial())};
}
Dims pooled_size(const Window& w) {
  const auto first = w.size.begin() + static_cast<std::ptrdiff_t>(w.first_spatial());
  return {first, first + static_cast<std::ptrdiff_t>(w.spatial())};
}

template <class F>
Status for_real_type(DataType t, F&& f) {
  if (t == DataType::kFloat) return f.template operator()<float>();
  if (t == DataType::kDouble) return f.template operator()<double>();
  return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(t));
}

// Calls `f(index of the input, of the filter, of the output)` for all products that a convolution adds up. The channels
// of the input are in groups, each with a filter for its own outputs.
template <class F>
void for_each_product(const Window& w, const Shape& in_shape, const Shape& filter, const Shape& out_shape,
                      bool depthwise, F f) {
  const Places in = places_in(w, in_shape), out = places_in(w, out_shape);
  const auto of_filter = static_cast<std::size_t>(filter.dims[w.spatial()]);
  const std::size_t deep = depthwise ? 1 : of_filter, groups = std::max<std::size_t>(1, in.channels / deep),
                    wide = out.channels / groups;
  for_each_tap(w, in, out, spatial_size(w, filter.dims), [&](const Tap& t) {
    for (std::size_t o = 0; o < out.channels; ++o)
      for (std::size_t i = 0; i < deep; ++i) {
        const std::size_t from = o / wide * deep + i;
        const std::size_t of = depthwise ? t.of_window * out.channels + o : (t.of_window * deep + i) * out.channels + o;
        f(in.at(t.batch, t.in, from), of, out.at(t.batch, t.out, o));
      }
  });
}

Status convolve_values(const Window& w, KernelContext& c, bool depthwise) {
  if (c.in(0).elements() == 0) return {};  // nothing to add up
  return for_real_type(c.in(0).dtype(), [&]<class T>() {
    for_each_product(
        w, c.shape(0), c.shape(1), out(c).shape(), depthwise,
        [&](std::size_t i, std::size_t f, std::size_t o) { c.out<T>(0)[o] += c.data<T>(0)[i] * c.data<T>(1)[f]; });
    return Status();
  });
}

// Whether a convolution of such an input and filter has such an output.
bool fits(const Window& w, const Shape& in, const Shape& filter, const Shape& out, bool depthwise) {
  if (in.rank() != w.rank || filter.rank() != w.rank || out.rank() != w.rank || in.elements() == 0 ||
      filter.elements() == 0 || in.dims[0] != out.dims[0])
    return false;
  const std::int64_t deep = filter.dims[w.spatial()], wide = filter.dims.back(), channels = in.dims[w.channels()];
  if (channels % deep != 0 || (depthwise && channels != deep) ||
      out.dims[w.channels()] != (depthwise ? deep * wide : wide) || (!depthwise && wide % (channels / deep) != 0))
    return false;
  for (std::size_t i = 0; i < w.spatial(); ++i) {
    const std::size_t d = w.first_spatial() + i;
    const std::int64_t reach = (filter.dims[i] - 1) * w.dilations[d] + 1, stride = w.strides[d];
    const std::int64_t padded = in.dims[d] + (w.padded.empty() ? 0 : w.padded[2 * d] + w.padded[2 * d + 1]);
    if (stride < 1 ||
        out.dims[d] != (w.is_same ? (in.dims[d] + stride - 1) / stride : (padded - reach + stride) / stride))
      return false;
  }
  return true;
}

template <class T>
std::vector<std::size_t> places_of_largest(const Window& w, const KernelContext& c, const Places& in,
                                           const Places& out) {
  std::vector<std::size_t> best(static_cast<std::size_t>(out.shape.elements()), c.data<T>(0).size());
  for_each_tap(w, in, out, pooled_size(w), [&](const Tap& t) {
    for (std::size_t ch = 0; ch < in.channels; ++ch) {
      const std::size_t i = in.at(t.batch, t.in, ch);
      std::size_t& b = best[out.at(t.batch, t.out, ch)];
      if (b == c.data<T>(0).size() || c.data<T>(0)[i] > c.data<T>(0)[b]) b = i;
    }
  });
  return best;
}

// How many elements each window has that are not in the padding, by place of the output.
std::vector<std::size_t> counts_of(const Window& w, const Places& in, const Places& out) {
  std::vector<std::size_t> counts(out.spatial, 0);
  for_each_tap(w, in, out, pooled_size(w), [&](const Tap& t) { counts[t.out] += t.batch == 0 ? 1 : 0; });
  return counts;
}

}  // namespace

Status convolve(const Window& w, KernelContext& c, bool is_depthwise) { return convolve_values(w, c, is_depthwise); }

Status convolve_back(const Window& w, KernelContext& c, bool is_depthwise, bool to_filter) {
  const Shape &in = to_filter ? c.shape(0) : out(c).shape(), &filter = to_filter ? out(c).shape() : c.shape(1);
  if (in.elements() == 0 || filter.elements() == 0 || c.shape(2).elements() == 0) return {};  // nothing to add up
  if (!fits(w, in, filter, c.shape(2), is_depthwise)) return c.give(0, make_shape_only(out(c).dtype(), out(c).shape()));
  return for_real_type(c.in(2).dtype(), [&]<class T>() {
    for_each_product(w, in, filter, c.shape(2), is_depthwise, [&](std::size_t i, std::size_t f, std::size_t o) {
      if (to_filter)
        c.out<T>(0)[f] += c.data<T>(0)[i] * c.data<T>(2)[o];
      else
        c.out<T>(0)[i] += c.data<T>(1)[f] * c.data<T>(2)[o];
    });
    return Status();
  });
}

namespace {

// The largest of each group of channels, which are the last dimension.
Status pool_channels(std::size_t group, KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    for (std::size_t o = 0; o < c.out<T>(0).size(); ++o) {
      T& most = c.out<T>(0)[o] = std::numeric_limits<T>::lowest();
      for (const T x : c.data<T>(0).subspan(o * group, group)) most = x > most ? x : most;
    }
    return Status();
  });
}

}  // namespace

Status pool_largest(const Window& w, KernelContext& c) {
  if (const std::int64_t group = w.size[w.channels()]; group != 1)
    return pool_channels(static_cast<std::size_t>(group), c);
  return for_number(c.in(0).dtype(), [&]<class T>() {
    const Places in = places_in(w, c.shape(0)), to = places_in(w, out(c).shape());
    std::ranges::fill(c.out<T>(0), std::numeric_limits<T>::lowest());  // what is no number is not larger
    for_each_tap(w, in, to, pooled_size(w), [&](const Tap& t) {
      for (std::size_t ch = 0; ch < in.channels; ++ch) {
        T& most = c.out<T>(0)[to.at(t.batch, t.out, ch)];
        if (const T x = c.data<T>(0)[in.at(t.batch, t.in, ch)]; x > most) most = x;
      }
    });
    return Status();
  });
}

Status pool_mean(const Window& w, KernelContext& c) {
  const Places in = places_in(w, c.shape(0)), to = places_in(w, out(c).shape());
  const auto counts = counts_of(w, in, to);
  return for_real_type(c.in(0).dtype(), [&]<class T>() {
    for_each_tap(w, in, to, pooled_size(w), [&](const Tap& t) {
      for (std::size_t ch = 0; ch < in.channels; ++ch)
        c.out<T>(0)[to.at(t.batch, t.out, ch)] += c.data<T>(0)[in.at(t.batch, t.in, ch)];
    });
    for (std::size_t o = 0; o < c.out<T>(0).size(); ++o)
      c.out<T>(0)[o] /= static_cast<T>(counts[to.channels_first ? o % to.spatial : o / to.channels % to.spatial]);
    return Status();
  });
}

Status pool_places(const Window& w, KernelContext& c, bool with_batch) {
  const std::int64_t of_batch = with_batch ? 0 : product(c.shape(0), 1, c.shape(0).dims.size());
  return for_number(c.in(0).dtype(), [&]<class T>() {
    const auto best = places_of_largest<T>(w, c, places_in(w, c.shape(0)), places_in(w, out(c).shape()));
    for (std::size_t o = 0; o < best.size(); ++o) {
      if (best[o] == c.data<T>(0).size()) continue;  // a window that lies in the padding alone
      c.out<T>(0)[o] = c.data<T>(0)[best[o]];
      const auto place = static_cast<std::int64_t>(best[o]);
      put_integer(out(c, 1), o, of_batch == 0 ? place : place % of_batch);
    }
    return Status();
  });
}

Status pool_back_to_places(KernelContext& c, bool with_batch) {
  const std::int64_t image = product(c.shape(0), 1, 4), all = c.in(0).elements();
  const auto places = c.data<std::int64_t>(2);
  return for_number(c.in(1).dtype(), [&]<class T>() -> Status {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::int64_t entry = static_cast<std::int64_t>(i) * c.shape(0).dims[0] / std::ssize(places);
      const std::int64_t at = places[i] + (with_batch ? 0 : entry * image);
      if (at < 0 || at >= all) return invalid("Invalid output gradient index: {}, 0, {}", at, all);
      c.out<T>(0)[static_cast<std::size_t>(at)] += c.data<T>(1)[i];
    }
    return {};
  });
}

Status pool_largest_back(const Window& w, KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    const auto best = places_of_largest<T>(w, c, places_in(w, c.shape(0)), places_in(w, c.shape(2)));
    for (std::size_t o = 0; o < best.size(); ++o)
      if (best[o] < c.data<T>(0).size()) c.out<T>(0)[best[o]] += c.data<T>(2)[o];
    return Status();
  });
}

// The elements of any type: nothing is computed.
Status take_patches(const Window& w, KernelContext& c) {
  const Places in = places_in(w, c.shape(0)), to = places_in(w, out(c).shape());
  for_each_tap(w, in, to, pooled_size(w), [&](const Tap& t) {
    copy_elements(out(c), to.at(t.batch, t.out, t.of_window * in.channels), c.in(0), in.at(t.batch, t.in, 0),
                  in.channels);
  });
  return {};
}

Status pool_mean_back(const Window& w, KernelContext& c) {
  const Places in = places_in(w, out(c).shape()), from = places_in(w, c.shape(1));
  const auto counts = counts_of(w, in, from);
  return for_real_type(c.in(1).dtype(), [&]<class T>() {
    for_each_tap(w, in, from, pooled_size(w), [&](const Tap& t) {
      for (std::size_t ch = 0; ch < in.channels; ++ch)
        c.out<T>(0)[in.at(t.batch, t.in, ch)] +=
            c.data<T>(1)[from.at(t.batch, t.out, ch)] / static_cast<T>(counts[t.out]);
    });
    return Status();
  });
}

namespace {

// Calls `f(index of the input, of the filter, of the output)` for each element of each window, channel by channel.
template <class F>
void for_each_sum(const Window& w, const KernelContext& c, const Shape& out_shape, F f) {
  const Places in = places_in(w, c.shape(0)), to = places_in(w, out_shape);
  for_each_tap(w, in, to, spatial_size(w, c.shape(1).dims), [&](const Tap& t) {
    for (std::size_t ch = 0; ch < in.channels; ++ch)
      f(in.at(t.batch, t.in, ch), t.of_window * in.channels + ch, to.at(t.batch, t.out, ch));
  });
}

}  // namespace

Status dilate(const Window& w, KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    const auto to = c.out<T>(0);
    std::ranges::fill(to, std::numeric_limits<T>::lowest());
    for_each_sum(w, c, out(c).shape(), [&](std::size_t i, std::size_t f, std::size_t o) {
      to[o] = std::max(to[o], static_cast<T>(c.data<T>(0)[i] + c.data<T>(1)[f]));
    });
    return Status();
  });
}

Status dilate_back(const Window& w, KernelContext& c, bool to_filter) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    const auto gradient = c.data<T>(2);
    std::vector<T> most(gradient.size(), std::numeric_limits<T>::lowest());
    std::vector<std::optional<std::size_t>> from(gradient.size());  // what the largest sum is made of
    for_each_sum(w, c, c.shape(2), [&](std::size_t i, std::size_t f, std::size_t o) {
      const T sum = c.data<T>(0)[i] + c.data<T>(1)[f];
      if (!(sum > most[o])) return;
      most[o] = sum;
      from[o] = to_filter ? f : i;
    });
    for (std::size_t o = 0; o < gradient.size(); ++o)
      if (from[o]) c.out<T>(0)[*from[o]] += gradient[o];
    return Status();
  });
}

}  // namespace tarry
