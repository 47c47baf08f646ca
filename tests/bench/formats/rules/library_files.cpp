// Decision files of MPICH and NCCL against hand-written ones.
#include "bench/formats/rules/library_files.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

constexpr Count kOpen = TuningTable::kNoEnd;

constexpr const char* kShipped = R"({
  "collective=bcast": {"comm_type=intra": {"algorithm=MPIR_Bcast_intra_binomial": {}}},
  "collective=allreduce": {
    "comm_type=intra": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
    "comm_type=inter": {"algorithm=MPIR_Allreduce_inter_reduce_exchange_bcast": {}}}})";

}  // namespace

TEST_CASE("MPICH's file keeps the other collectives, and what is left to the library") {
  const TuningTable table{
      "a test",
      {{1, 3, {{0, kOpen, {"native"}}}},
       {4, kOpen, {{0, 4095, {"native:recursive_doubling"}}, {4096, kOpen, {"native:ring"}}}}}};
  const auto json = nlohmann::json::parse(mpich_selection(table, kShipped, "shipped.json"));
  const auto shipped = nlohmann::json::parse(kShipped);
  CHECK(json["collective=bcast"] == shipped["collective=bcast"]);
  CHECK(json["collective=allreduce"]["comm_type=inter"] ==
        shipped["collective=allreduce"]["comm_type=inter"]);
  const auto rest = shipped["collective=allreduce"]["comm_type=intra"];
  const auto& intra = json["collective=allreduce"]["comm_type=intra"];
  CHECK(intra["comm_size<=3"]["avg_msg_size=any"] == rest);
  CHECK(intra["comm_size=any"]["avg_msg_size<=4095"] ==
        nlohmann::json{
            {"algorithm=MPIR_Allreduce_intra_recursive_doubling", nlohmann::json::object()}});
  const auto& ring = intra["comm_size=any"]["avg_msg_size=any"];
  CHECK(ring["is_commutative=no"] == rest);
  CHECK(ring["is_commutative=yes"]["count<pow2"] == rest);
  CHECK(ring["is_commutative=yes"]["count=any"] ==
        nlohmann::json{{"algorithm=MPIR_Allreduce_intra_ring", nlohmann::json::object()}});
}

TEST_CASE("MPICH's numbers end at 2 GiB, where its last condition is any") {
  const Count gib = Count{1} << 30;
  const TuningTable table{
      "", {{1, kOpen, {{0, 8 * gib - 1, {"native:ring"}}, {8 * gib, kOpen, {"native"}}}}}};
  const auto json = nlohmann::json::parse(mpich_selection(table, kShipped, "shipped.json"));
  const auto& sizes = json["collective=allreduce"]["comm_type=intra"]["comm_size=any"];
  CHECK(sizes.size() == 1);
  CHECK(sizes["avg_msg_size=any"]["is_commutative=yes"]["count=any"] ==
        nlohmann::json{{"algorithm=MPIR_Allreduce_intra_ring", nlohmann::json::object()}});
}

TEST_CASE("MPICH's file needs its base, and algorithms of MPICH") {
  const TuningTable table{"", {{1, kOpen, {{0, kOpen, {"native:rabenseifner"}}}}}};
  CHECK(refusal([&] {
          mpich_selection(table, kShipped, "b");
        }).starts_with("unknown algorithm of MPICH 'rabenseifner'"));
  for (const char* base : {"", "{}", "[]", "{\"collective=allreduce\": {}}"})
    CHECK(refusal([&] {
            mpich_selection(table, base, "b.json");
          }).starts_with("b.json has no \"collective=allreduce\""));
}

TEST_CASE("NCCL's lines have channels, and are of what was tuned only") {
  const TuningTable table{"a test",
                          {{1, 2, {{0, kOpen, {"ring"}}}},
                           {3,
                            kOpen,
                            {{0, 65535, {"nccl_tree:channels=8"}},
                             {65536, 131071, {"double_tree", 16}},
                             {131072, kOpen, {"ring:channels=8"}}}}}};
  CHECK(
      nccl_tuner_csv(table, {{2, -1}, {16, 2, 1024, 1 << 20}, {32, 4, 65536, 131071}}, 8,
                     "simple") ==
      "# a test\n# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n"
      "allreduce,0,9223372036854775807,ring,simple,8,-1,2\n"
      "allreduce,1024,131071,tree,simple,8,2,16\n"
      "allreduce,131072,1048576,ring,simple,8,2,16\n"
      "allreduce,65536,131071,tree,simple,8,4,32\n");
}

TEST_CASE("NCCL takes neither other algorithms nor other protocols") {
  const TuningTable ring{"", {{1, kOpen, {{0, kOpen, {"ring"}}}}}};
  const TuningTable butterfly{"", {{1, kOpen, {{0, kOpen, {"butterfly"}}}}}};
  CHECK(refusal([&] {
          nccl_tuner_csv(butterfly, {{2}}, 8, "simple");
        }).starts_with("NCCL has no algorithm like butterfly"));
  CHECK(refusal([&] { nccl_tuner_csv(ring, {{2}}, 0, "simple"); }).find("give 1 to 64") !=
        std::string::npos);
  CHECK(refusal([&] {
          nccl_tuner_csv(ring, {{2}}, 8, "Simple");
        }).find("give simple, ll or ll128") != std::string::npos);
}

TEST_CASE("the drop-in library's rules are those of the table, equal ones joined") {
  const auto rules = [](std::vector<TuningTable::Sizes> sizes) {
    return drop_in_rules({4, 4, std::move(sizes)});
  };
  CHECK(rules({{0, kOpen, {"ring"}}}) == "ring");
  CHECK(rules({{0, 1023, {"native"}},
               {1024, 4095, {"native:ring"}},
               {4096, 65535, {"recursive_multiplying:k=8"}},
               {65536, kOpen, {"ring"}}}) == "mpi@4095,recursive_multiplying:k=8@65535,ring");
  CHECK(rules({{0, 9, {"ring", 4}}, {10, kOpen, {"ring"}}}) == "mpi@9,ring");
}
