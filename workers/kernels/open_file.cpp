#include "workers/kernels/open_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cstring>

namespace tarry {
namespace {

TensorRef unknown_text() { return make_shape_only(DataType::kString, Shape()); }

std::optional<Record> record(std::string key, std::string value) {
  return Record{make_string(std::move(key)), make_string(std::move(value))};
}

// CRC-32C as TFRecords have it.
std::uint32_t masked_crc(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t sum = crc.checksum();
  return ((sum >> 15) | (sum << 17)) + 0xa282ead8U;
}

constexpr std::size_t kCrc = sizeof(std::uint32_t), kLength = sizeof(std::uint64_t);

}  // namespace

Status OpenFile::missing() const { return error(Code::kNotFound, "{}; No such file or directory", name_); }

Status OpenFile::begin() {
  if (has_one_record()) return {};
  if (file_ == nullptr) return missing();
  if (!file_->bytes) return {};
  if (spec_.is_compressed) return error(Code::kUnimplemented, "tarry reads no compressed files, such as {}", name_);
  if (spec_.kind == ReaderKind::fixed_length && std::cmp_greater(spec_.header, file_->bytes->size()))
    return error(Code::kOutOfRange, "reached end of file");
  for (std::int64_t i = 0; spec_.kind == ReaderKind::lines && i < spec_.header_lines; ++i)
    if (!line()) break;
  return {};
}

StatusOr<std::optional<Record>> OpenFile::next() {
  if (has_one_record()) return whole();
  if (!file_->bytes) return counted();
  switch (spec_.kind) {
    case ReaderKind::fixed_length:
      return next_of_fixed_length();
    case ReaderKind::tf_records:
      return next_tf_record();
    default:
      return next_line();
  }
}

std::string OpenFile::key(std::int64_t n) const { return fmt::format("{}:{}", name_, n); }

OpenFile::MaybeRecord OpenFile::whole() const {
  if (spec_.kind == ReaderKind::names) return record(name_, name_);
  if (file_ == nullptr) return missing();
  if (file_->bytes) return record(name_, *file_->bytes);
  return Record{make_string(name_), unknown_text()};
}

// Where a TFRecord begins is known only with what is before it.
OpenFile::MaybeRecord OpenFile::counted() {
  if (given_ >= file_->records) return std::optional<Record>();
  const std::int64_t n = given_++;
  if (spec_.kind == ReaderKind::tf_records) return Record{unknown_text(), unknown_text()};
  return Record{make_string(key(spec_.kind == ReaderKind::lines ? spec_.header_lines + n + 1 : n)), unknown_text()};
}

// The carriage return at its end is none of a line.
std::optional<std::string> OpenFile::line() {
  const std::string& bytes = *file_->bytes;
  if (at_ >= bytes.size()) return std::nullopt;
  const std::size_t end = std::min(bytes.find('\n', at_), bytes.size());
  std::string text = bytes.substr(at_, end - at_);
  if (text.ends_with('\r')) text.pop_back();
  at_ = end + 1;
  return text;
}

OpenFile::MaybeRecord OpenFile::next_line() {
  std::optional<std::string> text = line();
  if (!text) return std::optional<Record>();
  return record(key(spec_.header_lines + ++given_), *std::move(text));
}

OpenFile::MaybeRecord OpenFile::next_of_fixed_length() {
  const std::int64_t step = spec_.hop > 0 ? spec_.hop : spec_.record;
  const std::int64_t size = std::ssize(*file_->bytes), end = size - spec_.footer;
  const std::int64_t from = spec_.header + given_ * std::min(step, size + 1);
  if (spec_.record > end - from) return std::optional<Record>();
  return record(key(given_++),
                file_->bytes->substr(static_cast<std::size_t>(from), static_cast<std::size_t>(spec_.record)));
}

// The next bytes, without the checksum behind them; nothing where it does not fit.
std::optional<std::string> OpenFile::checked(std::size_t size) {
  std::string bytes = file_->bytes->substr(at_, size);
  std::uint32_t crc = 0;
  std::memcpy(&crc, file_->bytes->data() + at_ + size, kCrc);
  if (crc != masked_crc(bytes)) return std::nullopt;
  at_ += size + kCrc;
  return bytes;
}

// What is left of a length at the end of the file is passed over.
OpenFile::MaybeRecord OpenFile::next_tf_record() {
  const auto left = [&] { return file_->bytes->size() - at_; };
  const auto corrupted = [&] {
    return error(Code::kDataLoss, "corrupted record at {}{}", at_, at_ == 0 ? " (Is this even a TFRecord file?)" : "");
  };
  const std::size_t from = at_;
  if (left() < kLength + kCrc) return std::optional<Record>();
  const std::optional<std::string> head = checked(kLength);
  if (!head) return corrupted();
  std::uint64_t size = 0;
  std::memcpy(&size, head->data(), kLength);
  if (left() < kCrc || size > left() - kCrc) {
    at_ = from;
    return error(Code::kDataLoss, "truncated record at {}' failed with Read less bytes than requested", from);
  }
  std::optional<std::string> value = checked(size);
  if (value) return record(key(static_cast<std::int64_t>(from)), *std::move(value));
  const Status wrong = corrupted();
  at_ = from;
  return wrong;
}

}  // namespace tarry
