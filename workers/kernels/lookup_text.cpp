// InitializeTableFromTextFile: a table whose entries are the lines of a file, or columns of them. What is refused, and
// in which order, was seen of TensorFlow 2.15.1.

#include <algorithm>

#include "placer/core/text.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/lookup_table.hpp"
#include "workers/kernels/parse_number.hpp"
#include "workers/state/input_files.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kWholeLine = -2, kLineNumber = -1;  // in place of a column

struct Vocabulary {
  std::int64_t key = kWholeLine, value = kLineNumber;  // columns, from 0
  std::int64_t size = -1;                              // lines that are read; -1 = all
  std::int64_t offset = 0;                             // the number of the first line
  std::string delimiter = "\t";

  [[nodiscard]] std::int64_t columns() const { return std::max(key, value) + 1; }
};

Status bad_size(const Vocabulary& v, const std::string& file, std::int64_t lines) {
  return invalid("Invalid vocab_size in {}: expected {} but got {}", file, v.size, lines);
}
// TensorFlow's way to say that there is no further entry.
Status no_more(std::string_view why) { return error(Code::kOutOfRange, "{}", why); }

class Lines {
 public:
  Lines(const Vocabulary& v, std::string file, const std::string& bytes, const TableKind& kind)
      : v_(v),
        file_(std::move(file)),
        bytes_(bytes),
        key_(make_tensor(kind.key_type, Shape())),
        value_(make_tensor(kind.value_type, Shape())) {}

  // The next line is `key` and `value` then. Fails: OUT_OF_RANGE where there is none, INVALID_ARGUMENT for a bad one.
  Status next() {
    if (v_.size >= 0 && line_ >= v_.size)
      return no_more(fmt::format("Finished reading {} of lines from {}", line_, file_));
    if (at_ >= bytes_.size())
      return v_.size >= 0 ? bad_size(v_, file_, line_) : no_more("Read less bytes than requested");
    const std::string_view line = read();
    if (line.empty()) return invalid("Invalid content in {}: empty line found at position {}.", file_, at_);
    std::vector<std::string_view> parts;
    if (v_.columns() > 0) parts = split(line, v_.delimiter[0]);
    if (std::ssize(parts) < v_.columns())
      return invalid("Invalid number of columns in {} line {} ({}) : expected at least {} got {}", file_, line_, line,
                     v_.columns(), parts.size());
    TARRY_RETURN_IF_ERROR(set(*key_, v_.key, line, parts));
    TARRY_RETURN_IF_ERROR(set(*value_, v_.value, line, parts));
    ++line_;
    return {};
  }
  [[nodiscard]] const TensorBody& key() const { return *key_; }
  [[nodiscard]] const TensorBody& value() const { return *value_; }

 private:
  // The carriage return at its end is none of a line.
  std::string_view read() {
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    std::string_view line = std::string_view(bytes_).substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = std::min(end + 1, bytes_.size());
    return line;
  }
  Status set(TensorBody& to, std::int64_t column, std::string_view line, std::span<const std::string_view> parts) {
    if (column == kLineNumber) return to.mutable_as<std::int64_t>()[0] = line_ + v_.offset, Status();
    const std::string_view text = column == kWholeLine ? line : parts[static_cast<std::size_t>(column)];
    switch (to.dtype()) {
      case DataType::kString:
        return to.mutable_strings()[0] = text, Status();
      case DataType::kInt32:
        return set_number<std::int32_t>(to, text, "int32");
      case DataType::kInt64:
        return set_number<std::int64_t>(to, text, "int64");
      case DataType::kFloat:
        return set_number<float>(to, text, "float");
      case DataType::kDouble:
        return set_number<double>(to, text, "double");
      default:
        return invalid("Data type {} not supported.", type_name(to.dtype()));
    }
  }
  template <class T>
  Status set_number(TensorBody& to, std::string_view text, const char* type) const {
    if (parse_number<T>(text, to.mutable_as<T>()[0])) return {};
    return invalid("Field {} in line {} is not a valid {}.", text, line_, type);
  }

  const Vocabulary& v_;
  std::string file_;
  const std::string& bytes_;
  MutableTensor key_, value_;
  std::size_t at_ = 0;
  std::int64_t line_ = 0;  // those that were read
};

Status check_types(const Vocabulary& v, const TableKind& kind) {
  if (v.delimiter.size() != 1) return invalid("delimiter should be only 1 char");
  if (v.key == kLineNumber && kind.key_type != DataType::kInt64)
    return invalid("Key index for line number requires table key dtype of int64, got {}", type_name(kind.key_type));
  if (v.value == kLineNumber && kind.value_type != DataType::kInt64)
    return invalid("Value index for line number requires table value dtype of int64, got {}",
                   type_name(kind.value_type));
  const bool is_text_or_whole = kind.value_type == DataType::kString || kind.value_type == DataType::kInt32 ||
                                kind.value_type == DataType::kInt64;
  if (v.value == kWholeLine && !is_text_or_whole)
    return invalid("Value index for whole line requires table value dtype of integer or string, got {}",
                   type_name(kind.value_type));
  return {};
}

// A table that has been filled stays as it is, once the first line is a good one. The entries before a bad one stay.
Status fill(Table& table, Lines lines) {
  TARRY_RETURN_IF_ERROR(lines.next());
  if (table.is_ready) return {};
  Status more;
  for (; more.ok(); more = lines.next()) TARRY_RETURN_IF_ERROR(table.add_once(lines.key(), lines.value(), 0));
  if (more.code() != Code::kOutOfRange) return more;
  table.is_ready = true;
  return {};
}

// Of a file nobody knows more than how many lines it has; where even that is not known, `lines` is empty.
Status fill_unknown(Table& table, const Vocabulary& v, const std::string& file, std::optional<std::int64_t> lines) {
  if (v.size == 0) return no_more(fmt::format("Finished reading 0 of lines from {}", file));
  if (lines && v.size > *lines) return bad_size(v, file, *lines);
  if (lines == 0) return no_more("Read less bytes than requested");
  if (table.is_ready) return {};
  table.is_ready = table.has_unknown = true;
  table.unknown_size = v.size >= 0 ? std::optional(v.size) : lines;
  return {};
}

// Inputs: handle, the file's name.
class TextFileKernel : public Kernel {
  // TensorFlow keeps 32 bits.
  static std::int64_t column(const KernelSetup& s, const char* name, std::int64_t usual) {
    return static_cast<std::int32_t>(attr_or(s.attrs, name, usual));
  }

 public:
  explicit TextFileKernel(const KernelSetup& s)
      : v_{column(s, "key_index", kWholeLine), column(s, "value_index", kLineNumber),
           attr_or(s.attrs, "vocab_size", std::int64_t{-1}), attr_or(s.attrs, "offset", std::int64_t{0}),
           attr_or(s.attrs, "delimiter", std::string("\t"))},
        files_(s.host.inputs),
        task_(s.host.task) {}
  Status compute(KernelContext& c) override {
    Table& table = table_of(c);
    TARRY_RETURN_IF_ERROR(table.check_is_filled_once());
    if (c.shape(1).rank() != 0) return invalid("filename should be a single string, but got {}", to_string(c.shape(1)));
    if (!known(c, 1)) return fill_unknown(table, v_, "a file", std::nullopt);
    const std::string& name = c.in(1).strings()[0];
    if (name.empty()) return invalid("filename cannot be empty.");
    TARRY_RETURN_IF_ERROR(check_types(v_, table.kind));
    const InputFile* file = files_ == nullptr ? endless_.find(task_, name) : files_->find(task_, name);
    if (file == nullptr) return error(Code::kNotFound, "{}; No such file or directory", name);
    if (file->bytes) return fill(table, Lines(v_, name, *file->bytes, table.kind));
    const bool is_endless = file->records == std::numeric_limits<std::int64_t>::max();
    return fill_unknown(table, v_, name, is_endless ? std::nullopt : std::optional(file->records));
  }

 private:
  Vocabulary v_;
  const InputFiles* files_;
  InputFiles endless_;
  TaskId task_;
};

constexpr KernelRow kTextRows[] = {
    {"InitializeTableFromTextFile", make_from_setup<TextFileKernel>},
    {"InitializeTableFromTextFileV2", make_from_setup<TextFileKernel>},
};

}  // namespace

KernelFamily lookup_text_ops() { return {kTextRows, ResourceKind::lookup_table}; }

}  // namespace tarry
