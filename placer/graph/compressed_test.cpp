// Compressed files: whole ones, several in one, and damaged ones.

#include "placer/graph/compressed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

namespace tarry {
namespace {

std::string gz(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zst(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

// More than a step of the reader.
std::string large() {
  std::string text;
  for (std::uint64_t i = 0; text.size() < 2'000'000; ++i) text += std::to_string(i * i);
  return text;
}

std::string read(const std::string& bytes) {
  const StatusOr<std::string> text = decompress_if_needed(bytes, "f");
  return text.ok() ? *text : std::string(text_of(text.status()));
}

TEST(Compressed, files_are_read_whole_and_others_as_they_are) {
  EXPECT_EQ(read("plain"), "plain");
  EXPECT_EQ(read(""), "");
  for (const std::string& text : {std::string("a text"), std::string(), large()}) {
    EXPECT_TRUE(read(gz(text)) == text) << text.size();
    EXPECT_TRUE(read(zst(text)) == text) << text.size();
  }
}

TEST(Compressed, parts_behind_each_other_are_one_file) {
  const std::string big = large();
  EXPECT_EQ(read(gz("one ") + gz("two ") + gz("three")), "one two three");
  EXPECT_EQ(read(zst("one ") + zst("two ") + zst("three")), "one two three");
  EXPECT_TRUE(read(gz("one ") + gz(big)) == "one " + big);
  EXPECT_TRUE(read(zst("one ") + zst(big)) == "one " + big) << "more than the first one says";
}

TEST(Compressed, files_that_are_cut_off_or_damaged_are_refused) {
  const std::string gzip = gz("a text of some length"), zstd = zst("a text of some length");
  EXPECT_EQ(read(gzip.substr(0, gzip.size() - 1)), "f: not a whole gzip file");
  EXPECT_EQ(read(gzip + "more"), "f: not a whole gzip file");
  EXPECT_EQ(read(gzip + gzip.substr(0, 12)), "f: not a whole gzip file");
  EXPECT_EQ(read(zstd.substr(0, zstd.size() - 1)), "f: not a whole zstd file");
  EXPECT_EQ(read(zstd + zstd.substr(0, 12)), "f: not a whole zstd file");
  EXPECT_EQ(read(zstd + "more"), "f: zstd: Unknown frame descriptor");
  EXPECT_EQ(read(zstd.substr(0, 4)), "f: not a whole zstd file");
}

TEST(Compressed, files_that_say_they_hold_too_much_are_refused_at_once) {
  const std::string one_more_than_half_a_gigabyte("\x28\xb5\x2f\xfd\xe0\x01\x00\x00\x20\x00\x00\x00\x00", 13);
  EXPECT_EQ(read(one_more_than_half_a_gigabyte), "f: says it holds 536870913 bytes; at most 536870912 are read");
}

}  // namespace
}  // namespace tarry
