// Shards: a checkpoint of which each rank writes its part, so that no rank ever has all of the
// optimizer's state.
//
// A shard file has the format of sections.hpp: section "shard" (JSON) says to which step it belongs
// and which ranges of the flat vectors it has; then, for each range in pieces of at most 2^20
// elements, come the weights "weights/B" and the moments "moments/0/B", "moments/1/B", where B is
// the first element. When all ranks have written theirs, rank 0 writes the checkpoint, whose
// section "shards" (JSON) is the index.
//
// Any number of ranks can read them: each reads the pieces that overlap with what it needs, and
// verifies the checksum of each piece, and the seal of each file, which only that file has.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "training/checkpoint/sections.hpp"
#include "training/io/json.hpp"
#include "training/replica/flat_range.hpp"

namespace arlab::training {

/// One shard file, as the index describes it.
struct ShardFile {
  std::string name;               ///< in the folder of the index
  std::uint64_t bytes = 0;        ///< its length
  std::uint32_t seal = 0;         ///< see sections.hpp
  std::vector<FlatRange> ranges;  ///< what it has: not empty, ascending, without overlaps
  bool operator==(const ShardFile&) const = default;
};

/// The section "shards" of a checkpoint.
struct ShardIndex {
  Count step = 0;
  Count elements = 0;            ///< weights in all
  Count moments = 0;             ///< per weight, 0 to 2
  std::vector<ShardFile> files;  ///< whose ranges are all elements, each once
  bool operator==(const ShardIndex&) const = default;
};

Json to_json(std::span<const FlatRange> ranges);
Json to_json(const ShardFile& file);
Json to_json(const ShardIndex& index);
/// Throws Error(usage), naming `source`, unless it is a complete index: the keys of to_json() and
/// no others, plain file names, and ranges that are all elements, each once.
ShardIndex parse_shard_index(const Json& json, const std::string& source);
/// The same for an entry of it, without regard to the others.
ShardFile parse_shard_file(const Json& json, const std::string& source);

/// Flat vectors of which a shard is a part: first all first moments, then all second moments.
template <class Float>
struct ShardVectors {
  std::span<Float> weights, moments;
};

/// Writes the rank's file, atomically, without copying the vectors. Throws Error(environment).
ShardFile write_shard(const std::string& folder, Count step, Rank rank, Rank ranks,
                      std::span<const FlatRange> ranges, const ShardVectors<const float>& from);

/// Reads the wanted ranges (ascending) of the vectors from the files that have parts of them.
/// Changes nothing else; what was read before an error stays. Throws Error(usage), naming the file,
/// if it is missing, truncated, damaged, of another step, or another one than when the index was
/// written, and if the vectors have other lengths.
void read_shards(const std::string& folder, const ShardIndex& index,
                 std::span<const FlatRange> wanted, const ShardVectors<float>& into);

/// The same for the file at `number` alone, from any source.
void read_shard(const ByteSource& source, const std::string& name, const ShardIndex& index,
                std::size_t number, std::span<const FlatRange> wanted,
                const ShardVectors<float>& into);

}  // namespace arlab::training
