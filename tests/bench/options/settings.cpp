#include "bench/options/settings.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// What "do" reads of --input.
struct Input {
  bool shuffle = true;
  std::string ahead;

  explicit Input(std::vector<std::string> words) {
    CLI::App app;
    add_settings(app, "--input", "How batches are made",
                 {{"shuffle", [this](const auto& text,
                                     const auto& what) { shuffle = parse_switch(text, what); }},
                  {"prefetch", [this](const auto& text, const auto&) { ahead = text; }}});
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  }
};

std::string why_refused(const std::vector<std::string>& words) {
  return failure([&] { Input{words}; });
}

}  // namespace

TEST_CASE("settings are read in any order, from one list or several") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--input", "shuffle=off,prefetch=4"},
        {"--input=prefetch=4,shuffle=off"},
        {"--input", "prefetch=4", "--input", "shuffle=off"}}) {
    const Input input(words);
    CHECK_FALSE(input.shuffle);
    CHECK(input.ahead == "4");
  }
  CHECK(Input({}).shuffle);
}

TEST_CASE(
    "a setting that is unknown, without value, set twice or wrong is an error that names it") {
  CHECK(why_refused({"--input", "shufle=off"})
            .find("setting of --input 'shufle', did you mean "
                  "'shuffle'?") != std::string::npos);
  CHECK(why_refused({"--input", "shuffle"}).find("'shuffle' has no value") != std::string::npos);
  CHECK(why_refused({"--input", "prefetch=4", "--input", "prefetch=4"}).find("set twice") !=
        std::string::npos);
  CHECK(why_refused({"--input", "shuffle=yes"}) == "2: --input shuffle is 'yes': give on or off");
}
