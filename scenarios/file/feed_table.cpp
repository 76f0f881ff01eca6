// The values of feeds in a scenario file (table.cpp has the rest of its keys).

#include <limits>

#include "scenarios/file/raw.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kMostOfLaw = 1'000'000'000'000'000;  // in millionths
constexpr int kMostDims = 8;
constexpr std::int64_t kMostRecords = 1'000'000'000'000;

// In millionths, with a sign.
Type<std::int64_t> signed_type() {
  const std::string expected = "a number such as -0.5";
  const auto read = [expected](Reader& in, const YAML::Node& node, std::int64_t& out) {
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const bool is_negative = text.starts_with('-');
    const auto size = parse_number(std::string_view(text).substr(is_negative ? 1 : 0));
    if (!size.ok() || *size > kMostOfLaw)
      return in.fail(node, fmt::format("expected {}, found {}", expected, describe(node)));
    out = is_negative ? -*size : *size;
  };
  return {expected, {{"type", "number"}}, read, [](const std::int64_t& v) { return Json(double(v) / 1e6); }};
}

// ---- a value as it is written: a scalar, or lists of one length on each level ----

std::string wrong_level(const FeedLiteral& so_far, std::size_t level, const YAML::Node& node) {
  if (!node.IsSequence() && !node.IsScalar())
    return fmt::format("expected a value or a list, found {}", describe(node));
  if (level >= kMostDims) return fmt::format("lists are nested more than {} deep", kMostDims);
  return level < so_far.shape.dims.size() || so_far.elements.empty() ? "" : "these lists are not equally deep";
}

void read_literal(Reader& in, const YAML::Node& node, std::size_t level, FeedLiteral& out) {
  if (!in.enter(node)) return;
  if (node.IsScalar() && level == out.shape.dims.size()) return out.elements.push_back(node.Scalar());
  if (const std::string wrong = wrong_level(out, level, node); !wrong.empty()) return in.fail(node, wrong);
  if (node.IsScalar()) return in.fail(node, "these lists are not equally deep");
  const auto size = static_cast<std::int64_t>(node.size());
  if (level == out.shape.dims.size()) out.shape.dims.push_back(size);
  if (out.shape.dims[level] != size)
    return in.fail(node, fmt::format("expected a list of {}, as before, found one of {}", out.shape.dims[level], size));
  for (const auto& entry : node) {
    read_literal(in, entry, level + 1, out);
    if (!in.ok()) return;
  }
}

Type<FeedSpec> literal_type() {
  const auto read = [](Reader& in, const YAML::Node& node, FeedSpec& out) {
    FeedLiteral literal;
    read_literal(in, node, 0, literal);
    out.what = std::move(literal);
  };
  return {"a value, or lists of values", {{"type", {"number", "boolean", "string", "array"}}}, read, {}};
}

// ---- laws and files ----

template <class Law>
Type<FeedSpec> as_spec(Type<Law> law) {
  return converted<FeedSpec>(std::move(law), [](Law l) { return FeedSpec{l, {}}; });
}

Type<FeedSpec> laws_and_files() {
  const auto file = converted<FeedSpec>(text_type(), [](std::string path) { return FeedSpec{FeedFile{path}, {}}; });
  const auto uniform = Section<FedUniform>("uniform", "Equally likely numbers; whole ones for integers.")
                           .key("low", &FedUniform::low, signed_type(), "the least")
                           .required("high", &FedUniform::high, signed_type(), "all are below it")
                           .type();
  const auto normal = Section<FedNormal>("normal", "A normal law.")
                          .key("mean", &FedNormal::mean, signed_type(), "of the numbers")
                          .key("sd", &FedNormal::sd, number_type(0, kMostOfLaw), "their standard deviation")
                          .type();
  const auto one_hot = Section<FedOneHot>("one_hot", "A 1 in each row, at a place that is drawn, and zeros.").type();
  return one_key_of<FeedSpec>(
      {{"file", file}, {"uniform", as_spec(uniform)}, {"normal", as_spec(normal)}, {"one_hot", as_spec(one_hot)}});
}

}  // namespace

Type<FeedSpec> fed_type() {
  const Type<FeedSpec> literal = literal_type(), other = laws_and_files();
  const auto read = [literal, other](Reader& in, const YAML::Node& node, FeedSpec& out) {
    (node.IsMap() ? other : literal).read(in, node, out);
  };
  return with_position(Type<FeedSpec>{fmt::format("{}, or {}", literal.expected, other.expected),
                                      {{"oneOf", {literal.schema, other.schema}}},
                                      read,
                                      {}});
}

Type<RawInputFile> input_file_type() {
  return with_position(Section<RawInputFile>("a file", "What a reader finds in files of a name: `records` or `from`.")
                           .required("name", &RawInputFile::name, text_type(),
                                     "as the graph has it, or a pattern as a shell's; the first that fits counts")
                           .key("task", &RawInputFile::task, name_type("a task"), "only this task's readers find it")
                           .key("records", &RawInputFile::records, optional_of(integer_type(0, kMostRecords)),
                                "so many records are read of it, with nothing known in them")
                           .key("from", &RawInputFile::from, name_type("a file"),
                                "its bytes are those of this file, beside the scenario's")
                           .type());
}

}  // namespace tarry
