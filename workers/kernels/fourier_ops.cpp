// Discrete Fourier transforms over the last one, two or three dimensions, of complex and of real numbers.

#include <complex>
#include <unsupported/Eigen/FFT>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"

namespace tarry {
namespace {

using Numbers = std::vector<std::complex<double>>;

struct Transform {
  std::size_t rank = 1;
  bool is_forward = true, is_of_reals = false;  // the inverse of a transform of reals gives reals
};

// The last dimensions of `shape`, of which a transform is made.
Dims inner_dims(const Shape& shape, std::size_t rank) {
  return {shape.dims.end() - static_cast<int>(rank), shape.dims.end()};
}

Status check_lengths(const KernelContext& c, const Transform& t) {
  if (c.shape(1) != Shape({static_cast<std::int64_t>(t.rank)}))
    return invalid("fft_length must have shape [{}]", t.rank);
  if (!c.in(1).has_data()) return shape_not_known();
  const Dims lengths = integers_of(c.in(1)), given = inner_dims(c.shape(0), t.rank);
  for (std::size_t i = 0; i < t.rank; ++i) {
    if (lengths[i] < 0) return invalid("fft_length[{}] must >= 0, but got: {}", i, lengths[i]);
    const std::int64_t least = !t.is_forward && i + 1 == t.rank ? lengths[i] / 2 + 1 : lengths[i];
    if (given[i] != 0 && given[i] < least)
      return invalid("Input dimension {} must have length of at least {} but got: {}",
                     c.shape(0).dims.size() - t.rank + i, least, given[i]);
  }
  return {};
}

Status transform_shape(const KernelContext& c, std::span<Shape> out, const Transform& t) {
  if (std::cmp_less(c.shape(0).rank(), t.rank))
    return invalid("Input must have rank of at least {} but got: {}", t.rank, to_string(c.shape(0)));
  out[0] = c.shape(0);
  if (!t.is_of_reals) return {};
  TARRY_RETURN_IF_ERROR(check_lengths(c, t));
  const Dims lengths = integers_of(c.in(1));
  std::ranges::copy(lengths, out[0].dims.end() - static_cast<int>(t.rank));
  if (t.is_forward && lengths.back() != 0) out[0].dims.back() = lengths.back() / 2 + 1;
  return {};
}

// Transforms rows of `dims` along dimension `axis`, in place.
void along(Numbers& x, const Dims& dims, std::size_t axis, bool is_forward) {
  const auto length = static_cast<std::size_t>(dims[axis]);
  if (length == 1) return;  // of which the library knows no transform; it is the number itself
  Eigen::FFT<double> fft;
  std::size_t inner = 1;
  for (std::size_t d = axis + 1; d < dims.size(); ++d) inner *= static_cast<std::size_t>(dims[d]);
  Numbers row(length), turned(length);
  for (std::size_t at = 0; at < x.size(); ++at) {
    if (at / inner % length != 0) continue;
    for (std::size_t i = 0; i < length; ++i) row[i] = x[at + i * inner];
    is_forward ? fft.fwd(turned, row) : fft.inv(turned, row);
    for (std::size_t i = 0; i < length; ++i) x[at + i * inner] = turned[i];
  }
}

// Calls `f(to, from)` with the places of elements of `to` in a larger block `from`.
template <class F>
void for_each_in_corner(const Dims& to, const Dims& from, F f) {
  std::size_t count = 1;
  for (const std::int64_t d : to) count *= static_cast<std::size_t>(d);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i, at = 0, stride = 1;
    for (std::size_t d = to.size(); d-- > 0;) {
      at += rest % static_cast<std::size_t>(to[d]) * stride;
      rest /= static_cast<std::size_t>(to[d]);
      stride *= static_cast<std::size_t>(from[d]);
    }
    f(i, at);
  }
}
Numbers corner(std::span<const std::complex<double>> from, const Dims& from_dims, const Dims& dims) {
  Numbers block(static_cast<std::size_t>(Shape(dims).elements()));
  for_each_in_corner(dims, from_dims, [&](std::size_t to, std::size_t at) { block[to] = from[at]; });
  return block;
}

// The second half of each row mirrors the first, as in the transform of a row of reals.
Numbers mirrored(const Numbers& x, std::size_t half, std::size_t whole) {
  Numbers rows(x.size() / half * whole);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = i / whole, k = i % whole;
    rows[i] = k < half ? x[row * half + k] : std::conj(x[row * half + whole - k]);
  }
  return rows;
}

// What of the input counts: of reals as many as asked for, and of their transform the half that says all.
Dims used_dims(const KernelContext& c, const Transform& t, const Dims& from, const Dims& to) {
  if (!t.is_of_reals) return from;
  Dims used = integers_of(c.in(1));
  if (!t.is_forward) used.back() = to.back() / 2 + 1;
  return used;
}

Numbers transformed(const Transform& t, Numbers x, const Dims& used, const Dims& to) {
  for (std::size_t axis = 0; axis + 1 < used.size(); ++axis) along(x, used, axis, t.is_forward);
  if (t.is_of_reals && !t.is_forward) {
    x = mirrored(x, static_cast<std::size_t>(used.back()), static_cast<std::size_t>(to.back()));
    along(x, to, to.size() - 1, false);
    return x;
  }
  along(x, used, used.size() - 1, t.is_forward);
  return used == to ? x : corner(x, used, to);
}

Numbers numbers_of(const TensorBody& t) {
  const auto of = [&]<class T>() { return Numbers(t.as<T>().begin(), t.as<T>().end()); };
  switch (t.dtype()) {
    case DataType::kFloat:
      return of.operator()<float>();
    case DataType::kDouble:
      return of.operator()<double>();
    case DataType::kComplex64:
      return of.operator()<std::complex<float>>();
    default:
      return of.operator()<std::complex<double>>();
  }
}
void put_numbers(const Numbers& from, std::size_t first, TensorBody& to) {
  const auto put = [&]<class T>() {
    for (std::size_t i = 0; i < from.size(); ++i)
      if constexpr (std::is_floating_point_v<T>)
        to.mutable_as<T>()[first + i] = static_cast<T>(from[i].real());
      else
        to.mutable_as<T>()[first + i] = T(from[i]);
  };
  switch (to.dtype()) {
    case DataType::kFloat:
      return put.operator()<float>();
    case DataType::kDouble:
      return put.operator()<double>();
    case DataType::kComplex64:
      return put.operator()<std::complex<float>>();
    default:
      return put.operator()<std::complex<double>>();
  }
}

// Reals and complex numbers of different widths are refused when the op runs.
Status check_widths(const KernelContext& c, const Transform& t) {
  const DataType from = c.in(0).dtype(), to = c.outputs[0].tensor->dtype(), real = t.is_forward ? from : to,
                 complex = t.is_forward ? to : from;
  if (!t.is_of_reals || (real == DataType::kDouble) == (complex == DataType::kComplex128)) return {};
  return invalid("Wrong types for {} real FFT: in={} out={}", t.is_forward ? "forward" : "backward",
                 static_cast<int>(from), static_cast<int>(to));
}

Status transform(KernelContext& c, const Transform& t) {
  TARRY_RETURN_IF_ERROR(check_widths(c, t));
  const Numbers all = numbers_of(c.in(0));
  const Dims from = inner_dims(c.shape(0), t.rank), to = inner_dims(out(c).shape(), t.rank);
  if (all.empty() || out(c).elements() == 0) return {};
  const Dims used = used_dims(c, t, from, to);
  const auto size = static_cast<std::size_t>(Shape(from).elements()),
             made = static_cast<std::size_t>(Shape(to).elements());
  for (std::size_t i = 0; i * size < all.size(); ++i) {
    Numbers block = corner(std::span(all).subspan(i * size, size), from, used);
    put_numbers(transformed(t, std::move(block), used, to), i * made, out(c));
  }
  return {};
}

template <std::size_t rank, bool is_forward, bool is_of_reals>
Behaviour make_transform(const KernelSetup&) {
  const Transform t{rank, is_forward, is_of_reals};
  return {[t](KernelContext& c) { return transform(c, t); },
          [t](const KernelContext& c, std::span<Shape> out) { return transform_shape(c, out, t); }};
}

constexpr KernelRow kFourierRows[] = {
    {"FFT", make_transform<1, true, false>},     {"FFT2D", make_transform<2, true, false>},
    {"FFT3D", make_transform<3, true, false>},   {"IFFT", make_transform<1, false, false>},
    {"IFFT2D", make_transform<2, false, false>}, {"IFFT3D", make_transform<3, false, false>},
    {"RFFT", make_transform<1, true, true>},     {"RFFT2D", make_transform<2, true, true>},
    {"RFFT3D", make_transform<3, true, true>},   {"IRFFT", make_transform<1, false, true>},
    {"IRFFT2D", make_transform<2, false, true>}, {"IRFFT3D", make_transform<3, false, true>},
};

}  // namespace

KernelFamily fourier_ops() { return kFourierRows; }

}  // namespace tarry
