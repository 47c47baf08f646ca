// Fuzzes the readers of checkpoints and of their shards: any bytes are either what they claim to
// be, or a usage Error. The first byte, modulo 4, says what the rest is:
//   0, 1  a checkpoint, which is unchanged after writing and reading
//   2     the index of shards as JSON, which is also unchanged, and has each element once
//   3     a shard of 4 weights, of which 3 are read: the others never change
// With 0 and 3, lengths and checksums are corrected first, because a fuzzer would not find valid
// ones.
#include "training/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "training/checkpoint/shards.hpp"
#include "training/io/crc32c.hpp"
#include "training/io/files.hpp"

namespace {

template <class T>
void put(std::string& bytes, std::size_t at, T number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

// Prepends a header and sets the checksum of every section within its length.
std::string sealed(std::string sections) {
  std::uint32_t count = 0;
  std::size_t at = 0;
  while (sections.size() - at >= 20 && count < 100) {
    const std::size_t room = sections.size() - at - 20;
    std::uint32_t name;
    std::memcpy(&name, sections.data() + at + 4, sizeof name);
    name = room == 0 ? 0 : name % static_cast<std::uint32_t>(room);
    std::uint64_t payload;
    std::memcpy(&payload, sections.data() + at + 8, sizeof payload);
    payload %= room - name + 1;
    put(sections, at, static_cast<std::uint32_t>(sections[at] & 3));
    put(sections, at + 4, name);
    put(sections, at + 8, payload);
    const std::size_t end = at + 16 + name + payload;
    put(sections, end, arlab::training::crc32c(std::string_view(sections).substr(at, end - at)));
    at = end + 4;
    ++count;
  }
  std::string header = "ARLABCKP";
  header.resize(28);
  put(header, 8, std::uint32_t{1});
  put(header, 12, count);
  put(header, 16, static_cast<std::uint64_t>(28 + at));
  put(header, 24, arlab::training::crc32c(header.substr(0, 24)));
  return header + sections.substr(0, at);
}

void check_whole(const std::string& bytes) {
  using namespace arlab::training;
  const std::string once = encode_checkpoint(parse_checkpoint(bytes, "fuzzed"));
  // Compares bytes, because a NaN is not equal to itself.
  arlab::fuzz::demand(encode_checkpoint(parse_checkpoint(once, "again")) == once,
                      "changes when read again");
}

void check_index(std::string_view text) {
  using namespace arlab::training;
  const auto json = parse_json(text);
  if (!json) return;
  const ShardIndex index = parse_shard_index(*json, "fuzzed");
  arlab::fuzz::demand(parse_shard_index(to_json(index), "again") == index,
                      "changes when read again");
  arlab::Count elements = 0;
  for (const ShardFile& file : index.files)
    for (const FlatRange& range : file.ranges) elements += range.elements;
  arlab::fuzz::demand(elements == index.elements, "an element is missing, or twice there");
}

void check_shard(const std::string& bytes) {
  using namespace arlab::training;
  const ByteSource source = in_memory(bytes);
  const std::string name = "fuzzed";
  SectionReader all(source, name);
  while (all.more()) all.next();
  const ShardIndex index{5, 6, 0, {{name, bytes.size(), all.seal(), {{1, 2}, {4, 2}}}}};
  float weights[6];
  std::fill_n(weights, 6, 7.F);
  const FlatRange wanted[] = {{0, 2}, {4, 2}};
  const auto unchanged = [&](std::size_t i) { return weights[i] == 7.F; };
  const auto untouched = [&] { return unchanged(0) && unchanged(2) && unchanged(3); };
  try {
    read_shard(source, name, index, 0, wanted, {weights, {}});
  } catch (const arlab::Error&) {
    arlab::fuzz::demand(untouched(), "reads more than is wanted, and fails");
    throw;
  }
  arlab::fuzz::demand(untouched(), "reads more than is wanted");
}

}  // namespace

void arlab::fuzz::checkpoint(std::string_view input) {
  if (input.empty()) return;
  const int kind = input[0] & 3;
  std::string bytes(input.substr(1));
  if (kind == 0 || kind == 3) bytes = sealed(std::move(bytes));
  accepted([&] {
    if (kind == 2)
      check_index(bytes);
    else
      kind == 3 ? check_shard(bytes) : check_whole(bytes);
  });
}
