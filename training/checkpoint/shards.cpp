#include "training/checkpoint/shards.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "collectives/files/output_file.hpp"
#include "training/checkpoint/names.hpp"

namespace arlab::training {
namespace {

namespace fs = std::filesystem;

constexpr Count kPiece = 1 << 20;  // elements

// A section of a shard file: these elements of that vector.
struct Piece {
  std::string name;
  FlatRange range;    // in units of weights
  Count vector = -1;  // of the moments; -1: the weights
};

std::vector<Piece> pieces_of(std::span<const FlatRange> ranges, Count moments) {
  std::vector<Piece> pieces;
  for (const FlatRange& range : ranges)
    for (Count begin = range.begin; begin < range.end(); begin += kPiece)
      for (Count vector = -1; vector < moments; ++vector) {
        const std::string of = vector < 0 ? "weights/" : "moments/" + std::to_string(vector) + '/';
        pieces.push_back(
            {of + std::to_string(begin), {begin, std::min(kPiece, range.end() - begin)}, vector});
      }
  return pieces;
}

template <class Float>
std::span<Float> part(const ShardVectors<Float>& all, Count vector, const FlatRange& range) {
  if (vector < 0) return range.of(all.weights);
  const auto each = all.weights.size();
  return range.of(all.moments.subspan(static_cast<std::size_t>(vector) * each, each));
}

// What the section "shard" says.
Json description(Count step, Count elements, Count moments, std::span<const FlatRange> ranges) {
  return {
      {"step", step}, {"elements", elements}, {"moments", moments}, {"ranges", to_json(ranges)}};
}

std::span<char> chars(std::span<float> floats) {
  return {reinterpret_cast<char*>(floats.data()), floats.size_bytes()};
}

// Reads a piece into the wanted ranges: directly if it is within one, else through a copy.
void read_piece(const SectionReader& reader, const SectionHead& head, const Piece& piece,
                std::span<const FlatRange> wanted, const ShardVectors<float>& into) {
  std::vector<float> copy;
  auto at = std::partition_point(wanted.begin(), wanted.end(),
                                 [&](const FlatRange& w) { return w.end() <= piece.range.begin; });
  for (; at != wanted.end() && at->begin < piece.range.end(); ++at) {
    const Count begin = std::max(at->begin, piece.range.begin);
    const FlatRange both{begin, std::min(at->end(), piece.range.end()) - begin};
    const std::span<float> place = part(into, piece.vector, both);
    if (both == piece.range) return reader.read(head, chars(place));
    if (copy.empty()) {
      copy.resize(static_cast<std::size_t>(piece.range.elements));
      reader.read(head, chars(copy));
    }
    const auto from = FlatRange{both.begin - piece.range.begin, both.elements};
    std::ranges::copy(from.of(std::span(copy)), place.begin());
  }
}

bool overlap(std::span<const FlatRange> a, std::span<const FlatRange> b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (std::max(i->begin, j->begin) < std::min(i->end(), j->end())) return true;
    (i->end() < j->end() ? i : j)++;
  }
  return false;
}

}  // namespace

ShardFile write_shard(const std::string& folder, Count step, Rank rank, Rank ranks,
                      std::span<const FlatRange> ranges, const ShardVectors<const float>& from) {
  const std::size_t weights = from.weights.size();
  const auto moments = static_cast<Count>(weights == 0 ? 0 : from.moments.size() / weights);
  const std::string text = description(step, static_cast<Count>(weights), moments, ranges).dump();
  std::vector<SectionView> sections{{SectionKind::json, "shard", text}};
  for (Piece& piece : pieces_of(ranges, moments)) {
    const std::span<const float> data = part(from, piece.vector, piece.range);
    sections.push_back({SectionKind::floats,
                        std::move(piece.name),
                        {reinterpret_cast<const char*>(data.data()), data.size_bytes()}});
  }
  const SectionFile file(sections);
  const std::string name = shard_name(step, rank, ranks);
  collectives::write_atomically((fs::path(folder) / name).string(), file.pieces());
  return {name, file.size(), file.seal(), {ranges.begin(), ranges.end()}};
}

void read_shard(const ByteSource& source, const std::string& name, const ShardIndex& index,
                std::size_t number, std::span<const FlatRange> wanted,
                const ShardVectors<float>& into) {
  const ShardFile& file = index.files[number];
  const auto foreign = [&](const std::string& why) {
    fail(Blame::usage, "the shard " + name + ' ' + why +
                           ": use the files of one checkpoint together, or an earlier one");
  };
  SectionReader reader(source, name);
  const SectionHead first = reader.more() ? reader.next() : SectionHead{};
  if (first.name != "shard") foreign("is no shard: its first section is '" + first.name + "'");
  const auto said = parse_json(reader.read(first));
  const Json expected = description(index.step, index.elements, index.moments, file.ranges);
  if (!said || !said->is_object() || !said->contains("step")) foreign("does not say what it has");
  if ((*said)["step"] != expected["step"])
    foreign("belongs to step " + (*said)["step"].dump() + ", not " + std::to_string(index.step));
  if (*said != expected) foreign("has other elements than the index says");
  for (const Piece& piece : pieces_of(file.ranges, index.moments)) {
    const SectionHead head = reader.more() ? reader.next() : SectionHead{};
    if (head.name != piece.name || head.kind != static_cast<std::uint32_t>(SectionKind::floats) ||
        head.size != static_cast<std::uint64_t>(piece.range.elements) * sizeof(float))
      reader.damaged("section '" + head.name + "' is where " + piece.name + " belongs");
    read_piece(reader, head, piece, wanted, into);
  }
  if (reader.more()) reader.damaged("it has more sections than a shard");
  reader.finish();
  if (reader.seal() != file.seal || source.size != file.bytes)
    foreign("is not the one with which the index was written");
}

void read_shards(const std::string& folder, const ShardIndex& index,
                 std::span<const FlatRange> wanted, const ShardVectors<float>& into) {
  const auto weights = static_cast<Count>(into.weights.size());
  const auto moments = static_cast<Count>(into.moments.size());
  if (weights != index.elements || moments != index.moments * index.elements)
    fail(Blame::usage,
         "the checkpoint " + (fs::path(folder) / checkpoint_name(index.step)).string() + " has " +
             std::to_string(index.elements) + " weights and " +
             std::to_string(index.moments * index.elements) + " moments, but this run has " +
             std::to_string(weights) + " and " + std::to_string(moments) +
             ": resume with the program and the options that wrote it");
  for (std::size_t i = 0; i < index.files.size(); ++i) {
    if (!overlap(index.files[i].ranges, wanted)) continue;
    const std::string path = (fs::path(folder) / index.files[i].name).string();
    const ByteSource source = open_source(
        path,
        "use a folder that all ranks share, with all files of a checkpoint, or an earlier one");
    read_shard(source, path, index, i, wanted, into);
  }
}

}  // namespace arlab::training
