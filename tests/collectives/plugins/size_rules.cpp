// Which algorithm an allreduce of a program takes, by its size.
#include "collectives/plugins/size_rules.hpp"

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

std::string name_at(const char* text, Bytes bytes) {
  const Algorithm* const algorithm = chosen(parse_size_rules(text, "RULES"), bytes);
  return algorithm ? std::string(algorithm->name) : "mpi";
}

std::string name_at(const RankRules& rules, Rank ranks, Bytes bytes) {
  const Algorithm* const algorithm = chosen(rules_for(rules, ranks), bytes);
  return algorithm ? std::string(algorithm->name) : "mpi";
}

const TuningTable kTuned{
    "a test",
    {{1,
      3,
      {{0, 1023, {"butterfly"}},
       {1024, 4095, {"ring", 4}},
       {4096, TuningTable::kNoEnd, {"circulant"}}}},
     {4,
      TuningTable::kNoEnd,
      {{0, 4095, {"native:ring"}}, {4096, TuningTable::kNoEnd, {"recursive_multiplying:k=4"}}}}}};

}  // namespace

TEST_CASE("size rules choose an algorithm by the bytes of the vector") {
  CHECK(name_at("ring", 0) == "ring");
  CHECK(name_at("ring", 1'000'000'000'000) == "ring");
  CHECK(name_at("butterfly@16K,ring", 16 * 1024) == "butterfly");
  CHECK(name_at("butterfly@16K,ring", 16 * 1024 + 1) == "ring");
  CHECK(name_at(" mpi@64K , circulant@1M, ring ", 64 * 1024) == "mpi");
  CHECK(name_at("mpi@64K,circulant@1M,ring", 1 << 20) == "circulant");
  CHECK(name_at("mpi", 5) == "mpi");
}

TEST_CASE("beyond the last size the library's own runs") {
  CHECK(name_at("ring@1M", 1 << 20) == "ring");
  CHECK(name_at("ring@1M", (1 << 20) + 1) == "mpi");
}

TEST_CASE("settings of an algorithm keep their commas") {
  CHECK(name_at("hierarchical:within=ring,across=tree@1K,recursive_multiplying:k=8", 1024) ==
        "hierarchical:within=ring,across=tree");
  CHECK(name_at("hierarchical:within=ring,across=tree@1K,recursive_multiplying:k=8", 1025) ==
        "recursive_multiplying:k=8");
}

TEST_CASE("wrong size rules say what is wrong") {
  const auto parse = [](const char* text) { return parse_size_rules(text, "RULES"); };
  CHECK_THROWS_WITH(parse(""), contains("RULES has an empty rule"));
  CHECK_THROWS_WITH(parse("ring,"), contains("empty rule"));
  CHECK_THROWS_WITH(parse("ring@1K,,tree"), contains("empty rule"));
  CHECK_THROWS_WITH(parse("rnig"), contains("did you mean 'ring'?"));
  CHECK_THROWS_WITH(parse("ring@"), contains("RULES"));
  CHECK_THROWS_WITH(parse("ring@-1"), contains("-1"));
  CHECK_THROWS_WITH(parse("ring@16K,tree@16K"), contains("'tree@16K' never applies"));
  CHECK_THROWS_WITH(parse("ring,tree"), contains("'tree' never applies"));
}

TEST_CASE(
    "a tuned table chooses by ranks and bytes, and leaves to the library what only it can run") {
  const RankRules rules = rules_of(kTuned);
  CHECK(name_at(rules, 1, 0) == "butterfly");
  CHECK(name_at(rules, 3, 1023) == "butterfly");
  CHECK(name_at(rules, 3, 1024) == "mpi");  // four segments
  CHECK(name_at(rules, 3, 4096) == "circulant");
  CHECK(name_at(rules, 4, 4095) == "mpi");
  CHECK(name_at(rules, 4, 4096) == "recursive_multiplying:k=4");
  CHECK(name_at(rules, 1 << 20, Bytes{1} << 40) == "recursive_multiplying:k=4");
}

TEST_CASE("ARLAB_ALGORITHM holds rules, or names a tuned table") {
  const Folder folder;
  const std::string path = folder.with("tuned.json", to_text(kTuned));
  CHECK(name_at(read_rank_rules(path, "RULES"), 4, 8192) == "recursive_multiplying:k=4");
  const RankRules same = read_rank_rules("butterfly@16K,ring", "RULES");
  for (const Rank ranks : {1, 2, 1 << 20}) CHECK(name_at(same, ranks, 16385) == "ring");
}

TEST_CASE("a tuned table that cannot be used is refused with its path") {
  const Folder folder;
  CHECK_THROWS_WITH(read_rank_rules("", "RULES"), contains("RULES has an empty rule"));
  CHECK_THROWS_WITH(read_rank_rules(folder.file("none.json"), "RULES"),
                    contains("RULES: cannot read") && contains("none.json"));
  CHECK_THROWS_WITH(read_rank_rules(folder.with("empty.json", ""), "RULES"),
                    contains("empty.json"));
  CHECK_THROWS_WITH(read_rank_rules(folder.with("bad.json", "{}"), "RULES"),
                    contains("bad.json") && contains("write it with `arlab tune --table`"));
}

TEST_CASE("shared memory is a rule only where it is known") {
  const SizeRules rules = parse_size_rules("mpi@4K,shared@64K,auto", "RULES", true);
  CHECK(rule_for(rules, 4096).is_library());
  CHECK(rule_for(rules, 4097).shared == SharedUse::always);
  CHECK(rule_for(rules, 64 << 10).algorithm == nullptr);
  CHECK(rule_for(rules, 1 << 20).shared == SharedUse::where_faster);
  CHECK_THROWS_WITH(parse_size_rules("shared", "RULES"), contains("shared"));
}
