// A file that a reader has begun: its records, one after the other, as TensorFlow's kinds of readers cut them.
#pragma once

#include <optional>
#include <string>

#include "placer/core/status.hpp"
#include "workers/state/input_files.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

enum class ReaderKind : std::uint8_t { lines, whole_files, names, fixed_length, tf_records };

struct ReaderSpec {
  ReaderKind kind = ReaderKind::lines;
  std::int64_t header_lines = 0;                             // of lines
  std::int64_t header = 0, record = 0, footer = 0, hop = 0;  // bytes of records of a fixed length; no hop = a record
  bool is_compressed = false;
};

// Scalars of strings. One that nobody knows has a shape only.
struct Record {
  TensorRef key, value;
};

class OpenFile {
 public:
  // `file`: what is known of it; null = there is none of this name.
  OpenFile(const ReaderSpec& spec, std::string name, const InputFile* file)
      : spec_(spec), name_(std::move(name)), file_(file) {}

  // Fails: NOT_FOUND `F; No such file or directory`, but a reader of whole files only when it reads; OUT_OF_RANGE
  // `reached end of file` for a header that is longer than the file; UNIMPLEMENTED for compressed bytes.
  [[nodiscard]] Status begin();
  // Nothing at the end. Fails: DATA_LOSS for bytes that are no TFRecords (seen in 2.15.1).
  [[nodiscard]] StatusOr<std::optional<Record>> next();
  // Whether a record is the only one of its file: then the file is finished with it.
  [[nodiscard]] bool has_one_record() const {
    return spec_.kind == ReaderKind::whole_files || spec_.kind == ReaderKind::names;
  }

 private:
  using MaybeRecord = StatusOr<std::optional<Record>>;
  [[nodiscard]] Status missing() const;
  [[nodiscard]] MaybeRecord counted();
  [[nodiscard]] MaybeRecord whole() const;
  [[nodiscard]] MaybeRecord next_line();
  [[nodiscard]] MaybeRecord next_of_fixed_length();
  [[nodiscard]] MaybeRecord next_tf_record();
  [[nodiscard]] std::string key(std::int64_t n) const;
  [[nodiscard]] std::optional<std::string> line();
  [[nodiscard]] std::optional<std::string> checked(std::size_t size);

  ReaderSpec spec_;
  std::string name_;
  const InputFile* file_;
  std::size_t at_ = 0;      // in its bytes
  std::int64_t given_ = 0;  // records
};

}  // namespace tarry
