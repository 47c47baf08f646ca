// Checkpoint: the state of a run as named sections (sections.hpp), in one file that is read
// completely or rejected. If ranks have parts of the state, it is the index of their files
// (shards.hpp).
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

/// A string holds arbitrary bytes.
using SectionValues = std::variant<Floats, Integers, std::string, Json>;

struct Section {
  std::string name;
  SectionValues values;
  bool operator==(const Section&) const = default;
};

struct Checkpoint {
  std::string source = "a new checkpoint";  ///< file name, for messages
  std::vector<Section> sections;

  /// Adds a section; names must be unique.
  void add(std::string name, SectionValues values);

  const Section* find(std::string_view name) const;

  /// Throws Error(usage) if the section does not exist or has another type.
  const Floats& floats(std::string_view name) const;
  const Integers& integers(std::string_view name) const;
  /// Returns the one number in a section of integers. Throws Error(usage) also if the section has
  /// none or more, or if the number is negative.
  std::int64_t count(std::string_view name) const;
  const std::string& bytes(std::string_view name) const;
  const Json& json(std::string_view name) const;
};

/// Writes the checkpoint atomically: a crash leaves the previous file or the complete new one.
/// Throws Error(environment).
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Returns the bytes of the checkpoint's file.
std::string encode_checkpoint(const Checkpoint& checkpoint);

/// Throws Error(environment) if the file cannot be read, and Error(usage) if it is not a
/// checkpoint, of a newer version, truncated or damaged.
Checkpoint read_checkpoint(const std::string& path);

/// Parses the bytes of a file in the same way; `name` is for messages.
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name);

}  // namespace arlab::training
