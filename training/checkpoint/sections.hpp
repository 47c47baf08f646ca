// Sections: named parts of a file with a checksum each. Checkpoints and shards have this format.
//
// All numbers are little-endian:
//   magic "ARLABCKP", version u32, sections u32, length of the file u64, CRC32C of these 24 bytes;
//   each section: kind u32, length of its name u32, length of its payload u64, name, payload,
//   CRC32C of the section up to here.
// The length detects truncated files; the checksums detect damage. The seal of a file is the CRC32C
// of all heads (kind, lengths, name) and checksums of its sections: it distinguishes files without
// their payloads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/io/files.hpp"

namespace arlab::training {

enum class SectionKind : std::uint32_t { floats, integers, bytes, json };

/// A section to write. The payload must outlive the file.
struct SectionView {
  SectionKind kind = SectionKind::bytes;
  std::string name;
  std::string_view payload;
};

/// A file to write, as pieces; those of payloads are not copied.
class SectionFile {
 public:
  explicit SectionFile(std::span<const SectionView> sections);
  SectionFile(const SectionFile&) = delete;
  SectionFile& operator=(const SectionFile&) = delete;

  std::span<const std::string_view> pieces() const { return pieces_; }
  std::uint64_t size() const { return size_; }
  std::uint32_t seal() const { return seal_; }

 private:
  struct Frame {
    std::string head, sum;
  };

  std::string header_;
  std::vector<Frame> frames_;
  std::vector<std::string_view> pieces_;
  std::uint64_t size_ = 0;
  std::uint32_t seal_ = 0;
};

/// Where a section is in its file. Nothing is verified until it is read.
struct SectionHead {
  std::uint32_t kind = 0;
  std::string name;
  std::uint64_t begin = 0, payload = 0;  ///< offsets of the section and of its payload
  std::uint64_t size = 0;                ///< of the payload
};

/// Reads a file section by section. Everything throws Error(usage), naming the file, if it is no
/// such file, of a newer version, truncated or damaged.
class SectionReader {
 public:
  /// `name` is for messages. Both must outlive the reader.
  SectionReader(const ByteSource& source, const std::string& name);

  bool more() const { return left_ > 0; }
  /// Goes to the next section.
  SectionHead next();
  /// Reads the payload of a section, of the size in its head, and verifies its checksum.
  void read(const SectionHead& section, std::span<char> payload) const;
  std::string read(const SectionHead& section) const;
  /// Fails if data follow the last section. Call it after that section.
  void finish() const;
  /// The seal of the sections so far.
  std::uint32_t seal() const { return seal_; }
  [[noreturn]] void damaged(const std::string& where) const;

 private:
  void header();
  std::string bytes(std::uint64_t at, std::uint64_t count) const;
  [[noreturn]] void refuse(const std::string& why) const;

  const ByteSource& source_;
  const std::string& name_;
  std::uint64_t at_ = 0;
  std::uint32_t left_ = 0, seal_ = 0;
};

}  // namespace arlab::training
