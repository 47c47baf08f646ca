// The file of `arlab tune --nccl`: what NCCL has of the candidates, where they were tuned.
#include <vector>

#include "bench/tune/write_files.hpp"
#include "collectives/plugins/nccl/names.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

TuneCell cell(Rank ranks, Rank nodes, Bytes bytes, std::vector<TuneCandidate> candidates) {
  return {ranks, bytes / 4, bytes, std::move(candidates), nodes};
}

}  // namespace

TEST_CASE("NCCL's names of algorithms with and without channels") {
  using collectives::nccl_name;
  CHECK(nccl_name("ring") == "ring");
  CHECK(nccl_name("ring:channels=8") == "ring");
  CHECK(nccl_name("nccl_tree:channels=2") == "tree");
  CHECK(nccl_name("double_tree") == "tree");
  CHECK(nccl_name("tree").empty());
  CHECK(nccl_name("ring:pieces=2").empty());
  CHECK(nccl_name("hierarchical").empty());
}

TEST_CASE("tune --nccl writes the fastest that NCCL has, for the ranks and sizes that were tuned") {
  const Folder folder;
  TuneFiles files;
  files.nccl = folder.file("t.csv");
  files.nccl_channels = 8;
  const std::vector<TuneCell> cells{
      cell(8, 1, 1024, {{{"ring", 1}, 2}, {{"nccl_tree", 1}, 3}}),
      cell(8, 1, 4096, {{{"ring", 1}, 2}, {{"nccl_tree", 1}, 3}}),
      cell(16, 2, 1024, {{{"ring", 1}, 9}, {{"nccl_tree", 1}, 3}, {{"hierarchical", 1}, 1}}),
      cell(16, 2, 4096, {{{"ring:channels=8", 1}, 3}, {{"nccl_tree", 4}, 4}})};
  CHECK(unknown_to_nccl(cells) == std::vector<std::string>{"hierarchical"});
  write_library_files(files, cells, {}, "a test");
  CHECK(
      text_of(files.nccl) ==
      "# a test\n# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n"
      "allreduce,1024,4096,ring,simple,8,1,8\n"
      "allreduce,1024,2047,tree,simple,8,2,16\n"
      "allreduce,2048,4096,ring,simple,8,2,16\n");
  CHECK_THAT(refusal([&] {
               write_library_files(files, {cell(8, 1, 1024, {{{"forest", 1}, 2}})}, {}, "");
             }),
             Catch::Contains("not forest: name ring"));
}
