// Texts in Unicode: decoded into code points, encoded, taken from one encoding into another, in the other case.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/unicode_case.hpp"
#include "workers/kernels/unicode_text.hpp"

namespace tarry {
namespace {

// What becomes of bytes, or of numbers, that are no code point.
struct Repair {
  std::string errors = "replace";
  char32_t replacement = 0xFFFD;
  bool of_control = false;  // control characters are replaced, too
};

Repair repair_of(const KernelSetup& s) {
  return {attr_or(s.attrs, "errors", std::string("replace")),
          static_cast<char32_t>(attr_or(s.attrs, "replacement_char", std::int64_t{0xFFFD})),
          attr_or(s.attrs, "replace_control_characters", false)};
}

Status check_replacement(const Repair& r) {
  return r.replacement <= 0x10FFFF ? Status() : invalid("replacement_char out of unicode codepoint range");
}

// Fails where the node asks for an error: INVALID_ARGUMENT.
StatusOr<std::vector<CodePoint>> decoded_text(const std::string& text, Encoding from, const Repair& repair) {
  std::vector<CodePoint> kept;
  for (CodePoint c : code_points(text, from)) {
    const bool is_replaced = c.is_valid && repair.of_control && c.value < 0x20;
    if (!c.is_valid && repair.errors == "strict") return invalid("Invalid formatting on input string");
    if ((!c.is_valid || is_replaced) && repair.errors == "ignore") continue;
    if (!c.is_valid || is_replaced) c.value = repair.replacement;
    kept.push_back(c);
  }
  return kept;
}

// ---- UnicodeDecode, UnicodeDecodeWithOffsets (texts): splits, code points, where each begins ----

Status decode(KernelContext& c, const std::string& encoding, const Repair& repair, DataType of_splits) {
  TARRY_RETURN_IF_ERROR(check_replacement(repair));
  TARRY_ASSIGN(const Encoding from, encoding_named(encoding));
  Dims splits{0}, starts;
  std::vector<std::int32_t> values;
  for (const std::string& text : c.in(0).strings()) {
    TARRY_ASSIGN(const std::vector<CodePoint> all, decoded_text(text, from, repair));
    for (const CodePoint& x : all) {
      values.push_back(static_cast<std::int32_t>(x.value));
      starts.push_back(static_cast<std::int64_t>(x.at));
    }
    splits.push_back(std::ssize(values));
  }
  c.set(0, integers_as(of_splits, splits)), c.set(1, make_vector(values));
  if (c.outputs.size() > 2) c.set(2, make_vector(starts));
  return {};
}

Behaviour make_unicode_decode(const KernelSetup& s) {
  return {[encoding = attr_or(s.attrs, "input_encoding", std::string()), repair = repair_of(s),
           of_splits = s.outputs[0]](KernelContext& c) { return decode(c, encoding, repair, of_splits); },
          nullptr};
}

// ---- UnicodeTranscode (texts) ----

Status transcode(KernelContext& c, const std::string& input, const std::string& output, const Repair& repair) {
  TARRY_RETURN_IF_ERROR(check_replacement(repair));
  TARRY_ASSIGN(const Encoding from, encoding_named(input));
  TARRY_ASSIGN(const Encoding to, encoding_named(output));
  for (std::size_t i = 0; i < c.in(0).strings().size(); ++i) {
    TARRY_ASSIGN(const std::vector<CodePoint> all, decoded_text(c.in(0).strings()[i], from, repair));
    for (const CodePoint& x : all) append_code_point(out(c).mutable_strings()[i], x.value, to);
  }
  return {};
}

Behaviour make_transcode(const KernelSetup& s) {
  return {[input = attr_or(s.attrs, "input_encoding", std::string()),
           output = attr_or(s.attrs, "output_encoding", std::string("UTF-8")),
           repair = repair_of(s)](KernelContext& c) { return transcode(c, input, output, repair); },
          same_shape};
}

// ---- UnicodeEncode (code points, splits): a text for each row ----

Status check_encoded(const Dims& splits, std::int64_t count) {
  if (splits.empty()) return invalid("Input_splits should contain elements, but given input_values has 0 elements");
  if (splits[0] != 0) return invalid("First value in input_splits must be zero.");
  if (splits.back() != count) return invalid("Last value in input_splits must be equal to length of input_tensor.");
  for (std::size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] < splits[i - 1]) return invalid("Values in input_splits must be equal or in ascending order.");
    if (splits[i] > count) return invalid("Values in input_splits must be less than or equal to input_tensor length.");
  }
  return {};
}

bool is_character(char32_t c) { return c <= 0x10FFFF && (c < 0xFDD0 || c > 0xFDEF) && (c & 0xFFFE) != 0xFFFE; }

Status encode(KernelContext& c, const std::string& encoding, const Repair& repair) {
  TARRY_ASSIGN(const Encoding to, encoding_named(encoding));
  const Dims splits = integers_of(c.in(1));
  TARRY_RETURN_IF_ERROR(check_encoded(splits, c.in(0).elements()));
  MutableTensor texts = make_tensor(DataType::kString, Shape({std::ssize(splits) - 1}));
  for (std::size_t row = 0; row + 1 < splits.size(); ++row)
    for (std::int64_t i = splits[row]; i < splits[row + 1]; ++i) {
      auto value = static_cast<char32_t>(c.data<std::int32_t>(0)[static_cast<std::size_t>(i)]);
      if (!is_character(value)) {
        if (repair.errors == "strict") return invalid("Code point is out of range for Unicode, or a noncharacter.");
        if (repair.errors == "ignore") continue;
        value = repair.replacement;
      }
      if (value >= 0xD800 && value <= 0xDFFF) value = 0xFFFD;  // half of a pair: no error, whatever the node asks for
      append_code_point(texts->mutable_strings()[row], value, to);
    }
  return c.give(0, texts);
}

Behaviour make_unicode_encode(const KernelSetup& s) {
  return {[encoding = attr_or(s.attrs, "output_encoding", std::string("UTF-8")),
           repair = repair_of(s)](KernelContext& c) { return encode(c, encoding, repair); },
          nullptr};
}

// ---- StringLower, StringUpper: of ASCII, or of Unicode in UTF-8, where what is no code point is replaced ----

std::string in_case(const std::string& text, bool is_upper, bool is_ascii) {
  std::u32string from;
  const std::string_view all = is_ascii ? std::string_view(text) : text.c_str();  // Unicode ends at a zero
  for (const CodePoint& x : code_points(all, is_ascii ? Encoding::latin1 : Encoding::utf8)) from += x.value;
  std::string to;
  if (!is_ascii) {
    for (const char32_t c : is_upper ? in_upper_case(from) : in_lower_case(from))
      append_code_point(to, c, Encoding::utf8);
    return to;
  }
  for (const char32_t c : from) {
    const bool is_other = is_upper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
    to += static_cast<char>(is_other ? c ^ 0x20 : c);
  }
  return to;
}

template <bool is_upper>
Behaviour make_case(const KernelSetup& s) {
  return {[encoding = attr_or(s.attrs, "encoding", std::string())](KernelContext& c) -> Status {
            if (!encoding.empty() && encoding != "utf-8")
              return invalid("only utf-8 or '' (no encoding) is supported, received {}", encoding);
            std::ranges::transform(c.in(0).strings(), out(c).mutable_strings().begin(),
                                   [&](const std::string& text) { return in_case(text, is_upper, encoding.empty()); });
            return {};
          },
          same_shape};
}

constexpr KernelRow kUnicodeRows[] = {
    {"UnicodeDecode", make_unicode_decode}, {"UnicodeDecodeWithOffsets", make_unicode_decode},
    {"UnicodeTranscode", make_transcode},   {"UnicodeEncode", make_unicode_encode},
    {"StringLower", make_case<false>},      {"StringUpper", make_case<true>},
};

}  // namespace

KernelFamily unicode_ops() { return kUnicodeRows; }

}  // namespace tarry
