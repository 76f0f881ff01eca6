// Texts taken apart: split at separators, stripped, and records of comma-separated fields.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/parse_number.hpp"

namespace tarry {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

// ---- StringSplit, StringSplitV2 (texts, separator): a sparse matrix of pieces ----

using Pieces = std::vector<std::string_view>;

// At each one of the characters; between all of them when there are none. An empty text has no pieces.
Pieces split_at_any(std::string_view text, std::string_view of, bool skip_empty) {
  Pieces pieces;
  if (of.empty()) {
    for (std::size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
    return pieces;
  }
  for (std::size_t from = 0; !text.empty() && from <= text.size();) {
    const std::size_t to = std::min(text.find_first_of(of, from), text.size());
    if (to > from || !skip_empty) pieces.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return pieces;
}

std::string_view without_leading_space(std::string_view text) {
  const std::size_t at = text.find_first_not_of(kWhiteSpace);
  return at == text.npos ? std::string_view() : text.substr(at);
}

// At the separator, or at runs of white space when it is empty, so many times at most; -1 = without limit.
Pieces split_at(std::string_view text, std::string_view separator, std::int64_t most) {
  if (most == 0) return {text};
  Pieces pieces;
  if (separator.empty()) text = without_leading_space(text);
  while (!separator.empty() || !text.empty()) {
    const std::size_t at = separator.empty() ? text.find_first_of(kWhiteSpace) : text.find(separator);
    if (at == text.npos && !separator.empty()) break;
    pieces.push_back(text.substr(0, at));
    text = at == text.npos ? std::string_view() : text.substr(at + std::max<std::size_t>(1, separator.size()));
    if (separator.empty()) text = without_leading_space(text);
    if (most > 0 && std::ssize(pieces) == most) return pieces.push_back(text), pieces;
  }
  if (!separator.empty()) pieces.push_back(text);
  return pieces;
}

Status give_pieces(KernelContext& c, const std::vector<Pieces>& rows) {
  std::vector<std::int64_t> indices;
  std::vector<std::string> values;
  std::int64_t widest = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      indices.insert(indices.end(), {static_cast<std::int64_t>(r), static_cast<std::int64_t>(i)});
      values.emplace_back(rows[r][i]);
      widest = std::max(widest, static_cast<std::int64_t>(i) + 1);
    }
  const auto n = std::ssize(values);
  MutableTensor at = make_tensor(DataType::kInt64, Shape({n, 2})), texts = make_tensor(DataType::kString, Shape({n}));
  std::ranges::copy(indices, at->mutable_as<std::int64_t>().begin());
  texts->mutable_strings() = std::move(values);
  c.set(0, at), c.set(1, texts);
  return c.give(2, make_vector(Dims{std::ssize(rows), widest}));
}

template <class Split>
Status split_all(KernelContext& c, const char* separator_named, Split split) {
  if (c.shape(0).rank() != 1) return invalid("input must be a vector, got shape: {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 0)
    return invalid("{} must be a scalar, got shape: {}", separator_named, to_string(c.shape(1)));
  std::vector<Pieces> rows;
  for (const std::string& text : c.in(0).strings()) rows.push_back(split(text, c.in(1).strings()[0]));
  return give_pieces(c, rows);
}

Behaviour make_split(const KernelSetup& s) {
  return {[skip = attr_or(s.attrs, "skip_empty", true)](KernelContext& c) {
            return split_all(c, "delimiter", [&](std::string_view text, std::string_view separator) {
              return split_at_any(text, separator, skip);
            });
          },
          nullptr};
}
Behaviour make_split_v2(const KernelSetup& s) {
  return {[most = attr_or(s.attrs, "maxsplit", std::int64_t{-1})](KernelContext& c) {
            return split_all(c, "sep", [&](std::string_view text, std::string_view separator) {
              return split_at(text, separator, most);
            });
          },
          nullptr};
}

// ---- StringStrip ----

std::string stripped(const std::string& text) {
  const std::size_t first = text.find_first_not_of(kWhiteSpace), last = text.find_last_not_of(kWhiteSpace);
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

template <std::string (*change)(const std::string&)>
Status each_text(KernelContext& c) {
  std::ranges::transform(c.in(0).strings(), out(c).mutable_strings().begin(), change);
  return {};
}

// ---- DecodeCSV (records, a default for each field; an empty one = the field is required) ----

struct Csv {
  char delimiter = ',';
  bool quotes = true;
  std::string missing;
  std::vector<std::int64_t> selected;  // fields; empty = all
};

// The field at `at`, which moves behind it and its delimiter. A quoted one may hold delimiters, and quotes as "".
StatusOr<std::string> quoted_field(const Csv& csv, std::string_view record, std::size_t& at) {
  std::string field;
  for (++at; at + 1 < record.size() && (record[at] != '"' || record[at + 1] != csv.delimiter); ++at) {
    field += record[at];
    if (record[at] != '"') continue;
    if (record[++at] != '"') return invalid("Quote inside a string has to be escaped by another quote");
  }
  if (at >= record.size() || record[at] != '"')
    return invalid("Quoted field has to end with quote followed by delim or end");
  at += 2;
  return field;
}

StatusOr<std::string> plain_field(const Csv& csv, std::string_view record, std::size_t& at) {
  const std::size_t from = at, to = std::min(record.find(csv.delimiter, from), record.size());
  std::string field(record.substr(from, to - from));
  at = to + 1;
  if (field.find_first_of(csv.quotes ? "\"\r\n" : "\r\n") != field.npos)
    return invalid("Unquoted fields cannot have quotes/CRLFs inside");
  return field;
}

// Ends of lines before a field do not count. Behind the last field that is selected nothing is looked at.
StatusOr<std::vector<std::string>> fields_of(const Csv& csv, std::string_view record) {
  std::vector<std::string> kept;
  std::int64_t number = 0;  // of the field
  const auto is_wanted = [&] { return csv.selected.empty() || csv.selected[kept.size()] == number; };
  for (std::size_t at = 0; (at = record.find_first_not_of("\r\n", at)) < record.size(); ++number) {
    const bool is_quoted = csv.quotes && record[at] == '"';
    TARRY_ASSIGN(std::string field, is_quoted ? quoted_field(csv, record, at) : plain_field(csv, record, at));
    if (is_wanted()) kept.push_back(std::move(field));
    if (!csv.selected.empty() && kept.size() == csv.selected.size()) return kept;
  }
  if (!record.empty() && record.back() == csv.delimiter && is_wanted()) kept.emplace_back();
  return kept;
}

template <class T>
bool parse_into(TensorBody& to, std::size_t record, const std::string& field) {
  return parse_number(field, to.mutable_as<T>()[record]);
}

Status read_field(TensorBody& to, std::size_t record, std::size_t f, const std::string& field) {
  bool is_valid = true;
  const char* type = "";
  switch (to.dtype()) {
    case DataType::kInt32:
      is_valid = parse_into<std::int32_t>(to, record, field), type = "int32";
      break;
    case DataType::kInt64:
      is_valid = parse_into<std::int64_t>(to, record, field), type = "int64";
      break;
    case DataType::kFloat:
      is_valid = parse_into<float>(to, record, field), type = "float";
      break;
    case DataType::kDouble:
      is_valid = parse_into<double>(to, record, field), type = "double";
      break;
    default:
      to.mutable_strings()[record] = field;
  }
  return is_valid ? Status() : invalid("Field {} in record {} is not a valid {}: {}", f, record, type, field);
}

Status read_record(const Csv& csv, KernelContext& c, std::size_t record) {
  TARRY_ASSIGN(const std::vector<std::string> fields, fields_of(csv, c.in(0).strings()[record]));
  if (fields.size() != c.outputs.size())
    return invalid("Expect {} fields but have {} in record {}", c.outputs.size(), fields.size(), record);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (!fields[f].empty() && fields[f] != csv.missing) {
      TARRY_RETURN_IF_ERROR(read_field(out(c, f), record, f, fields[f]));
    } else if (c.in(f + 1).elements() == 1) {
      copy_elements(out(c, f), record, c.in(f + 1), 0);
    } else {
      return invalid("Field {} is required but missing in record {}!", f, record);
    }
  }
  return {};
}

Status csv_shape(const KernelContext& c, std::span<Shape> out) {
  for (std::size_t f = 0; f < out.size(); ++f) {
    if (c.shape(f + 1).rank() > 1) return invalid("Each record default should be at most rank 1");
    if (c.in(f + 1).elements() > 1)
      return invalid("There should only be 1 default per field but field {} has {}", f, c.in(f + 1).elements());
    out[f] = c.shape(0);
  }
  return {};
}

Behaviour make_csv(const KernelSetup& s) {
  const auto delimiter = attr_or(s.attrs, "field_delim", std::string(","));
  const auto* selected = s.attrs.get<AttrList>("select_cols");
  Csv csv{delimiter.empty() ? ',' : delimiter[0], attr_or(s.attrs, "use_quote_delim", true),
          attr_or(s.attrs, "na_value", std::string())};
  if (selected != nullptr) csv.selected.assign(selected->i.begin(), selected->i.end());
  return {[csv](KernelContext& c) {
            for (std::size_t r = 0; r < c.in(0).strings().size(); ++r) TARRY_RETURN_IF_ERROR(read_record(csv, c, r));
            return Status();
          },
          csv_shape};
}

constexpr KernelRow kTextRows[] = {
    {"StringSplit", make_split},
    {"StringSplitV2", make_split_v2},
    {"StringStrip", behaves<each_text<stripped>, same_shape>},
    {"DecodeCSV", make_csv},
};

}  // namespace

KernelFamily text_ops() { return kTextRows; }

}  // namespace tarry
