// The NCCL tuner plugin: its table, and the library as NCCL loads it.
#include <dlfcn.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/plugins/nccl/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::collectives::nccl_abi;

namespace {

constexpr const char* kTable =
    "# collective,min,max,algorithm,protocol,channels,nodes,ranks\n"
    "allreduce,0,65536,tree,ll,2,1,8\n"
    "allreduce,65537,-1,ring,simple,-1,-1,-1  # any job\n"
    "\n"
    "broadcast, 0, 1024, ring, ll128, 4, -1, -1, 1, 0\r\n";

constexpr int kAlgorithmCount = 7, kProtocolCount = 3;

// The costs of a collective as NCCL hands them over.
struct Costs {
  float values[kAlgorithmCount][kProtocolCount];
  Costs() {
    for (auto& row : values)
      for (float& cost : row) cost = 10;
  }
  float** pointer() { return reinterpret_cast<float**>(values); }
  int changed() const {
    int count = 0;
    for (const auto& row : values)
      for (const float cost : row) count += cost != 10 ? 1 : 0;
    return count;
  }
};

// What the plugin logged.
std::string logged;
void note(LogLevel, unsigned long, const char*, int, const char*, ...) { logged += "said;"; }

// Stays loaded: its C++ library keeps memory until the process ends.
struct Library {
  Library() : handle(dlopen(ARLAB_NCCL_TUNER, RTLD_NOW | RTLD_LOCAL)) {
    INFO((handle ? "" : dlerror()));
    REQUIRE(handle);
    v4 = static_cast<const TunerV4*>(dlsym(handle, "ncclTunerPlugin_v4"));
    v5 = static_cast<const TunerV5*>(dlsym(handle, "ncclTunerPlugin_v5"));
    REQUIRE(v4);
    REQUIRE(v5);
  }
  void* handle;
  const TunerV4* v4 = nullptr;
  const TunerV5* v5 = nullptr;
};

}  // namespace

TEST_CASE("a tuning table is read as NCCL's example writes it") {
  const auto rules = read_tuning_table(kTable, "t.csv");
  REQUIRE(rules.size() == 3);
  CHECK(rules[0].function == Function::all_reduce);
  CHECK((rules[0].algorithm == 0 && rules[0].protocol == 0 && rules[0].channels == 2));
  CHECK((rules[1].algorithm == 1 && rules[1].protocol == 2 && rules[1].max_bytes == -1));
  CHECK((rules[2].function == Function::broadcast && rules[2].pipe_ops == 1 &&
         rules[2].registered == 0));
  CHECK(find_rule(rules, {.bytes = 65536, .nodes = 1, .ranks = 8}) == &rules[0]);
  CHECK(find_rule(rules, {.bytes = 65537, .nodes = 1, .ranks = 8}) == &rules[1]);
  CHECK(find_rule(rules, {.bytes = std::int64_t{1} << 40, .nodes = 9, .ranks = 72}) == &rules[1]);
  CHECK(find_rule(rules, {.bytes = 8, .nodes = 1, .ranks = 4}) == nullptr);
  CHECK(find_rule(rules, {.function = Function::reduce, .bytes = 1 << 20}) == nullptr);
  CHECK(find_rule(rules, {.function = Function::broadcast, .pipe_ops = 2}) == nullptr);
}

TEST_CASE("a faulty tuning table names line and value") {
  const auto read = [](const char* line) { return read_tuning_table(line, "t.csv"); };
  CHECK_THROWS_WITH(read("\nall_reduce,0,1,ring,ll,1,1,1"),
                    contains("t.csv line 2") && contains("did you mean 'allreduce'?"));
  CHECK_THROWS_WITH(read("allreduce,0,1,rign,ll,1,1,1"), contains("did you mean 'ring'?"));
  CHECK_THROWS_WITH(read("allreduce,0,1,ring,LL,1,1,1"), contains("protocol"));
  CHECK_THROWS_WITH(read("allreduce,0,1,ring,ll,1,1"), contains("7 fields"));
  CHECK_THROWS_WITH(read("allreduce,0,1,ring,ll,1,1,1,1,1,1"), contains("11 fields"));
  CHECK_THROWS_WITH(read("allreduce,9,1,ring,ll,1,1,1"), contains("max_bytes 1 is below"));
  CHECK_THROWS_WITH(read("allreduce,0,1K,ring,ll,1,1,1"), contains("max_bytes is '1K'"));
  CHECK_THROWS_WITH(read("allreduce,0,1,ring,ll,-2,1,1"), contains("channels is '-2'"));
  CHECK_THROWS_WITH(read("allreduce,,1,ring,ll,1,1,1"), contains("min_bytes is ''"));
}

TEST_CASE("NCCL's calls choose the table's pair, and nothing that NCCL forbids") {
  const Folder folder;
  const std::string path = folder.with("table.csv", kTable);
  setenv("ARLAB_NCCL_TABLE", path.c_str(), 1);
  const Library library;
  void* context = nullptr;
  REQUIRE(library.v5->init(&context, 1, 8, 1, note, nullptr, nullptr) == Result::success);
  const auto ask = [&](Function function, std::size_t bytes, Costs& costs, int& channels) {
    return library.v5->get_coll_info(context, function, bytes, 1, costs.pointer(), kAlgorithmCount,
                                     kProtocolCount, 0, &channels);
  };
  {
    Costs costs;
    int channels = 0;
    CHECK(ask(Function::all_reduce, 1024, costs, channels) == Result::success);
    CHECK((costs.values[0][0] == 0 && costs.changed() == 1 && channels == 2));
  }
  {
    Costs costs;
    int channels = 0;  // -1 in the table: NCCL's own
    CHECK(ask(Function::all_reduce, 1 << 20, costs, channels) == Result::success);
    CHECK((costs.values[1][2] == 0 && costs.changed() == 1 && channels == 0));
  }
  {
    Costs costs;
    costs.values[0][0] = -1;
    int channels = 0;
    ask(Function::all_reduce, 1024, costs, channels);
    CHECK((costs.values[0][0] == -1 && costs.changed() == 1 && channels == 0));
  }
  {
    Costs costs;
    int channels = 0;
    ask(Function::reduce_scatter, 1024, costs, channels);
    CHECK((costs.changed() == 0 && channels == 0));
  }
  CHECK(library.v5->finalize(context) == Result::success);
  unsetenv("ARLAB_NCCL_TABLE");
}

TEST_CASE("the plugin reads the table of arlab tune, with NCCL's cheapest protocol") {
  const TuningTable tuned{
      "a test",
      {{1, 7, {{0, TuningTable::kNoEnd, {"native"}}}},
       {8, 15, {{0, 65535, {"double_tree"}}, {65536, TuningTable::kNoEnd, {"ring"}}}},
       {16, TuningTable::kNoEnd, {{0, TuningTable::kNoEnd, {"butterfly"}}}}}};
  const Folder folder;
  const std::string path = folder.with("tuned.json", to_text(tuned));
  setenv("ARLAB_NCCL_TABLE", path.c_str(), 1);
  const Library library;
  const auto chosen = [&](std::size_t ranks, std::size_t bytes, auto change) {
    void* context = nullptr;
    REQUIRE(library.v5->init(&context, 1, ranks, 1, note, nullptr, nullptr) == Result::success);
    Costs costs;
    costs.values[0][1] = costs.values[1][1] = 5;  // the cheapest of each algorithm
    change(costs);
    const Costs before = costs;
    int channels = 0;
    CHECK(library.v5->get_coll_info(context, Function::all_reduce, bytes, 1, costs.pointer(),
                                    kAlgorithmCount, kProtocolCount, 0,
                                    &channels) == Result::success);
    CHECK(channels == 0);
    CHECK(library.v5->finalize(context) == Result::success);
    std::vector<std::pair<int, int>> changed;
    for (int a = 0; a < kAlgorithmCount; ++a)
      for (int p = 0; p < kProtocolCount; ++p)
        if (costs.values[a][p] != before.values[a][p]) {
          CHECK(costs.values[a][p] == 0);
          changed.emplace_back(a, p);
        }
    return changed;
  };
  using Pairs = std::vector<std::pair<int, int>>;
  const auto as_it_is = [](Costs&) {};
  CHECK(chosen(8, 65535, as_it_is) == Pairs{{0, 1}});
  CHECK(chosen(15, 65536, as_it_is) == Pairs{{1, 1}});
  CHECK(chosen(8, 8, [](Costs& c) { c.values[0][1] = -1; }) == Pairs{{0, 0}});
  CHECK(chosen(8, 8, [](Costs& c) { c.values[0][0] = -1; }) == Pairs{{0, 1}});  // forbidden first
  CHECK(chosen(8, 8, [](Costs& c) { c.values[0][0] = c.values[0][1] = -1; }) == Pairs{{0, 2}});
  CHECK(chosen(8, 8, [](Costs& c) { c.values[0][2] = 4; }) == Pairs{{0, 2}});
  CHECK(chosen(8, 8, [](Costs& c) {
          for (float& x : c.values[0]) x = -1;
        }).empty());
  CHECK(chosen(7, 8, as_it_is).empty());   // NCCL's own
  CHECK(chosen(16, 8, as_it_is).empty());  // not an algorithm of NCCL
  unsetenv("ARLAB_NCCL_TABLE");
}

TEST_CASE("without a table, or with a faulty one, NCCL chooses and it is said") {
  const Library library;
  const Folder folder;
  const std::string path = folder.with("table.csv", "allreduce,0,1,rign,ll,1,1,1\n");
  const std::string damaged = folder.with("damaged.json", "{");
  const TuningTable of_others{"a test",
                              {{1, TuningTable::kNoEnd, {{0, TuningTable::kNoEnd, {"pat"}}}}}};
  const std::string nothing = folder.with("others.json", to_text(of_others));
  for (const std::string& file : {std::string(), path, folder.file("none"), damaged, nothing}) {
    file.empty() ? unsetenv("ARLAB_NCCL_TABLE") : setenv("ARLAB_NCCL_TABLE", file.c_str(), 1);
    logged.clear();
    void* context = nullptr;
    REQUIRE(library.v4->init(8, 1, note, &context) == Result::success);
    CHECK(logged == "said;");
    Costs costs;
    int channels = 0;
    CHECK(library.v4->get_coll_info(context, Function::all_reduce, 8, 1, costs.pointer(),
                                    kAlgorithmCount, kProtocolCount, 0,
                                    &channels) == Result::success);
    CHECK(costs.changed() == 0);
    CHECK(library.v4->destroy(context) == Result::success);
  }
  unsetenv("ARLAB_NCCL_TABLE");
}
