#include "algorithms/base/names.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

struct Fruit {
  std::string_view name;
  int price;
};
const std::vector<Fruit> kFruits{{"apple", 1}, {"apricot", 2}, {"cherry", 3}};

enum class Color { red, green };
constexpr Color kColors[] = {Color::red, Color::green};
std::string_view name(Color color) { return color == Color::red ? "red" : "green"; }

std::string unknown(std::string_view wanted, std::string_view also = {}) {
  return error_text(Blame::usage, [&] { find_named(kFruits, wanted, "fruit", also); });
}

}  // namespace

TEST_CASE("nearest finds a name within a third of the letters") {
  const std::vector<std::string_view> names{"ring", "round_robin", "tree"};
  CHECK(nearest("rign", names) == "ring");
  CHECK(nearest("ring", names) == "ring");
  CHECK(nearest("round-robin", names) == "round_robin");
  CHECK(nearest("RING", names) == "ring");
  CHECK(nearest("t", names).empty());
  CHECK(nearest("king", names) == "ring");
  CHECK(nearest("kong", names).empty());
  CHECK(nearest("quantum", names).empty());
  CHECK(nearest("", names).empty());
  CHECK(nearest("ring", {}).empty());
  const std::vector<std::string_view> options{"--batch", "--json", "--steps"};
  CHECK(nearest("--nosuch", options).empty());
  CHECK(nearest("--jsno", options) == "--json");
  CHECK(nearest("--step", options) == "--steps");
  CHECK(nearest("--x", options).empty());
  CHECK(did_you_mean("tre", names) == ", did you mean 'tree'?");
  CHECK(did_you_mean("quantum", names).empty());
}

TEST_CASE("of equally near names the first one is suggested") {
  CHECK(nearest("ab", std::vector<std::string_view>{"abc", "abd"}) == "abc");
}

TEST_CASE("find_named returns the entry itself") {
  for (const Fruit& fruit : kFruits) CHECK(&find_named(kFruits, fruit.name, "fruit") == &fruit);
  CHECK(find_named(kColors, "green", "color") == Color::green);
}

TEST_CASE("a setting after a comma is one after a colon") {
  CHECK(unknown("apple,size=2,color=red").find("did you mean 'apple:size=2,color=red'?") !=
        std::string::npos);
  CHECK(unknown("apple,cherry").find("did you mean") == std::string::npos);
}

TEST_CASE("find_named rejects unknown names with the nearest and all names") {
  CHECK(unknown("aple") ==
        "unknown fruit 'aple', did you mean 'apple'? (one of apple, apricot, cherry)");
  CHECK(unknown("banana") == "unknown fruit 'banana': use one of apple, apricot, cherry");
  CHECK(unknown("Apple", " or a file") ==
        "unknown fruit 'Apple', did you mean 'apple'? (one of apple, apricot, cherry or a file)");
  CHECK(error_text(Blame::usage, [] { find_named(kColors, "gren", "color"); }) ==
        "unknown color 'gren', did you mean 'green'? (one of red, green)");
}
