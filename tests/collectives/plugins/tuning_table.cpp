#include "collectives/plugins/tuning_table.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

constexpr const char* kTableText =
    R"({"schema": 1, "kind": "tuning_table", "collective": "allreduce",
  "made_by": "a test",
  "rows": [
    {"ranks": [1,3], "sizes": [
      {"bytes":[0,1023],"algorithm":"butterfly","segments":1},
      {"bytes":[1024,null],"algorithm":"ring","segments":4}]},
    {"ranks": [4,null], "sizes": [
      {"bytes":[0,null],"algorithm":"native:segmented_ring:segment=64K","segments":1}]}]}
)";

// The table with a part of its text replaced.
std::string table_with(std::string part, const std::string& other) {
  std::string text = kTableText;
  text.replace(text.find(part), part.size(), other);
  return text;
}

std::string refused_table(const std::string& text) {
  return refusal([&] { parse_tuning_table(text, "t.json"); });
}

}  // namespace

TEST_CASE("a tuning table is read, asked, and written as it was") {
  const TuningTable table = parse_tuning_table(kTableText, "t.json");
  CHECK(table.choice(1, 0) == TunedChoice{"butterfly", 1});
  CHECK(table.choice(3, 1023) == TunedChoice{"butterfly", 1});
  CHECK(table.choice(2, 1024) == TunedChoice{"ring", 4});
  CHECK(table.choice(4, 0).algorithm == "native:segmented_ring:segment=64K");
  CHECK(table.choice(1 << 30, TuningTable::kNoEnd).algorithm.starts_with("native:"));
  CHECK(to_text(table) == kTableText);
}

TEST_CASE("a tuning table with a gap, an overlap, or no end is refused") {
  CHECK(refused_table(table_with("[1,3]", "[2,3]")) ==
        "tuning table t.json: row 1: \"ranks\" begins at 2, but 1 comes next: ranges must neither "
        "leave a gap nor overlap");
  CHECK(refused_table(table_with("[4,null]", "[5,null]")).find("begins at 5, but 4 comes next") !=
        std::string::npos);
  CHECK(refused_table(table_with("[1024,null]", "[1025,null]")) ==
        "tuning table t.json: row 1, size 2: \"bytes\" begins at 1025, but 1024 comes next: ranges "
        "must neither leave a gap nor overlap");
  CHECK(refused_table(table_with("[1024,null]", "[1000,null]")).find("1024 comes next") !=
        std::string::npos);
  CHECK(refused_table(table_with("[1024,null]", "[1024,4096]")) ==
        "tuning table t.json: row 1: \"bytes\" ends at 4096: end the last range with null");
  CHECK(refused_table(table_with("[4,null]", "[4,8]")).find("end the last range with null") !=
        std::string::npos);
  CHECK(refused_table(table_with("[0,1023]", "[0,-1]")).find("before it begins") !=
        std::string::npos);
}

TEST_CASE("a tuning table with an unknown algorithm or a damaged one is refused") {
  CHECK(refused_table(table_with("butterfly", "butterfyl")).find("did you mean 'butterfly'?") !=
        std::string::npos);
  CHECK(refused_table(table_with("\"segments\":4", "\"segments\":0")).find("from 1 to 65536") !=
        std::string::npos);
  CHECK(refused_table(table_with("tuning_table", "table")).find("not a tuning table") !=
        std::string::npos);
  CHECK(refused_table("{").find("is not JSON") != std::string::npos);
  CHECK(refused_table("[]").find("has no key \"kind\"") != std::string::npos);
  CHECK(refused_table(table_with("\"rows\"", "\"lines\"")).find("has no key \"rows\"") !=
        std::string::npos);
  CHECK(refused_table(table_with("[0,1023]", "[0,1e3]")).find("is not [first, last]") !=
        std::string::npos);
}
