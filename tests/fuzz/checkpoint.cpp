// Fuzzes the reader of checkpoints: any bytes are either a checkpoint that is unchanged after
// writing and reading, or a usage Error. If the first byte is even, lengths and checksums are
// corrected first, because a fuzzer would not find valid ones.
#include "training/checkpoint/checkpoint.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "tests/fuzz/fuzz.hpp"
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

}  // namespace

void arlab::fuzz::checkpoint(std::string_view input) {
  using namespace arlab::training;
  if (input.empty()) return;
  std::string bytes(input.substr(1));
  if (input[0] % 2 == 0) bytes = sealed(std::move(bytes));
  accepted([&] {
    const std::string once = encode_checkpoint(parse_checkpoint(bytes, "fuzzed"));
    // Compares bytes, because a NaN is not equal to itself.
    demand(encode_checkpoint(parse_checkpoint(once, "again")) == once, "changes when read again");
  });
}
