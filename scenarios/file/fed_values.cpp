#include "scenarios/file/fed_values.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "placer/graph/read.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/file/npy.hpp"

namespace tarry {
namespace {

template <class... Args>
Status misfit(const Shape& shape, fmt::format_string<Args...> text, Args&&... args) {
  return invalid("{}; expected the shape {}, or a dimension more in front, with an entry for each step",
                 fmt::format(text, std::forward<Args>(args)...), to_string(shape));
}

// ---- bytes ----

// The product, or nothing where it is beyond `most`.
std::optional<std::size_t> bytes_of(DataType dtype, const Shape& shape, std::size_t most) {
  std::size_t bytes = type_size(dtype);
  for (const std::int64_t d : shape.dims) {
    if (d == 0) return 0;
    if (bytes > most / static_cast<std::size_t>(d)) return std::nullopt;
    bytes *= static_cast<std::size_t>(d);
  }
  return bytes;
}

FedList cut(std::string_view bytes, std::size_t steps, DataType dtype, const Shape& shape) {
  FedList list;
  for (std::size_t i = 0; i < steps; ++i) {
    MutableTensor t = make_tensor(dtype, shape);
    const auto raw = t->mutable_raw();
    std::memcpy(raw.data(), bytes.data() + i * raw.size(), raw.size());
    list.steps.push_back(std::move(t));
  }
  return list;
}

// How many entries the array has for steps; 0 where its shape does not fit.
std::size_t steps_of(const Shape& array, const Shape& shape) {
  if (array == shape) return 1;
  const bool has_more = array.dims.size() == shape.dims.size() + 1 &&
                        std::equal(shape.dims.begin(), shape.dims.end(), array.dims.begin() + 1);
  return has_more ? static_cast<std::size_t>(array.dims[0]) : 0;
}

// ---- what a scenario writes ----

template <class T>
bool read_element(const std::string& text, T& out) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc() && end == text.data() + text.size();
}
bool read_element(const std::string& text, bool& out) {
  out = text == "true";
  return out || text == "false";
}

template <class T>
Status read_all(const std::vector<std::string>& texts, TensorBody& t) {
  const std::span<T> out = t.mutable_as<T>();
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!read_element(texts[i], out[i]))
      return invalid("expected elements of {}, found '{}'", type_name(t.dtype()), texts[i].substr(0, 40));
  return {};
}

Status read_all(const std::vector<std::string>& texts, TensorBody& t) {
  switch (t.dtype()) {
    case DataType::kFloat:
      return read_all<float>(texts, t);
    case DataType::kDouble:
      return read_all<double>(texts, t);
    case DataType::kInt32:
      return read_all<std::int32_t>(texts, t);
    case DataType::kInt64:
      return read_all<std::int64_t>(texts, t);
    case DataType::kBool:
      return read_all<bool>(texts, t);
    case DataType::kString:
      t.mutable_strings() = texts;
      return {};
    default:
      return invalid("elements of {} cannot be written; expected a file", type_name(t.dtype()));
  }
}

// ---- laws ----

bool is_integer(DataType t) { return t == DataType::kInt32 || t == DataType::kInt64; }

Status check_law(const FedUniform& law, const Feed& feed) {
  if (law.low >= law.high) return invalid("a uniform law's low is not below its high");
  const std::int64_t most = feed.dtype == DataType::kInt32 ? INT32_MAX : INT64_MAX;
  if (is_integer(feed.dtype) && (law.low % 1'000'000 != 0 || law.high % 1'000'000 != 0 || law.high / 1'000'000 > most))
    return invalid("{} has integers; expected whole numbers for low and high", feed.tensor);
  return {};
}
Status check_law(const FedNormal& /*law*/, const Feed& /*feed*/) { return {}; }
Status check_law(const FedOneHot& /*law*/, const Feed& feed) {
  return feed.shape.dims.empty() ? invalid("{} is a scalar; one_hot needs a dimension for its classes", feed.tensor)
                                 : absl::OkStatus();
}

// ---- all of them ----

struct Made {
  const Feed& feed;

  StatusOr<FeedValues> operator()(const FeedLiteral& literal) const {
    TARRY_ASSIGN(FedList list, tensor_of(literal, feed.dtype, feed.shape));
    return FeedValues(std::move(list));
  }
  StatusOr<FeedValues> operator()(const FeedFile& file) const {
    TARRY_ASSIGN(const std::string bytes, read_file(file.path));
    const bool is_npy = file.path.ends_with(".npy");
    auto list = (is_npy ? tensors_of_npy : tensors_of_raw)(bytes, feed.dtype, feed.shape);
    if (!list.ok()) return with_prefix(list.status(), file.path + ": ");
    return FeedValues(*std::move(list));
  }
  template <class Law>
  StatusOr<FeedValues> operator()(const Law& law) const {
    const FeedValues values(law);
    if (!can_draw(values, feed.dtype))
      return invalid("this law has no elements of {}; expected values or a file", type_name(feed.dtype));
    TARRY_RETURN_IF_ERROR(check_law(law, feed));
    return values;
  }
};

}  // namespace

StatusOr<FedList> tensors_of_npy(std::string_view bytes, DataType dtype, const Shape& shape) {
  TARRY_ASSIGN(const NpyHead head, read_npy_head(bytes));
  if (head.dtype != dtype)
    return invalid("the array has elements of {}; expected {}", type_name(head.dtype), type_name(dtype));
  const std::size_t steps = steps_of(head.shape, shape), size = bytes.size() - head.begin;
  if (steps == 0) return misfit(shape, "the array has the shape {}", to_string(head.shape));
  if (bytes_of(dtype, head.shape, size) != size)
    return invalid("the file has {} bytes of elements, not those of the shape {}", size, to_string(head.shape));
  return cut(bytes.substr(head.begin), steps, dtype, shape);
}

StatusOr<FedList> tensors_of_raw(std::string_view bytes, DataType dtype, const Shape& shape) {
  if (type_size(dtype) == 0) return invalid("a file of bytes has no elements of {}", type_name(dtype));
  const auto each = bytes_of(dtype, shape, bytes.size());
  if (!each || *each == 0 || bytes.empty() || bytes.size() % *each != 0)
    return misfit(shape, "{} bytes are not those of some tensors of {}", bytes.size(), type_name(dtype));
  return cut(bytes, bytes.size() / *each, dtype, shape);
}

StatusOr<FedList> tensor_of(const FeedLiteral& literal, DataType dtype, const Shape& shape) {
  const std::size_t steps = steps_of(literal.shape, shape);
  if (steps == 0) return misfit(shape, "the value has the shape {}", to_string(literal.shape));
  const std::size_t each = literal.elements.size() / steps;
  FedList list;
  for (std::size_t i = 0; i < steps; ++i) {
    MutableTensor t = make_tensor(dtype, shape);
    const auto first = literal.elements.begin() + static_cast<std::ptrdiff_t>(i * each);
    TARRY_RETURN_IF_ERROR(read_all({first, first + static_cast<std::ptrdiff_t>(each)}, *t));
    list.steps.push_back(std::move(t));
  }
  return list;
}

StatusOr<std::shared_ptr<const FeedValues>> FedValues::values_of(const Feed& feed, const FeedSpec& spec) {
  auto& [made_for, made] = made_[feed.tensor];
  if (made == nullptr || made_for.dtype != feed.dtype || made_for.shape != feed.shape) {
    auto values = std::visit(Made{feed}, spec.what);
    if (!values.ok())
      return with_prefix(values.status(), fmt::format("{}{}: ", place_text(scenario_, spec.at), feed.tensor));
    made_for = feed;
    made = std::make_shared<const FeedValues>(*std::move(values));
  }
  return made;
}

Status FedValues::fill(ClientProgram& program) {
  for (Feed& feed : program.feeds)
    if (const auto spec = scenario_.fed.find(feed.like.empty() ? feed.tensor : feed.like);
        spec != scenario_.fed.end()) {
      TARRY_ASSIGN(feed.values, values_of(feed, spec->second));
    }
  return {};
}

}  // namespace tarry
