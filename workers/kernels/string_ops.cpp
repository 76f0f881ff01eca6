// Strings: joining, cutting, converting, hashing.

#include <farmhash.h>

#include <algorithm>
#include <complex>

#include "placer/core/text.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/narrow.hpp"
#include "workers/kernels/parse_number.hpp"

namespace tarry {
namespace {

// Scalars join every element of the others.
Status join_shape(const KernelContext& c, std::span<Shape> out) {
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.shape(i).rank() == 0) continue;
    if (out[0].rank() > 0 && out[0] != c.shape(i))
      return invalid("Input shapes do not match: {} vs. {}", to_string(out[0]), to_string(c.shape(i)));
    out[0] = c.shape(i);
  }
  return {};
}

Behaviour make_join(const KernelSetup& s) {
  const auto separator = attr_or(s.attrs, "separator", std::string());
  return {[separator](KernelContext& c) {
            auto& to = out(c).mutable_strings();
            for (std::size_t i = 0; i < to.size(); ++i)
              for (std::size_t k = 0; k < c.inputs.size(); ++k) {
                if (k > 0) to[i] += separator;
                to[i] += c.in(k).strings()[c.shape(k).rank() == 0 ? 0 : i];
              }
            return Status();
          },
          join_shape};
}

struct NumberFormat {
  std::string integer, real;
};

NumberFormat format_of(const KernelSetup& s) {
  const auto width = attr_or(s.attrs, "width", std::int64_t{-1}),
             precision = attr_or(s.attrs, "precision", std::int64_t{-1});
  std::string spec = attr_or(s.attrs, "fill", std::string());
  if (spec == "-")
    spec = "<";
  else if (spec != "0")
    spec = spec == " " || spec == "+" ? spec : ">";
  const std::string digits = width > -1 ? std::to_string(width) : "",
                    point = precision > -1 ? fmt::format(".{}", precision) : "";
  const char* kind = attr_or(s.attrs, "scientific", false) ? "e" : attr_or(s.attrs, "shortest", false) ? "g" : "f";
  if (spec == ">" && digits.empty()) spec.clear();
  return {"{:" + spec + digits + "d}", "{:" + spec + digits + point + kind + "}"};
}

// Strings are put to the right, or to the left; zeros are for numbers.
std::string string_format_of(const KernelSetup& s) {
  const auto width = attr_or(s.attrs, "width", std::int64_t{-1});
  const char* side = attr_or(s.attrs, "fill", std::string()) == "-" ? "<" : ">";
  return width > 0 ? fmt::format("{{:{}{}}}", side, width) : "{}";
}

template <class T>
std::string number_text(const NumberFormat& f, T x) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
    return fmt::format("({},{})", fmt::format(fmt::runtime(f.real), x.real()),
                       fmt::format(fmt::runtime(f.real), x.imag()));
  else
    return fmt::format(fmt::runtime(std::is_integral_v<T> ? f.integer : f.real), x);
}

Behaviour make_as_string(const KernelSetup& s) {
  return {[f = format_of(s), of_strings = string_format_of(s)](KernelContext& c) -> Status {
            auto& to = out(c).mutable_strings();
            const DataType type = c.in(0).dtype();
            if (type == DataType::kBool)  // width and fill are for numbers
              return std::ranges::transform(c.data<bool>(0), to.begin(), [](bool b) { return b ? "true" : "false"; }),
                     Status();
            if (type == DataType::kString) {
              std::ranges::transform(c.in(0).strings(), to.begin(), [&](const std::string& text) {
                return fmt::format(fmt::runtime(of_strings), text);
              });
              return {};
            }
            return for_number_or_complex(type, [&]<class T>() {
              std::ranges::transform(c.data<T>(0), to.begin(), [&](T x) { return number_text(f, x); });
              return Status();
            });
          },
          same_shape};
}

Status refuse_format(const KernelSetup& s) {
  const DataType type = attr_or(s.attrs, "T", DataType::kFloat);
  const bool scientific = attr_or(s.attrs, "scientific", false), shortest = attr_or(s.attrs, "shortest", false);
  const bool is_real = type == DataType::kFloat || type == DataType::kDouble || type == DataType::kHalf ||
                       type == DataType::kBfloat16 || is_complex(type) || type == DataType::kString;
  if (!is_real && (scientific || shortest))
    return invalid("scientific and shortest format not supported for datatype {}", type_name(type));
  if (!is_real && attr_or(s.attrs, "precision", std::int64_t{-1}) >= 0)
    return invalid("precision not supported for datatype {}", type_name(type));
  if (scientific && shortest) return invalid("Cannot select both scientific and shortest notation");
  const auto fill = attr_or(s.attrs, "fill", std::string());
  if (fill.size() > 1) return invalid("Fill string must be one or fewer characters");
  if (!fill.empty() && std::string_view(" +-0#").find(fill) == std::string_view::npos)
    return invalid("Fill argument not supported: \"{}\"", fill);
  return {};
}

Behaviour make_length(const KernelSetup& s) {
  const bool characters = attr_or(s.attrs, "unit", std::string("BYTE")) == "UTF8_CHAR";
  return {[characters](KernelContext& c) {
            std::ranges::transform(c.in(0).strings(), c.out<std::int32_t>(0).begin(), [&](const std::string& t) {
              if (!characters) return static_cast<std::int32_t>(t.size());
              return static_cast<std::int32_t>(
                  std::ranges::count_if(t, [](char x) { return (static_cast<unsigned char>(x) & 0xC0) != 0x80; }));
            });
            return Status();
          },
          same_shape};
}

Behaviour make_hash_bucket(const KernelSetup& s) {
  const auto buckets = static_cast<std::uint64_t>(attr_or(s.attrs, "num_buckets", std::int64_t{1}));
  return {[buckets](KernelContext& c) {
            std::ranges::transform(c.in(0).strings(), c.out<std::int64_t>(0).begin(), [&](const std::string& t) {
              return static_cast<std::int64_t>(util::Fingerprint64(t) % buckets);
            });
            return Status();
          },
          same_shape};
}

// ---- Fingerprint (data, method): eight bytes for each row ----

std::string bytes_of_row(const TensorBody& t, std::size_t row, std::size_t width) {
  if (t.dtype() != DataType::kString)
    return {reinterpret_cast<const char*>(t.raw().data()) + row * width * type_size(t.dtype()),
            width * type_size(t.dtype())};
  if (width == 1) return t.strings()[row];
  std::string hashes;  // of several texts their fingerprints
  for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
    const std::uint64_t hash = util::Fingerprint64(t.strings()[i]);
    hashes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  }
  return hashes;
}

Behaviour make_fingerprint(const KernelSetup& s) {
  return {[type = attr_or(s.attrs, "T", s.inputs[0])](KernelContext& c) {
            const TensorRef t = narrowed(c.inputs[0].tensor, type);
            const auto rows = static_cast<std::size_t>(c.shape(0).dims[0]);
            const std::size_t width = rows == 0 ? 0 : static_cast<std::size_t>(t->elements()) / rows;
            for (std::size_t row = 0; row < rows; ++row) {
              const std::uint64_t hash = util::Fingerprint64(bytes_of_row(*t, row, width));
              for (std::size_t i = 0; i < sizeof hash; ++i)
                c.out<std::int32_t>(0)[row * sizeof hash + i] = static_cast<std::int32_t>(hash >> (8 * i) & 0xFF);
            }
            return Status();
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_ASSIGN(const std::string method, text_in(c, {1, "`method` should be a scalar string: {}"}));
            if (method != "farmhash64") return invalid("Unsupported fingerprint method: {}", method);
            if (c.shape(0).rank() == 0)
              return invalid("`data` should have at least one dimension: {}", to_string(c.shape(0)));
            return only(out, Shape({c.shape(0).dims[0], 8}));
          }};
}

Status to_number(KernelContext& c) {
  return for_number(out(c).dtype(), [&]<class T>() -> Status {
    for (std::size_t i = 0; i < c.in(0).strings().size(); ++i)
      if (!parse_number<T>(c.in(0).strings()[i], c.out<T>(0)[i]))
        return invalid("StringToNumberOp could not correctly convert string: {}", c.in(0).strings()[i].c_str());
    return {};
  });
}

// Substr (strings, position, length); one position and length for all, each its own, or broadcast.
bool is_broadcast(const KernelContext& c) { return c.shape(1).rank() > 0 && c.shape(1) != c.shape(0); }

Status substr_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &strings = c.shape(0), &positions = c.shape(1);
  if (positions != c.shape(2))
    return invalid("pos and len should have the same shape, got: {} vs. {}", to_string(positions),
                   to_string(c.shape(2)));
  TARRY_RETURN_IF_ERROR(broadcast(strings, positions, out[0]));
  if (is_broadcast(c) && out[0].rank() > 2)
    return error(Code::kUnimplemented, "Substr broadcast not implemented for {} dimensions", out[0].rank());
  return {};
}

// What the op says of a position depends on what it counts in, and on the rank.
Status bad_position(const KernelContext& c, const std::string& from, std::int64_t at, std::size_t i, const Shape& out,
                    bool characters) {
  const bool is_matrix = is_broadcast(c) && out.rank() == 2;
  const auto row = is_matrix ? i / static_cast<std::size_t>(out.dims[1]) : i;
  if (characters) return invalid("pos {} out of range for string at index {}", at, row);
  const std::string where =
      is_matrix ? fmt::format("({}, {})", row, i % static_cast<std::size_t>(out.dims[1])) : std::to_string(i);
  return invalid("pos {} out of range for string b'{}' at index {}", at, from, where);
}

// Where each code point of a text in UTF-8 begins, and where the last one ends.
std::vector<std::size_t> bounds_of_characters(const std::string& text) {
  std::vector<std::size_t> bounds;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) bounds.push_back(i);
  bounds.push_back(text.size());
  return bounds;
}

Status substr(KernelContext& c, bool characters) {
  const auto positions = integers_of(c.in(1)), lengths = integers_of(c.in(2));
  const auto string_of = broadcast_indices(c.shape(0), out(c).shape()),
             position_of = broadcast_indices(c.shape(1), out(c).shape());
  for (std::size_t i = 0; i < string_of.size(); ++i) {
    const std::string& from = c.in(0).strings()[string_of[i]];
    const std::vector<std::size_t> bounds = characters ? bounds_of_characters(from) : std::vector<std::size_t>();
    const auto byte_at = [&](std::int64_t n) {
      return characters ? bounds[static_cast<std::size_t>(n)] : static_cast<std::size_t>(n);
    };
    const std::int64_t size = characters ? std::ssize(bounds) - 1 : std::ssize(from), given = positions[position_of[i]],
                       at = given < 0 ? given + size : given;
    // Where characters are counted from the end, a length must be given, too.
    const bool lacks_length = characters && given < 0 && lengths[position_of[i]] < 0;
    if (at < 0 || at > size || lacks_length) return bad_position(c, from, given, i, out(c).shape(), characters);
    // A negative length is as long as can be in bytes, and nothing in characters.
    const std::int64_t asked = lengths[position_of[i]], all = size - at,
                       length = asked < 0 ? (characters ? 0 : all) : std::min(asked, all);
    out(c).mutable_strings()[i] = from.substr(byte_at(at), byte_at(at + length) - byte_at(at));
  }
  return {};
}

Behaviour make_substr(const KernelSetup& s) {
  const bool characters = attr_or(s.attrs, "unit", std::string("BYTE")) == "UTF8_CHAR";
  return {[characters](KernelContext& c) { return substr(c, characters); }, substr_shape};
}

// ReduceJoin (strings, axes): joins along the first axis, then along the next, to the last.
struct JoinPlan {
  std::vector<std::size_t> axes;
  Shape shape;
};

StatusOr<JoinPlan> plan_reduce(const KernelContext& c, bool keep) {
  const Shape& in = c.shape(0);
  JoinPlan p;
  for (const std::int64_t axis : integers_of(c.in(1))) {
    if (axis < -in.rank() || axis >= in.rank())
      return error(Code::kOutOfRange, "Invalid reduction dimension {} for input with {} dimension(s)", axis, in.rank());
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + in.rank() : axis);
    if (std::ranges::find(p.axes, d) != p.axes.end()) return invalid("Duplicate reduction dimension {}", axis);
    p.axes.push_back(d);
  }
  for (std::size_t d = 0; d < in.dims.size(); ++d) {
    const bool joined = std::ranges::find(p.axes, d) != p.axes.end();
    if (!joined || keep) p.shape.dims.push_back(joined ? 1 : in.dims[d]);
  }
  return p;
}

// The axes that stay, then the joined ones backwards: the first joined varies fastest.
std::vector<std::size_t> visiting_order(const Shape& in, const std::vector<std::size_t>& joined) {
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < in.dims.size(); ++d)
    if (std::ranges::find(joined, d) == joined.end()) order.push_back(d);
  order.insert(order.end(), joined.rbegin(), joined.rend());
  return order;
}

Behaviour make_reduce_join(const KernelSetup& s) {
  const auto separator = attr_or(s.attrs, "separator", std::string());
  const bool keep = attr_or(s.attrs, "keep_dims", false);
  return {[separator, keep](KernelContext& c) -> Status {
            TARRY_ASSIGN(const JoinPlan p, plan_reduce(c, keep));
            const Shape& in = c.shape(0);
            const auto order = visiting_order(in, p.axes);
            const std::int64_t n = c.in(0).elements(),
                               each = std::max<std::int64_t>(
                                   1, p.shape.elements() == 0 ? 1 : n / std::max<std::int64_t>(1, p.shape.elements()));
            for (std::int64_t i = 0; i < n; ++i) {
              std::int64_t rest = i, from = 0;
              for (std::size_t k = order.size(); k-- > 0; rest /= in.dims[order[k]])
                from += rest % in.dims[order[k]] * product(in, order[k] + 1, in.dims.size());
              std::string& to = out(c).mutable_strings()[static_cast<std::size_t>(i / each)];
              to += (i % each > 0 ? separator : "") + c.in(0).strings()[static_cast<std::size_t>(from)];
            }
            return {};
          },
          [keep](const KernelContext& c, std::span<Shape> out) -> Status {
            if (!known(c, 1)) return shape_not_known();
            TARRY_ASSIGN(JoinPlan p, plan_reduce(c, keep));
            return only(out, std::move(p.shape));
          }};
}

// UnsortedSegmentJoin (strings, the segment of each, how many segments).
Status joined_segments_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &in = c.shape(0), &ids = c.shape(1);
  TARRY_ASSIGN(const std::int64_t count, integer_in(c, {2, "Number of segments must be a scalar"}));
  if (count < 0) return invalid("Number of segments must be non-negative but got {}", count);
  if (ids.rank() == 0) return invalid("Segment_id cannot have rank 0");
  if (ids.rank() > in.rank())
    return error(Code::kOutOfRange, "Invalid segment_id rank {} for input with {} dimension(s)", ids.rank(), in.rank());
  for (std::size_t d = 0; d < ids.dims.size(); ++d)
    if (ids.dims[d] != in.dims[d])  // TensorFlow says the input's rank
      return invalid("Segment dimension is {} while input dimension is {} in rank {}", ids.dims[d], in.rank(), d);
  out[0] = Shape({count});
  out[0].dims.insert(out[0].dims.end(), in.dims.begin() + ids.rank(), in.dims.end());
  return {};
}

Behaviour make_join_segments(const KernelSetup& s) {
  return {[separator = attr_or(s.attrs, "separator", std::string())](KernelContext& c) -> Status {
            const auto ids = integers_of(c.in(1));
            const Shape& to = out(c).shape();
            const auto width = static_cast<std::size_t>(product(to, 1, to.dims.size()));
            std::vector<bool> has_some(out(c).strings().size());
            for (std::size_t i = 0; i < ids.size(); ++i) {
              if (ids[i] < 0 || ids[i] >= to.dims[0])
                return invalid("segment_ids are not allowed to exceed num_segments or to have negative values.");
              for (std::size_t k = 0; k < width; ++k) {
                const std::size_t at = static_cast<std::size_t>(ids[i]) * width + k;
                out(c).mutable_strings()[at] += (has_some[at] ? separator : "") + c.in(0).strings()[i * width + k];
                has_some[at] = true;
              }
            }
            return {};
          },
          joined_segments_shape};
}

// A name ends at a zero.
Status sharded_filename(KernelContext& c) {
  TARRY_ASSIGN(const std::string basename, text_in(c, {0, "basename must be a scalar, got shape {}"}));
  TARRY_ASSIGN(const std::int64_t shard, integer_in(c, {1, "shard must be a scalar, got shape {}"}));
  TARRY_ASSIGN(const std::int64_t shards, integer_in(c, {2, "num_shards must be a scalar, got shape {}"}));
  return c.give(0, make_string(fmt::format("{}-{:05d}-of-{:05d}", basename.c_str(), shard, shards)));
}

Status sharded_filespec(KernelContext& c) {
  TARRY_ASSIGN(const std::string basename, text_in(c, {0, "basename must be a scalar, got shape {}"}));
  TARRY_ASSIGN(const std::int64_t shards, integer_in(c, {1, "num_shards must be a scalar, got shape {}"}));
  return c.give(0, make_string(fmt::format("{}-{}-of-{:05d}", basename.c_str(), std::string(5, '?'), shards)));
}

constexpr KernelRow kStringRows[] = {
    {"StringJoin", make_join},
    {"AsString", make_as_string, refuse_format},
    {"StringLength", make_length},
    {"StringToHashBucketFast", make_hash_bucket},
    {"Fingerprint", make_fingerprint},
    {"StringToNumber", behaves<to_number, same_shape>},
    {"Substr", make_substr},
    {"ReduceJoin", make_reduce_join},
    {"UnsortedSegmentJoin", make_join_segments},
    {"ShardedFilename", behaves<sharded_filename>},
    {"ShardedFilespec", behaves<sharded_filespec>},
};

}  // namespace

KernelFamily string_ops() { return kStringRows; }

}  // namespace tarry
