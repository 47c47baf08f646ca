// Which algorithm an allreduce of a program takes, by its size.
#include "collectives/plugins/size_rules.hpp"

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

std::string name_at(const char* text, Bytes bytes) {
  const Algorithm* const algorithm = chosen(parse_size_rules(text, "RULES"), bytes);
  return algorithm ? std::string(algorithm->name) : "mpi";
}

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
