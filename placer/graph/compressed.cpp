#include "placer/graph/compressed.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace tarry {
namespace {

constexpr std::size_t kMaxDecoded = std::size_t{1} << 29;
constexpr std::size_t kStep = std::size_t{1} << 20;
constexpr int kGzipOnly = 16 + MAX_WBITS;

Status too_much(std::string_view name) {
  return invalid("{}: holds more than {} bytes; at most so many are read", name, kMaxDecoded);
}

// Grows `out` by what `step` writes into a piece of memory, until it is done. `step(to, room, done)` gives the bytes
// written.
template <class Step>
StatusOr<std::string> grow(std::string_view name, std::size_t first, Step step) {
  std::string out;
  std::size_t size = 0;
  for (bool done = false; !done;) {
    if (size == out.size()) out.resize(std::max(first, size + std::min(std::max(size, kStep), kMaxDecoded)));
    TARRY_ASSIGN(const std::size_t written, step(out.data() + size, out.size() - size, done));
    size += written;
    if (size > kMaxDecoded) return too_much(name);
  }
  out.resize(size);
  return out;
}

StatusOr<std::string> unzip(std::string_view bytes, std::string_view name) {
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib only reads
  stream.avail_in = static_cast<uInt>(bytes.size());
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return error(Code::kInternal, "{}: zlib does not start", name);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  return grow(name, kStep, [&](char* to, std::size_t room, bool& done) -> StatusOr<std::size_t> {
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END) return invalid("{}: not a whole gzip file", name);
    if (code == Z_STREAM_END && stream.avail_in > 0 && inflateReset(&stream) != Z_OK)
      return invalid("{}: not a whole gzip file", name);
    done = code == Z_STREAM_END && stream.avail_in == 0;
    return room - stream.avail_out;
  });
}

}  // namespace

StatusOr<std::string> decompress(std::string_view bytes, std::string_view name) {
  const unsigned long long told = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (told == ZSTD_CONTENTSIZE_ERROR) return invalid("{}: not a whole zstd file", name);
  const bool is_told = told != ZSTD_CONTENTSIZE_UNKNOWN;
  if (is_told && told > kMaxDecoded)
    return invalid("{}: says it holds {} bytes; at most {} are read", name, told, kMaxDecoded);
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  return grow(name, is_told ? static_cast<std::size_t>(told) + 1 : kStep,
              [&](char* to, std::size_t room, bool& done) -> StatusOr<std::size_t> {
                ZSTD_outBuffer out{to, room, 0};
                const std::size_t left = ZSTD_decompressStream(stream.get(), &out, &in);
                if (ZSTD_isError(left)) return invalid("{}: zstd: {}", name, ZSTD_getErrorName(left));
                done = in.pos == in.size && out.pos < room;
                if (done && left != 0) return invalid("{}: not a whole zstd file", name);
                return out.pos;
              });
}

StatusOr<std::string> decompress_if_needed(std::string bytes, std::string_view name) {
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return decompress(bytes, name);
  if (bytes.starts_with("\x1f\x8b")) return unzip(bytes, name);
  return bytes;
}

}  // namespace tarry
