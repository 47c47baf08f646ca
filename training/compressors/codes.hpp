// Building blocks of codes: numbers at the start of a code, buckets, tightly packed small codes,
// and random words. For the files of catalog/.
#pragma once

#include <algorithm>
#include <cstring>

#include "training/compressors/compressor.hpp"
#include "training/compressors/kernels/kernels.hpp"

namespace arlab::training {

template <class Range>
Count length(const Range& x) {
  return static_cast<Count>(x.size());
}
inline const std::byte* as_bytes(const std::uint8_t* codes) {
  return reinterpret_cast<const std::byte*>(codes);
}
inline Count bytes_of_bits(Count bits) { return (bits + 7) / 8; }

inline double value(const CompressorChoice& choice, std::string_view parameter) {
  return choice.values.find(parameter)->second;
}
inline Count whole(const CompressorChoice& choice, std::string_view parameter) {
  return static_cast<Count>(value(choice, parameter));
}

/// The size of a code of two bytes per element.
inline std::optional<Count> packed_halves(const TensorShapes& layout, const CompressorChoice&,
                                          Aggregation, Count) {
  return 2 * elements(layout);
}

/// The storage of a code, where its kernels work.
class CodeStorage {
 public:
  CodeStorage(const VectorKernels& kernels, Count bytes)
      : memory_(kernels.allocate(static_cast<std::size_t>(bytes))),
        bytes_(static_cast<std::size_t>(bytes)) {}
  std::byte* data() const { return memory_.data(); }
  std::span<std::byte> all() const { return {data(), bytes_}; }

 private:
  collectives::DeviceMemory memory_;
  std::size_t bytes_;
};

/// Returns the index-th T of a code, which may be unaligned.
template <class T>
T load(std::span<const std::byte> code, Count index) {
  T x;
  std::memcpy(&x, code.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return x;
}
template <class T>
void store(std::span<std::byte> code, Count index, T x) {
  std::memcpy(code.data() + static_cast<std::size_t>(index) * sizeof(T), &x, sizeof(T));
}

/// Work proceeds block by block, so that data between two kernels stays in the cache.
inline constexpr Count kBlock = 16 * kRandomGroup;
template <class Use>
void for_blocks(Count elements, Use use) {
  for (Count first = 0; first < elements; first += kBlock)
    use(first, std::min(kBlock, elements - first));
}

/// Buckets of `bucket` elements; the last one may be shorter.
struct Buckets {
  Count elements = 0, bucket = 1;
  Count count() const { return (elements + bucket - 1) / bucket; }
  Count begin(Count b) const { return b * bucket; }
  Count size(Count b) const { return std::min(bucket, elements - begin(b)); }
  /// Calls use(bucket, first element, elements) for the parts of a range in each bucket.
  template <class Use>
  void each(Count first, Count count, Use use) const {
    for (Count at = first; at < first + count;) {
      const Count b = at / bucket, end = std::min(first + count, begin(b) + size(b));
      use(b, at, end - at);
      at = end;
    }
  }
};

/// Returns the random numbers of an encoding.
Random random_of(const EncodeContext& context);

/// The random words of an encoding. Word i does not depend on how the vector is cut.
class RandomWords {
 public:
  explicit RandomWords(const EncodeContext& context) : key_(random_of(context).key()) {}

  /// Returns the words of elements [first, first + count), a block of for_blocks().
  const std::uint32_t* at(Count first, Count count) {
    encode_kernels().random(words_, first / kRandomGroup, (count + kRandomGroup - 1) / kRandomGroup,
                            key_);
    return words_;
  }

 private:
  std::uint64_t key_;
  std::uint32_t words_[kBlock];
};

/// Codes of a few bits each, packed one after another.
class PackedCodes {
 public:
  PackedCodes(Count elements, int bits) : elements_(elements), bits_(bits) {}
  Count bytes() const { return bytes_of_bits(elements_ * bits_); }

  /// Calls make(codes, random words, first, count) for each block.
  template <class Make>
  void encode(std::byte* packed, const EncodeContext& context, Make make) const {
    RandomWords random(context);
    for_blocks(elements_, [&](Count first, Count count) {
      std::uint8_t codes[kBlock];
      make(codes, random.at(first, count), first, count);
      encode_kernels().pack(packed + first / 8 * bits_, codes, count, bits_);
    });
  }
  /// Calls use(codes, first, count) for each block.
  template <class Use>
  void decode(const std::byte* packed, Use use) const {
    for_blocks(elements_, [&](Count first, Count count) {
      std::uint8_t codes[kBlock];
      encode_kernels().unpack(codes, packed + first / 8 * bits_, count, bits_);
      use(codes, first, count);
    });
  }

 private:
  Count elements_;
  int bits_;
};

}  // namespace arlab::training
