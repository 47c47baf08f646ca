#include "bench/options/words/words.hpp"

#include <CLI/CLI.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// A program with one command that has every kind of option.
std::vector<std::string> checked(std::vector<std::string> words) {
  CLI::App app;
  CLI::App* command = app.add_subcommand("do");
  std::vector<std::string> list, several, places;
  std::string one;
  bool flag = false;
  command->add_option("-l,--list", list)->delimiter(',')->allow_extra_args(false)->take_all();
  command->add_option("-o,--one", one);
  command->add_option("--several", several);
  command->add_flag("--flag", flag);
  command->add_option("places", places)->delimiter(',');
  words.insert(words.begin(), "arlab");
  return checked_words(app, std::move(words));
}

std::string refused_words(const std::vector<std::string>& words) {
  return failure([&] { checked(words); });
}

}  // namespace

TEST_CASE("words that are right stay as they are") {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"do"},
                                                {"do", "--list", "1,2", "-o", "-"},
                                                {"do", "-o", "-5"},
                                                {"do", "--one=x", "a", "b,c"},
                                                {"do", "--flag", "a"},
                                                {"do", "--", "-x"},
                                                {"other", "-q"},
                                                {"do", "--several", "a", "b", "--flag"},
                                                {"--help"}}) {
    std::vector<std::string> all = words;
    all.insert(all.begin(), "arlab");
    CHECK(checked(words) == all);
  }
  CHECK(checked({"do", "-o=x"}).back() == "-ox");
}

TEST_CASE("an empty value is an error that names the option, however it is written") {
  for (const std::string value : {"", " ", "\t\n"}) {
    CHECK(refused_words({"do", "--one", value}).find("2: --one has an empty value '") == 0);
    CHECK(refused_words({"do", "-o", value}).find("2: -o has an empty value '") == 0);
    CHECK(refused_words({"do", "--one=" + value}).find("2: --one has an empty value '") == 0);
    CHECK(refused_words({"do", "--list", value}).find("2: --list has an empty value '") == 0);
    CHECK(refused_words({"do", "--several", "a", value}).find(" empty") != std::string::npos);
    CHECK(refused_words({"do", value}).find("2: argument '") == 0);
    CHECK(refused_words({value}).find("2: argument '") == 0);
    CHECK(refused_words({"do", "--nosuch=" + value}).find("2: --nosuch has an empty value") == 0);
  }
  CHECK(refused_words({"do", "-o="}).find("2: -o has an empty value ''") == 0);
  CHECK(refused_words({"do", "--several", "[]"}).find("2: --several has an empty value '[]'") == 0);
}

TEST_CASE("an empty entry of a list is an error") {
  for (const std::string value : {",", "a,", ",a", "a,,b", "a, ,b"}) {
    CHECK(refused_words({"do", "--list", value}) ==
          "2: --list '" + value +
              "' has an empty entry: separate entries by one "
              "','");
    CHECK(refused_words({"do", "-l" + value}).find("2: -l '" + value + "' has an empty entry") ==
          0);
    CHECK(refused_words({"do", value}).find("2: argument '" + value + "' has an empty entry") == 0);
    CHECK(refused_words({"do", "--one", value}).empty());  // not a list
  }
}

TEST_CASE("an option in the place of a value is a forgotten value") {
  CHECK(refused_words({"do", "--one", "--flag"}) ==
        "2: --one needs a value, but --flag follows: add a value after --one");
  CHECK(refused_words({"do", "-o", "-l"}).find("-o needs a value") != std::string::npos);
  CHECK(refused_words({"do", "--one", "-"}).empty());
  CHECK(refused_words({"do", "--one", "-5us"}).empty());
}

TEST_CASE("an output that would replace an input is refused, however both are written") {
  const Folder folder;
  const std::string file = folder.with("net.dot", "graph {}"), other = folder.file("new");
  CLI::App app;
  CLI::App* command = app.add_subcommand("do");
  std::string output, table, machine;
  std::vector<std::string> places;
  command->add_option("-o,--output", output)->type_name("FILE");
  command->add_option("--profile", table)->type_name("FILE");
  command->add_option("--machine", machine)->type_name("MACHINE");
  command->add_option("places", places);
  const auto refused_files = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"arlab", "do"});
    return failure([&] { checked_words(app, words); });
  };
  const std::string refusal =
      "2: -o " + file + " is also an input, which it would replace: name another file to write";
  CHECK(refused_files({file, "-o", file}) == refusal);
  CHECK(refused_files({"-o" + file, "--profile=" + file}) == refusal);
  CHECK(refused_files({"-o=" + file, "--machine", file}) == refusal);
  CHECK(refused_files({"profile:" + folder.file("./net.dot"), "-o", file}) == refusal);
  CHECK(refused_files({"file:" + file, "-o", file}) == refusal);
  CHECK(refused_files({file, "-o", other}) == "");
  CHECK(refused_files({other, "-o", other}) == "");  // it does not exist
  CHECK(refused_files({"ring", "-o", "ring"}) == "");
  CHECK(refused_files({file, file}) == "");
}
