// Texts as numbers and in base 64: hashes into buckets, encoded and decoded bytes.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"

namespace tarry {
namespace {

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
  return word;
}

// Appleby's MurmurHash64A with TensorFlow's seed: StringToHashBucket.
std::uint64_t murmur64(std::string_view bytes) {
  constexpr std::uint64_t kFactor = 0xC6A4A7935BD1E995, kSeed = 0xDECAFCAFFE;
  std::uint64_t h = kSeed ^ (bytes.size() * kFactor);
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t k = word_at(bytes, at) * kFactor;
    k = (k ^ (k >> 47)) * kFactor;
    h = (h ^ k) * kFactor;
  }
  if (at < bytes.size()) h = (h ^ word_at(bytes, at)) * kFactor;
  h = (h ^ (h >> 47)) * kFactor;
  return h ^ (h >> 47);
}

// SipHash-2-4 of Aumasson and Bernstein: StringToHashBucketStrong.
class SipHash {
 public:
  SipHash(std::uint64_t k0, std::uint64_t k1)
      : v_{k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573} {}
  std::uint64_t operator()(std::string_view bytes) {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) add(word_at(bytes, at));
    add((at < bytes.size() ? word_at(bytes, at) : 0) | bytes.size() << 56);
    v_[2] ^= 0xFF;
    for (int i = 0; i < 4; ++i) round();
    return v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
  }

 private:
  void add(std::uint64_t word) {
    v_[3] ^= word;
    round(), round();
    v_[0] ^= word;
  }
  void round() {
    v_[0] += v_[1], v_[1] = std::rotl(v_[1], 13) ^ v_[0], v_[0] = std::rotl(v_[0], 32);
    v_[2] += v_[3], v_[3] = std::rotl(v_[3], 16) ^ v_[2];
    v_[0] += v_[3], v_[3] = std::rotl(v_[3], 21) ^ v_[0];
    v_[2] += v_[1], v_[1] = std::rotl(v_[1], 17) ^ v_[2], v_[2] = std::rotl(v_[2], 32);
  }
  std::array<std::uint64_t, 4> v_;
};

template <class Hash>
Behaviour buckets(const KernelSetup& s, Hash hash) {
  const auto n = static_cast<std::uint64_t>(attr_or(s.attrs, "num_buckets", std::int64_t{1}));
  return {[n, hash](KernelContext& c) {
            std::ranges::transform(c.in(0).strings(), c.out<std::int64_t>(0).begin(), [&](const std::string& text) {
              return static_cast<std::int64_t>(hash(text) % std::max<std::uint64_t>(1, n));
            });
            return Status();
          },
          same_shape};
}

Behaviour make_hash_bucket_strong(const KernelSetup& s) {
  std::vector<std::uint64_t> key(2);
  if (const auto* list = s.attrs.get<AttrList>("key"); list != nullptr && list->i.size() == key.size())
    std::ranges::transform(list->i, key.begin(), [](std::int64_t k) { return static_cast<std::uint64_t>(k); });
  return buckets(s, [key](std::string_view text) { return SipHash(key[0], key[1])(text); });
}

// ---- EncodeBase64, DecodeBase64: the alphabet that is safe in URLs ----

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encoded(const std::string& bytes, bool pads) {
  std::string to;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 3; ++i)
      word = word << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - at) + 1;
    for (std::size_t i = 0; i < 4; ++i)
      if (i < n)
        to += kAlphabet[word >> (18 - 6 * i) & 63];
      else if (pads)
        to += '=';
  }
  return to;
}

// Padding may be left out, or fill the last four characters.
StatusOr<std::string> decoded(std::string_view text) {
  const bool is_cut_off = text.size() % 4 == 1;  // told behind what is wrong before it
  if (is_cut_off) text.remove_suffix(1);
  if (!is_cut_off && text.size() % 4 == 0)
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  std::string to;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char x : text) {
    const std::size_t value = kAlphabet.find(x);
    if (value == kAlphabet.npos) return invalid("Invalid character found in base64.");
    word = word << 6 | static_cast<std::uint32_t>(value);
    if ((bits += 6) >= 8) to += static_cast<char>(word >> (bits -= 8) & 255);
  }
  if (is_cut_off) return invalid("Base64 string length cannot be 1 modulo 4.");
  return to;
}

Behaviour make_encode(const KernelSetup& s) {
  return {[pads = attr_or(s.attrs, "pad", false)](KernelContext& c) {
            std::ranges::transform(c.in(0).strings(), out(c).mutable_strings().begin(),
                                   [&](const std::string& bytes) { return encoded(bytes, pads); });
            return Status();
          },
          same_shape};
}

Status decode_each(KernelContext& c) {
  for (std::size_t i = 0; i < c.in(0).strings().size(); ++i) {
    TARRY_ASSIGN(out(c).mutable_strings()[i], decoded(c.in(0).strings()[i]));
  }
  return {};
}

constexpr KernelRow kDigestRows[] = {
    {"StringToHashBucket", [](const KernelSetup& s) { return buckets(s, murmur64); }},
    {"StringToHashBucketStrong", make_hash_bucket_strong},
    {"EncodeBase64", make_encode},
    {"DecodeBase64", behaves<decode_each, same_shape>},
};

}  // namespace

KernelFamily digest_ops() { return kDigestRows; }

}  // namespace tarry
