// Checkpoint: the state of a run as named sections, in one file that is either whole or refused.
//
// The file, all numbers little-endian:
//   magic "ARLABCKP", version u32, sections u32, length of the file u64, CRC32C of these 24 bytes;
//   each section: kind u32, length of its name u32, length of its payload u64, name, payload,
//   CRC32C of all of the section before it.
// The length tells a file that was cut short from one that was damaged, the checksums tell the
// rest.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "training/io/json.hpp"

namespace arlab::training {

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

/// A string is any bytes.
using SectionValues = std::variant<Floats, Integers, std::string, Json>;

struct Section {
  std::string name;
  SectionValues values;
  bool operator==(const Section&) const = default;
};

struct Checkpoint {
  std::string source = "a new checkpoint";  ///< the file's name, for messages
  std::vector<Section> sections;

  /// No two sections may have one name.
  void add(std::string name, SectionValues values);

  const Section* find(std::string_view name) const;

  /// Throws Error(usage) if there is no such section, or one of another type.
  const Floats& floats(std::string_view name) const;
  const Integers& integers(std::string_view name) const;
  const std::string& bytes(std::string_view name) const;
  const Json& json(std::string_view name) const;
};

/// Writes it so that a crash leaves the file that was there, or the whole new one. Throws
/// Error(environment).
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// The bytes of its file.
std::string encode_checkpoint(const Checkpoint& checkpoint);

/// Throws Error(environment) if the file cannot be read, Error(usage) if it is foreign, of a newer
/// version, cut short or damaged.
Checkpoint read_checkpoint(const std::string& path);

/// The same for the bytes of a file; `name` is for messages.
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name);

}  // namespace arlab::training
