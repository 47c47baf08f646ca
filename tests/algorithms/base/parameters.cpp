#include "algorithms/base/parameters.hpp"

#include <limits>
#include <random>
#include <string>

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using Unit = Parameter::Unit;

namespace {

const std::vector<Parameter> kParameters{
    {"alpha", Unit::time, "5us", "start of a message"},
    {"beta", Unit::time_per_byte, "80ps", "time per byte"},
    {"slice", Unit::bytes, "4 MiB", "largest message"},
    {"ratio", Unit::number, "0.01", "part sent", 1e-9, 1},
    {"k", Unit::count, "0", "elements sent", 0, 127},
    {"speed", Unit::bandwidth, "100Gbps", "of a link"},
    {"over", Unit::ratio, "1.5", "oversubscription"},
    {"relay", Unit::flag, "no", "whether to relay"},
};

template <class F>
std::string refused(F action) {
  return error_text(Blame::usage, action);
}

std::string refused_spec(const std::string& spec) {
  return refused([&] { parse_values(kParameters, parse_spec(spec).settings, "toy"); });
}

}  // namespace

TEST_CASE("defaults are read in their units") {
  const Values all = with_defaults(kParameters, {}, "toy");
  CHECK(all == Values{{"alpha", 5e6},
                      {"beta", 80},
                      {"slice", 4 << 20},
                      {"ratio", 0.01},
                      {"k", 0},
                      {"speed", 12.5e9},
                      {"over", 1.5},
                      {"relay", 0}});
}

TEST_CASE("every shown value is parsed back") {
  std::mt19937_64 random(4);
  for (const Parameter& p : kParameters) {
    INFO(p.name);
    CHECK(parse_value(p, show_value(p, default_of(p)), p.name) == default_of(p));
    if (p.unit == Unit::flag) continue;
    for (int i = 0; i < 100; ++i) {
      const auto value = static_cast<double>(1 + (random() >> (12 + i % 50)));
      REQUIRE(parse_value(p, show_value(p, value), p.name) == Approx(value).epsilon(1e-15));
    }
  }
}

TEST_CASE("a spec is a name and settings") {
  CHECK(parse_spec("ring").name == "ring");
  CHECK(parse_spec("ring").settings.empty());
  CHECK_THROWS_AS(parse_spec("ring:"), Error);
  const std::string text = " toy : k = 8 ,ratio=0.5";
  const NamedSettings spec = parse_spec(text);
  CHECK(spec.name == "toy");
  REQUIRE(spec.settings.size() == 2);
  CHECK(spec.settings[0].name == "k");
  CHECK(spec.settings[0].value == "8");
  CHECK(spec.settings[1].name == "ratio");
  CHECK(parse_spec("").name.empty());
  CHECK(parse_spec("a:b=c=d").settings[0].value == "c=d");
  CHECK(parse_spec("a:b=c:d").settings[0].value == "c:d");
}

TEST_CASE("a spec printed from settings is parsed back") {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    std::string text = "toy";
    Values chosen;
    for (const Parameter& p : kParameters) {
      if (random() % 2) continue;
      const double value =
          static_cast<double>(p.unit == Unit::flag ? random() % 2 : 1 + random() % 100000);
      text += (chosen.empty() ? ":" : ",") + std::string(p.name) + "=" + show_value(p, value);
      chosen.emplace(p.name, value);
    }
    INFO(text);
    REQUIRE(parse_values(kParameters, parse_spec(text).settings, "toy") == chosen);
  }
}

TEST_CASE("bad specs are rejected with the setting and the remedy") {
  CHECK(refused_spec("toy:k") == "toy: setting 'k' has no value: write name=value");
  CHECK(refused_spec("toy:k=1,") == "toy: setting '' has no value: write name=value");
  CHECK(refused_spec("toy:k=1,k=2") == "toy: 'k' is set twice: set it once");
  CHECK(refused_spec("toy:ration=1") ==
        "toy has no parameter 'ration', did you mean 'ratio'? (it has alpha, beta, slice, ratio, "
        "k, speed, over, relay)");
  CHECK(refused_spec("toy:=1").starts_with("toy has no parameter ''"));
  CHECK(refused_spec("toy:k=") ==
        "parameter k of toy '' is not a count: write for example 1000, 64K or 4M (K = 1024)");
  CHECK(refused_spec("toy:ratio=x") ==
        "parameter ratio of toy 'x' is not a number: write for example 4 or 1.5");
  CHECK(refused_spec("toy:alpha=5") ==
        "parameter alpha of toy '5' is not a time: write for example 5us, 0.08ns, 80ps or 0");
  CHECK(refused([] { find_parameter({}, "k", "none"); }) ==
        "none has no parameter 'k' (it has none)");
}

TEST_CASE("values out of range are rejected") {
  const auto text = [](const char* name, double value) {
    return refused([&] { with_defaults(kParameters, {{name, value}}, "toy"); });
  };
  CHECK(text("ratio", 2) == "parameter ratio of toy is 2: give a number from 1e-09 to 1");
  CHECK(text("k", 2.5) == "parameter k of toy is 2.5: give a whole number from 0 to 127");
  CHECK(text("alpha", -0.5) == "parameter alpha of toy is -0.5: give a number of 0 or more");
  CHECK(text("alpha", std::numeric_limits<double>::infinity()) ==
        "parameter alpha of toy is inf: give a number of 0 or more");
  CHECK(text("alpha", std::numeric_limits<double>::quiet_NaN())
            .starts_with("parameter alpha of toy is"));
  CHECK(text("other", -1) == "no error");
  CHECK(refused([] {
          expect_known(kParameters, {{"kk", 1}}, "toy");
        }).starts_with("toy has no parameter 'kk', did you mean 'k'?"));
}
