// Profiles: those of training/profiles have the published numbers of parameters, and wrong files
// are refused with a reason.
#include "training/profiles/model_profile.hpp"

#include <map>

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_file.hpp"
#include "training/io/files.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

std::string profile_text(const std::string& layers, const std::string& parameters = "12",
                         const std::string& more = "") {
  return R"({"profile": 1, "name": "small", "device": "none", "batch": 2, "samples": "images",
    "parameters": )" +
         parameters + R"(, "gradient_bytes": 4, "optimizer_ps_per_parameter": 1000, )" + more +
         R"("sources": {"parameters": "a", "forward_us": "b", "backward_us": "c",
    "optimizer_ps_per_parameter": "d"}, "layers": )" +
         layers + "}";
}

const std::string kGood = R"([{"name": "one", "tensors": {"weight": 8, "bias": 2}, "forward_us": 3,
  "backward_us": 6.5}, {"name": "pool", "tensors": {}, "forward_us": 1, "backward_us": 1},
  {"name": "two", "tensors": {"weight": 2}, "forward_us": 1, "backward_us": 0}])";

std::string layers_of_nothing(int number) {
  std::string text = "[0";
  for (int k = 1; k < number; ++k) text += ",0";
  return text + "]";
}

std::string refusal_of(const std::string& text) {
  try {
    parse_profile(text, "file.json");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::usage);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the profiles have the published numbers of parameters and name every source") {
  const std::map<std::string, Count> published{
      {"resnet50", 25'557'032},     {"resnet101", 44'549'160},  {"vgg16", 138'357'544},
      {"inception_v3", 27'161'264}, {"bert-base", 109'482'240}, {"bert-large", 335'141'888},
      {"gpt2-xl", 1'557'611'200},   {"llm-7b", 6'738'415'616}};
  CHECK(built_in_profiles().size() == published.size());
  for (const auto& [name, parameters] : published) {
    INFO(name);
    const ModelProfile profile = load_profile(name);
    CHECK(profile.name == name);
    CHECK(profile.parameters() == parameters);
    CHECK(profile.sources.size() == 4);
    CHECK(!profile.device.empty());
    Count words = 0;
    for (const Layer& layer : profile.tensors()) words += layer.elements;
    CHECK(words * kGradientBytes >= profile.bytes());
    CHECK(words * kGradientBytes <
          profile.bytes() + 4 * static_cast<Count>(profile.tensors().size()));
    CHECK(load_profile(source_file("training/profiles/" + name + ".json")).step() ==
          profile.step());
  }
}

TEST_CASE("a profile of a measured step takes that step with its optimizer") {
  const ModelProfile resnet = load_profile("resnet50"), bert = load_profile("bert-base");
  CHECK(picoseconds(resnet.step()) == Approx(64 / 253.1 * 1e12).epsilon(1e-4));
  CHECK(picoseconds(bert.step()) == Approx(64 / 212.8 * 1e12).epsilon(1e-4));
}

TEST_CASE("a profile becomes tensors with the times of their layers") {
  const ModelProfile profile = parse_profile(profile_text(kGood), "file.json");
  CHECK(profile.parameters() == 12);
  CHECK(profile.bytes() == 48);
  const Profile tensors = profile.tensors();
  REQUIRE(tensors.size() == 4);
  CHECK(tensors[0].name == "one.weight");
  CHECK(tensors[0].forward == 3 * kMicrosecond + 8 * kNanosecond);
  CHECK(tensors[0].backward == Time{});
  CHECK(tensors[1].forward == 2 * kNanosecond);
  CHECK(tensors[1].backward == Time{6'500'000});
  CHECK(tensors[2].elements == 0);
  CHECK(tensors[3].elements == 2);
  CHECK(profile.step() == Time{12'500'000} + 12 * kNanosecond);
  const ModelProfile again = parse_profile(to_json_text(profile), "again");
  CHECK(again.step() == profile.step());
  CHECK(again.sources == profile.sources);
}

TEST_CASE("two-byte gradients take half as many words, rounded up") {
  ModelProfile profile = parse_profile(profile_text(kGood), "file.json");
  profile.gradient_bytes = 2;
  profile.layers[0].tensors[0].elements = 7;
  CHECK(profile.tensors()[0].elements == 4);
  CHECK(profile.bytes() == 22);
}

TEST_CASE("wrong profiles are refused with the key and the reason") {
  const auto layer = [](const std::string& forward, const std::string& elements = "12") {
    return R"([{"name": "one", "tensors": {"weight": )" + elements + R"(}, "forward_us": )" +
           forward + R"(, "backward_us": 1}])";
  };
  const struct {
    std::string text, reason;
  } wrong[] = {
      {"", "not JSON"},
      {"[1, 2]", "not an object"},
      {"{}", "has no 'profile'"},
      {profile_text("[]"), "no layers"},
      {profile_text("{}"), "no layers"},
      {profile_text("[3]"), "layer 1 is not an object"},
      {profile_text(layer("-1")), "layer 'one': forward_us is -1"},
      {profile_text(layer("NaN")), "not JSON"},
      {profile_text(layer("1e999")), "not JSON"},
      {profile_text(layer("1e300")), "forward_us is 1e+300"},
      {profile_text(layer("1.001e9")), "forward_us is 1001000000"},
      {profile_text(layers_of_nothing(100'001)), "it has 100001 layers"},
      {profile_text(layers_of_nothing(100'000)), "layer 1 is not an object"},
      {profile_text(layer("\"3\"")), "forward_us is \"3\""},
      {profile_text(layer("null")), "forward_us is null"},
      {profile_text(layer("1", "-12")), "tensor 'weight' is -12"},
      {profile_text(layer("1", "0")), "tensor 'weight' is 0"},
      {profile_text(layer("1", "1.5")), "tensor 'weight' is 1.5"},
      {profile_text(layer("1", "99999999999999999999")), "tensor 'weight' is"},
      {profile_text(layer("1", "11")), "not the sum of the tensors"},
      {profile_text(layer("1", "13")), "not the sum of the tensors"},
      {profile_text(layer("1"), "0"), "parameters is 0"},
      {profile_text(layer("1"), "12", R"("color": 3, )"), "unknown key 'color'"},
      {profile_text(R"([{"name": "one", "tensors": {"w": 12}, "forward_us": 1}])"),
       "layer 1 has no 'backward_us'"},
      {profile_text(R"([{"name": "", "tensors": {"w": 12}, "forward_us": 1, "backward_us": 1}])"),
       "name is \"\""},
      {profile_text(R"([{"name": "a", "tensors": [12], "forward_us": 1, "backward_us": 1}])"),
       "tensors is not an object"},
  };
  for (const auto& one : wrong) {
    INFO(one.text.substr(0, 300));
    const std::string reason = refusal_of(one.text);
    INFO(reason);
    CHECK(reason.find("profile file.json: ") == 0);
    CHECK(reason.find(one.reason) != std::string::npos);
  }
  std::string still =
      profile_text(R"([{"name": "a", "tensors": {"w": 12}, "forward_us": 0, "backward_us": 0}])");
  still.replace(still.find("1000"), 4, "0");
  CHECK(refusal_of(still).find("all its times are 0") != std::string::npos);
}

TEST_CASE("an unknown profile names the nearest one, and a missing file the remedy") {
  CHECK_THROWS_WITH(load_profile("resnet51"), Catch::Contains("did you mean 'resnet50'"));
  CHECK_THROWS_WITH(load_profile("./nowhere.json"), Catch::Contains("name a profile"));
}
