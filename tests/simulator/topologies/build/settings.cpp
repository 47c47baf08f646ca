// Valid and invalid topology specs.
#include "simulator/topologies/build/settings.hpp"

#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::string refusal(const std::string& spec, Rank hosts = 0) {
  return error_text(Blame::usage, [&] { make_topology(spec, hosts); });
}

}  // namespace

TEST_CASE("latencies") {
  for (const auto& [text, value] : {std::pair("1us", kMicrosecond),
                                    {"350 ns", 350 * kNanosecond},
                                    {"0", 0_ps},
                                    {"80ps", 80_ps},
                                    {"1.5ms", 1500 * kMicrosecond},
                                    {"1s", kSecond}})
    CHECK(parse_latency(text, "x") == value);
  for (const char* text : {"", "5", "us", "nan", "1 hour"})
    CHECK(error_text(Blame::usage, [&] { parse_latency(text, "x"); }) ==
          "x '" + std::string(text) + "' is not a time: write for example 5us, 0.08ns, 80ps or 0");
  CHECK(error_text(Blame::usage, [] { parse_latency("-1us", "x"); }).find("is negative") !=
        std::string::npos);
  CHECK(error_text(Blame::usage, [] { parse_latency("2s", "x"); }).find("longer than a second") !=
        std::string::npos);
}

TEST_CASE("values reach the links") {
  const Topology t = make_topology("crossbar: hosts=3, bandwidth=10GB/s ,latency=2us");
  CHECK(t.spec() == "crossbar:hosts=3,bandwidth=10GB/s,latency=2us");
  for (const Link& link : t.links()) {
    CHECK(link.bandwidth == 10e9);
    CHECK(link.latency == 2 * kMicrosecond);
  }
}

TEST_CASE("errors name the value and the nearest name") {
  CHECK(refusal("fat_tre").starts_with(
      "unknown topology 'fat_tre', did you mean 'fat_tree'? (one of crossbar, "));
  CHECK(
      refusal("crossbar:host=3") ==
      "crossbar has no parameter 'host', did you mean 'hosts'? (it has hosts, bandwidth, latency, "
      "aggregate)");
  CHECK(refusal("crossbar:hosts") == "crossbar: setting 'hosts' has no value: write name=value");
  CHECK(refusal("crossbar:hosts=3,hosts=4") == "crossbar: 'hosts' is set twice: set it once");
  CHECK(refusal("torus:dims=4x0").find("torus: dims '4x0' is not a size") == 0);
  CHECK(refusal("torus:dims=4x").find("torus: dims '4x' is not a size") == 0);
  CHECK(refusal("crossbar:hosts=2x2") == "crossbar: hosts '2x2' is a list: give one number");
  CHECK(refusal("crossbar:hosts=99999999999").find("is not a size") != std::string::npos);
  CHECK(refusal("rail_pod:relay=maybe") == "rail_pod: relay 'maybe' is neither yes nor no");
  CHECK(refusal("crossbar:bandwidth=1e200GB/s").find("link 'h0-s0' has a bandwidth of") == 0);
}

TEST_CASE("rejects impossible sizes, and huge sizes before building") {
  CHECK(refusal("fat_tree:k=5").find("make k a multiple of 2") != std::string::npos);
  CHECK(refusal("fat_tree:k=4,oversubscription=4").find("make k a multiple of 8") !=
        std::string::npos);
  CHECK(refusal("fat_tree:k=4,oversubscription=1.5").find("cannot be divided") !=
        std::string::npos);
  CHECK(refusal("fat_tree:levels=5").find("neither 2 nor 3") != std::string::npos);
  CHECK(refusal("fat_tree:down=4x4,up=1").find("one number per level") != std::string::npos);
  CHECK(refusal("fat_tree:k=4,down=4x4").find("not both") != std::string::npos);
  CHECK(refusal("fat_tree:down=4000000x4000000").find("make it smaller") != std::string::npos);
  CHECK(refusal("dragonfly:a=2,h=1,groups=9").find("is the most that can be joined") !=
        std::string::npos);
  CHECK(refusal("full_mesh:hosts=100000") ==
        "full_mesh:hosts=100000 would have 1e+10 links, more than 4194304: make it smaller");
  CHECK(refusal("torus:dims=4000000x4000000").find("make it smaller") != std::string::npos);
  CHECK(refusal("dragonfly:a=4000000,p=4000000,h=4000000").find("too large") != std::string::npos);
  CHECK(
      refusal("crossbar:hosts=8", 9) ==
      "crossbar:hosts=8 has 8 hosts, but there are 9 ranks: give larger sizes, or leave them out");
}

TEST_CASE("missing sizes default to the smallest that fit") {
  const auto spec = [](const char* text, Rank hosts) { return make_topology(text, hosts).spec(); };
  CHECK(spec("fat_tree", 54) == "fat_tree:k=6");
  CHECK(spec("fat_tree", 55) == "fat_tree:k=8");
  CHECK(spec("fat_tree:oversubscription=4", 54) == "fat_tree:k=8,oversubscription=4");
  CHECK(spec("fat_tree:levels=2", 256) == "fat_tree:k=24,levels=2");
  CHECK(spec("torus", 256) == "torus:dims=8x8x4");
  CHECK(spec("torus", 1024) == "torus:dims=16x8x8");
  CHECK(spec("torus", 27) == "torus:dims=3x3x3");
  CHECK(spec("torus", 251) == "torus:dims=7x6x6");
  CHECK(spec("hypercube", 33) == "hypercube:d=6");
  CHECK(spec("leaf_spine:hosts=8", 33) == "leaf_spine:leaves=5,hosts=8");
  CHECK(spec("rail_pod:gpus=4", 33) == "rail_pod:nodes=9,gpus=4");
  CHECK(spec("dragonfly", 72) == "dragonfly:a=4,p=2,h=2,groups=9");
  CHECK(spec("dragonfly", 73) == "dragonfly:a=6,p=3,h=3,groups=5");
  CHECK(spec("dgx_h100", 65) == "dgx_h100:systems=9");
}
