// CRC32C (Castagnoli): the checksum of iSCSI, ext4 and TensorBoard's records. RFC 3720, appendix B.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace arlab::training {

/// Returns the checksum of the bytes, continuing from `before`, the checksum of those before them.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

inline std::uint32_t crc32c(std::string_view text, std::uint32_t before = 0) {
  return crc32c(std::as_bytes(std::span(text)), before);
}

}  // namespace arlab::training
