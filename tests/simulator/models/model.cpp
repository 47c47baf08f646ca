#include "simulator/models/model.hpp"

#include <limits>
#include <set>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("every model has the fields that tables need and valid defaults") {
  std::set<std::string_view> names;
  for (const Model& model : models()) {
    INFO(model.name);
    names.insert(model.name);
    CHECK(&find_model(model.name) == &model);
    CHECK_FALSE(model.summary.empty());
    CHECK_FALSE(model.source.empty());
    CHECK_FALSE(model.parameters.empty());
    std::set<std::string_view> parameters;
    for (const Parameter& p : model.parameters) {
      parameters.insert(p.name);
      CHECK_FALSE(p.help.empty());
    }
    CHECK(parameters.size() == model.parameters.size());
    CHECK(complete(model, {}).size() == model.parameters.size());
    CHECK(make_network(model, {}, 3) != nullptr);
  }
  CHECK(names.size() == models().size());
  CHECK(names.count("alpha_beta") == 1);
  CHECK(names.count("loggops") == 1);
}

TEST_CASE("find_model suggests the nearest name") {
  const auto text = [](std::string_view name) {
    return error_text(Blame::usage, [&] { find_model(name); });
  };
  CHECK(text("loggop").starts_with(
      "unknown model 'loggop', did you mean 'loggops'? (one of alpha_beta, "));
  CHECK(text("alpha-beta").find("'alpha_beta'") != std::string::npos);
  CHECK(text("quantum").starts_with("unknown model 'quantum': use one of alpha_beta, "));
}

TEST_CASE("given parameters replace their defaults") {
  const Model& model = find_model("alpha_beta");
  const Values values = complete(model, {{"beta", 1.5}, {"L", 7}});
  CHECK(values.at("alpha") == 5e6);
  CHECK(values.at("beta") == 1.5);
  CHECK(values.at("gamma") == 0);
  CHECK(values.count("L") == 0);  // another model's
}

TEST_CASE("make_network rejects parameters that are negative or not finite") {
  const auto text = [](const char* parameter, double value) {
    return error_text(Blame::usage, [&] {
      make_network(find_model("loggops"), {{parameter, value}}, 2);
    });
  };
  CHECK(text("G", -0.5) == "parameter G of model loggops is -0.5: give a number of 0 or more");
  CHECK(text("L", std::numeric_limits<double>::infinity()) ==
        "parameter L of model loggops is inf: give a number of 0 or more");
  CHECK(
      text("o", std::numeric_limits<double>::quiet_NaN()).find("parameter o of model loggops is") ==
      0);
  CHECK(text("gamma", 0) == "no error");
}
