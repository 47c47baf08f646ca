#include "training/checkpoint/checkpoint.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"
#include "training/io/crc32c.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

Checkpoint some() {
  Checkpoint c;
  c.add("weights/0", Floats{1.5f, -0.0f, std::numeric_limits<float>::infinity(), 1e-42f});
  c.add("sampler", Integers{7, -1, std::numeric_limits<std::int64_t>::min()});
  c.add("random", std::string("\0\xff any", 6));
  c.add("plan", Json{{"buckets", {1, 2}}, {"loss", 0.1}});
  c.add("empty", Floats{});
  return c;
}

std::string said(const std::string& bytes) {
  return failure([&] { parse_checkpoint(bytes, "C"); });
}

void put(std::string& bytes, std::size_t at, std::uint32_t number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

}  // namespace

TEST_CASE("reading a checkpoint returns what was written") {
  const Folder folder;
  const std::string path = folder.file("run/c");
  write_checkpoint(path, some());
  const Checkpoint c = read_checkpoint(path);
  CHECK(c.sections == some().sections);
  CHECK(text_of(path) == encode_checkpoint(some()));
  CHECK(std::signbit(c.floats("weights/0")[1]));
  CHECK(c.integers("sampler")[1] == -1);
  CHECK(c.bytes("random").size() == 6);
  CHECK(c.json("plan")["loss"] == 0.1);
  CHECK(c.floats("empty").empty());
  CHECK(encode_checkpoint(Checkpoint{}).size() == 28);
  CHECK(parse_checkpoint(encode_checkpoint(Checkpoint{}), "C").sections.empty());
}

TEST_CASE("a NaN keeps its bits") {
  Checkpoint c;
  const std::uint32_t bits = 0x7fc01234;
  float nan;
  std::memcpy(&nan, &bits, sizeof nan);
  c.add("x", Floats{nan});
  const Checkpoint back = parse_checkpoint(encode_checkpoint(c), "C");
  std::uint32_t now;
  std::memcpy(&now, back.floats("x").data(), sizeof now);
  CHECK(now == bits);
}

TEST_CASE("missing sections and those of another type are named") {
  Checkpoint c = some();
  c.source = "C";
  CHECK(failure([&] { c.floats("weights/1"); }) ==
        "2: C has no section 'weights/1', only weights/0, sampler, random, plan, empty: use a "
        "checkpoint of the same model and strategy, with more than weights");
  CHECK(failure([&] { c.floats("sampler"); }) ==
        "2: C has integers in section 'sampler', not floats: use a checkpoint of the same model "
        "and strategy");
  CHECK(failure([&] { c.json("random"); }).find("has bytes in section 'random', not JSON") !=
        std::string::npos);
  CHECK(failure([&] { Checkpoint{}.bytes("x"); }).find("only none at all") != std::string::npos);
  CHECK(failure([&] { c.add("plan", Floats{}); }).find("internal error") != std::string::npos);
}

TEST_CASE("a count is the one number of its section, of 0 or more") {
  Checkpoint c;
  c.source = "C";
  c.add("none", Integers{});
  c.add("zero", Integers{0});
  c.add("some", Integers{7});
  c.add("two", Integers{7, 8});
  c.add("less", Integers{-1});
  CHECK(c.count("zero") == 0);
  CHECK(c.count("some") == 7);
  CHECK(failure([&] { c.count("none"); }) ==
        "2: C has 0 numbers in section 'none', not one of 0 or more: use another checkpoint");
  CHECK(failure([&] { c.count("two"); }).find("C has 2 numbers in section 'two'") !=
        std::string::npos);
  CHECK(failure([&] { c.count("less"); }).find("C has the number -1 in section 'less'") !=
        std::string::npos);
  CHECK(failure([&] { c.count("more"); }).find("C has no section 'more'") != std::string::npos);
}

TEST_CASE("rejects a checkpoint truncated anywhere") {
  const std::string whole = encode_checkpoint(some());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string text = said(whole.substr(0, length));
    INFO(length << ": " << text);
    REQUIRE(text.starts_with("2: the checkpoint C is truncated: it has " + std::to_string(length)));
  }
  CHECK(said(whole + "x").find("is too long") != std::string::npos);
}

TEST_CASE("rejects a checkpoint with any bit flipped") {
  const std::string whole = encode_checkpoint(some());
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    REQUIRE(said(damaged).starts_with("2: "));
  }
  std::string damaged = whole;
  damaged[whole.size() - 1] ^= 1;
  CHECK(said(damaged) ==
        "2: the checkpoint C is damaged: the checksum of section 'empty' is wrong: use an earlier "
        "one");
}

TEST_CASE("rejects other files and versions as such") {
  CHECK(said("PK\x03\x04 a PyTorch file, for example, which is a zip archive") ==
        "2: C is not a checkpoint of arlab: it does not start with ARLABCKP");
  CHECK(said("AR").find("is truncated") != std::string::npos);
  CHECK(said("BR").find("is not a checkpoint") != std::string::npos);
  std::string newer = encode_checkpoint(some());
  put(newer, 8, 2);
  put(newer, 24, crc32c(newer.substr(0, 24)));
  CHECK(said(newer) ==
        "2: the checkpoint C has version 2, but this program reads version 1: use the arlab that "
        "wrote it");
}

TEST_CASE("rejects wrong lengths even if the checksums are right") {
  Checkpoint one;
  one.add("x", std::string(8, '\0'));
  const std::string whole = encode_checkpoint(one);
  const auto resealed = [&](std::size_t at, std::uint32_t number) {
    std::string bytes = whole;
    put(bytes, at, number);
    put(bytes, 24, crc32c(bytes.substr(0, 24)));
    put(bytes, bytes.size() - 4, crc32c(bytes.substr(28, bytes.size() - 32)));
    return said(bytes);
  };
  CHECK(resealed(12, 1).empty());  // unchanged
  CHECK(resealed(12, 2).find("a section runs beyond its end") != std::string::npos);
  CHECK(resealed(12, 0).find("data follow its last section") != std::string::npos);
  CHECK(resealed(28 + 4, 0xffffffff).find("a section runs beyond its end") != std::string::npos);
  CHECK(resealed(28 + 12, 0xffffffff).find("a section runs beyond its end") != std::string::npos);
  CHECK(resealed(28, 4).find("section 'x' has an unknown kind") != std::string::npos);
  CHECK(resealed(28, 3).find("section 'x' is not JSON") != std::string::npos);
  CHECK(resealed(28, 0).empty());  // zeros are valid floats
  Checkpoint odd;
  odd.add("x", std::string(5, '\0'));
  std::string bytes = encode_checkpoint(odd);
  put(bytes, 28, 0);
  put(bytes, bytes.size() - 4, crc32c(bytes.substr(28, bytes.size() - 32)));
  CHECK(said(bytes).find("section 'x' ends in the middle of a number") != std::string::npos);
}

TEST_CASE("rejects deeply nested JSON without recursion") {
  Checkpoint c;
  c.add("x", std::string(100'000, '['));
  std::string bytes = encode_checkpoint(c);
  put(bytes, 28, 3);
  put(bytes, bytes.size() - 4, crc32c(bytes.substr(28, bytes.size() - 32)));
  CHECK(said(bytes).find("section 'x' is not JSON") != std::string::npos);
  CHECK(parse_json(std::string(60, '[') + std::string(60, ']')));
  CHECK_FALSE(parse_json(std::string(66, '[') + std::string(66, ']')));
}
