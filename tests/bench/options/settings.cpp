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

TEST_CASE("a value may stand before its settings, and a setting may be a list") {
  const auto said = [](const std::string& text) {
    std::string all;
    for (const auto& [name, value] : settings_of(text, {"trees"}))
      all += (all.empty() ? "" : " ") + name + "=" + value;
    return all;
  };
  CHECK(said("0.1") == "=0.1");
  CHECK(said("0.1:scaling=linear,at=3,7,decay=steps") == "=0.1 scaling=linear at=3,7 decay=steps");
  CHECK(said("late=3:100us,4:50us") == "late=3:100us,4:50us");
  CHECK(said("idx:FOLDER") == "=idx:FOLDER");
  CHECK(said("run:1/:keep=2") == "=run:1/ keep=2");
  CHECK(said("groups=8,trees=torus:dims=2x2,latency=1us") ==
        "groups=8 trees=torus:dims=2x2,latency=1us");
  CHECK(said("every=") == "every=");
}
