#include "properties/conform/values.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "properties/conform/checked.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/narrow.hpp"

namespace tarry {
namespace {

// The elements: what stands `depth` lists deep, or less deep where there is no list any more.
void flatten(const Json& value, std::size_t depth, std::vector<const Json*>& out) {
  if (!value.is_array() || depth == 0) return out.push_back(&value);
  for (const Json& v : value) flatten(v, depth - 1, out);
}

bool is_real(const Json& v) { return v.is_number() || v == "NaN" || v == "Infinity" || v == "-Infinity"; }

template <class T>
bool is_integer(const Json& v) {
  if (v.is_number_unsigned()) return std::in_range<T>(v.get<std::uint64_t>());
  return v.is_number_integer() && std::in_range<T>(v.get<std::int64_t>());
}

// A complex number is a list of its real and its imaginary part.
bool is_complex_number(const Json& v) { return v.is_array() && v.size() == 2 && is_real(v[0]) && is_real(v[1]); }

bool is_element(const Json& v, DataType type) {
  if (is_complex(type)) return is_complex_number(v);
  if (type == DataType::kString) return v.is_string();
  if (type == DataType::kBool) return v.is_boolean();
  if (type == DataType::kInt8) return is_integer<std::int8_t>(v);
  if (type == DataType::kUint8) return is_integer<std::uint8_t>(v);
  if (type == DataType::kInt16) return is_integer<std::int16_t>(v);
  if (type == DataType::kUint16) return is_integer<std::uint16_t>(v);
  if (type == DataType::kInt32) return is_integer<std::int32_t>(v);
  if (type == DataType::kUint32) return is_integer<std::uint32_t>(v);
  if (type == DataType::kUint64) return is_integer<std::uint64_t>(v);
  return type == DataType::kInt64 ? is_integer<std::int64_t>(v) : is_real(v);
}

// REQUIRES: is_real.
double real_from(const Json& v) {
  if (!v.is_string()) return v.get<double>();
  const std::string& text = v.get_ref<const std::string&>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return text == "-Infinity" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

// Throws Malformed.
Shape shape_from(const Json& dims) {
  return Shape(integers_within(dims, 0, std::numeric_limits<std::int64_t>::max(), "the shape"));
}

Json real_json(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v < 0 ? "-Infinity" : "Infinity";
  return v;
}

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// As for_number_or_bool, for complex numbers, and for the large unsigned types, in which no op computes.
template <class F>
Status for_any_number(DataType t, F&& f) {
  if (is_complex(t)) return for_number_or_complex(t, std::forward<F>(f));
  if (t == DataType::kUint32) return f.template operator()<std::uint32_t>();
  if (t == DataType::kUint64) return f.template operator()<std::uint64_t>();
  return for_number_or_bool(t, std::forward<F>(f));
}

Status fill(TensorBody& t, const std::vector<const Json*>& from) {
  if (t.dtype() == DataType::kString) {
    for (std::size_t i = 0; i < from.size(); ++i)
      t.mutable_strings()[i] = bytes_of_recorded(from[i]->get<std::string>());
    return {};
  }
  return for_any_number(t.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if constexpr (kIsComplex<T>)
        t.mutable_as<T>()[i] = T(std::complex<double>(real_from((*from[i])[0]), real_from((*from[i])[1])));
      else if constexpr (std::is_floating_point_v<T>)
        t.mutable_as<T>()[i] = static_cast<T>(real_from(*from[i]));
      else
        t.mutable_as<T>()[i] = from[i]->get<T>();
    }
    return Status();
  });
}

Json element(const TensorBody& t, std::size_t i) {
  if (t.dtype() == DataType::kString) return recorded_text(t.strings()[i]);
  Json j;
  (void)for_any_number(t.dtype(), [&]<class T>() {
    const T x = t.as<T>()[i];
    if constexpr (kIsComplex<T>)
      j = Json::array({real_json(static_cast<double>(x.real())), real_json(static_cast<double>(x.imag()))});
    else if constexpr (std::is_floating_point_v<T>)
      j = real_json(static_cast<double>(x));
    else
      j = x;
    return Status();
  });
  return j;
}

Json nested(const TensorBody& t, std::size_t dim, std::size_t& at) {
  if (dim == t.shape().dims.size()) return element(t, at++);
  Json list = Json::array();
  for (std::int64_t i = 0; i < t.shape().dims[dim]; ++i) list.push_back(nested(t, dim + 1, at));
  return list;
}

template <class T>
bool near(T x, T y, T scale) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y)) return x == y;
  const T eps = std::numeric_limits<T>::epsilon();
  return std::abs(x - y) <= T{16} * eps * std::max(std::abs(x), std::abs(y)) + T{4} * eps * scale;
}

template <class T>
T largest(std::span<const T> values) {
  T most{0};
  for (const T v : values)
    if (std::isfinite(v)) most = std::max(most, std::abs(v));
  return most;
}

// Each part for itself, beside the largest number.
template <class T>
bool near(std::complex<T> x, std::complex<T> y, std::span<const std::complex<T>> all) {
  T scale{0};
  for (const auto v : all)
    if (std::isfinite(std::abs(v))) scale = std::max(scale, std::abs(v));
  return near(x.real(), y.real(), scale) && near(x.imag(), y.imag(), scale);
}

bool same(const TensorBody& a, const TensorBody& b, std::size_t i) {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  if (a.dtype() == DataType::kComplex64) return near(a.as<C64>()[i], b.as<C64>()[i], b.as<C64>());
  if (a.dtype() == DataType::kComplex128) return near(a.as<C128>()[i], b.as<C128>()[i], b.as<C128>());
  if (a.dtype() == DataType::kString) return a.strings()[i] == b.strings()[i];
  if (a.dtype() == DataType::kFloat) return near(a.as<float>()[i], b.as<float>()[i], largest(b.as<float>()));
  if (a.dtype() == DataType::kDouble) return near(a.as<double>()[i], b.as<double>()[i], largest(b.as<double>()));
  return element(a, i) == element(b, i);
}

bool same_as_floats(const TensorBody& a, const TensorBody& b, std::size_t i) {
  if (a.dtype() != DataType::kDouble) return false;
  const auto single = [](double x) { return static_cast<float>(x); };
  return near(single(a.as<double>()[i]), single(b.as<double>()[i]), single(largest(b.as<double>())));
}

}  // namespace

// JSON is UTF-8, tensors hold bytes.
std::string bytes_of_recorded(const std::string& utf8) {
  std::string out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    if (c < 0x80 || i + 1 == utf8.size())
      out += utf8[i];
    else
      out += static_cast<char>((c & 0x03) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3F));
  }
  return out;
}

std::string recorded_text(const std::string& bytes) {
  std::string out;
  for (const char b : bytes) {
    const auto c = static_cast<unsigned char>(b);
    if (c < 0x80)
      out += b;
    else
      out.append({static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))});
  }
  return out;
}

namespace {

StatusOr<TensorRef> checked_tensor(const Json& recorded) {
  const auto type = parse_type_name(recorded.value("dtype", std::string()));
  if (!type) return invalid("a recorded tensor has the unknown dtype '{}'", recorded.value("dtype", std::string()));
  const Shape shape = shape_from(recorded.at("shape"));
  std::vector<const Json*> values;
  flatten(recorded.at("value"), is_complex(*type) ? shape.dims.size() : SIZE_MAX, values);
  if (std::cmp_not_equal(values.size(), shape.elements()))
    return invalid("{} values do not fill the shape {}; lists of one level must be equally long", values.size(),
                   to_string(shape));
  MutableTensor t = make_tensor(computed_as(*type), shape);
  for (const Json* v : values)
    if (!is_element(*v, *type))
      return invalid("expected {} elements, found {}", type_name(*type),
                     v->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60));
  TARRY_RETURN_IF_ERROR(fill(*t, values));
  return narrowed(t, *type);
}

}  // namespace

StatusOr<TensorRef> tensor_from(const Json& recorded) {
  return refused("a tensor", [&] { return checked_tensor(recorded); });
}

Json json_of(const TensorBody& t) {
  Json j{{"dtype", type_name(t.dtype())}, {"shape", t.shape().dims}};
  std::size_t at = 0;
  if (t.has_data()) j["value"] = nested(*widened(&t), 0, at);
  return j;
}

std::string difference(const TensorBody& ours, const Json& recorded, bool by_way_of_floats) {
  const auto theirs = tensor_from(recorded);
  if (!theirs.ok()) return std::string(text_of(theirs.status()));
  if (ours.dtype() != (*theirs)->dtype())
    return fmt::format("type {}, theirs {}", type_name(ours.dtype()), type_name((*theirs)->dtype()));
  if (ours.shape() != (*theirs)->shape())
    return fmt::format("shape {}, theirs {}", to_string(ours.shape()), to_string((*theirs)->shape()));
  if (!ours.has_data()) return "no values";
  const TensorRef mine = widened(&ours), wanted = widened(*theirs);
  for (std::size_t i = 0; i < static_cast<std::size_t>(ours.elements()); ++i)
    if (!same(*mine, *wanted, i) && !(by_way_of_floats && same_as_floats(*mine, *wanted, i)))
      return fmt::format("element {} is {}, theirs {}", i, element(*mine, i).dump(), element(*wanted, i).dump());
  return "";
}

}  // namespace tarry
