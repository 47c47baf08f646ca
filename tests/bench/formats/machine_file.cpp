#include "bench/formats/machine_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

const std::string kGood = R"([machine]
latency_us = 20
gap_us = 1.5
port_ns_per_byte = 80
burst_bytes = 2500
envelope_bytes = 130
acks_per_byte = 0.02
eager_bytes = 65472
socket_bytes = 530000
backlog_bytes = 105000
segment_bytes = 52500
drift_us = 3
drift_long_us = 90
ordered = true
posting = "sends of exchanges"
packet_bytes = 1500
host_us = [[4, 0.0], [1024, 2.5]]
reduction_us = [[1024, 0.2]]
)";

// The good file with one line replaced.
std::string with(const std::string& key, const std::string& line) {
  std::string text = kGood;
  const std::size_t begin = text.find(key + " =");
  return text.replace(begin, text.find('\n', begin) - begin, line);
}

std::string error_of(const std::string& text) {
  return error_text(Blame::usage, [&] { parse_machine(text, "m.toml"); });
}

}  // namespace

TEST_CASE("a machine file gives every number of the model") {
  const MachineFile file = parse_machine(kGood, "m.toml");
  const simulator::Machine& m = file.machine;
  CHECK(m.latency == 20e6);
  CHECK(m.gap == 1.5e6);
  CHECK(m.beta == 80e3);
  CHECK(m.eager == 65472);
  CHECK(m.envelope == 130);
  CHECK(m.acks == 0.02);
  CHECK(m.drift_long == 90e6);
  CHECK(m.ordered);
  CHECK(m.posting == simulator::Posting::sends_of_exchanges);
  CHECK(m.host.at(1024) == 2.5e6);
  CHECK(m.reduction.at(1024) == 0.2e6);
  CHECK(file.topology.empty());
  CHECK(m.burst == 2500);
  CHECK(m.burst_left == 0);  // not in older files
  CHECK_FALSE(m.shared);     // nor these
  CHECK(m.host_together.points.empty());
  CHECK(m.reduction_sent.points.empty());
  CHECK(parse_machine(with("gap_us", "gap_us = 1\nburst_left_bytes = 700"), "m.toml")
            .machine.burst_left == 700);
  const MachineFile stated =
      parse_machine(kGood + "[network]\ntopology = \"ring\"\nplacement = \"\"\n", "m.toml");
  CHECK(stated.topology == "ring");
}

TEST_CASE("an error of a machine file names the file, the line, and the key") {
  const std::string remedy = ": correct it, or calibrate the machine again";
  CHECK(error_of("") ==
        "m.toml: machine.latency_us is missing: calibrate the machine again, or add it");
  CHECK(error_of("machine = 3") == "m.toml, line 1: machine is not a table" + remedy);
  CHECK(error_of(with("gap_us", "")) ==
        "m.toml: machine.gap_us is missing: calibrate the machine again, or add it");
  CHECK(error_of(with("gap_us", "gap_us = \"1us\"")) ==
        "m.toml, line 3: machine.gap_us is not a number" + remedy);
  CHECK(error_of(with("gap_us", "gap_us = true")) ==
        "m.toml, line 3: machine.gap_us is not a number" + remedy);
  CHECK(error_of(with("latency_us", "latency_us = -1")).find("machine.latency_us is or has -1") !=
        std::string::npos);
  for (const char* bad : {"nan", "inf", "-inf", "1e300"})
    CHECK(error_of(with("latency_us", std::string("latency_us = ") + bad))
              .starts_with("m.toml, line 2: machine.latency_us is or has "));
  CHECK(error_of(with("packet_bytes", "packet_bytes = 0")).find("from 1 to") != std::string::npos);
  CHECK(error_of(with("ordered", "ordered = 1")) ==
        "m.toml, line 14: machine.ordered is neither true nor false" + remedy);
  CHECK(error_of(with("posting", "posting = 2")) ==
        "m.toml, line 15: machine.posting is not a text in quotes" + remedy);
  CHECK(error_of(with("posting", "posting = \"send\""))
            .starts_with("unknown machine.posting 'send', did you mean 'sends'?"));
  CHECK(error_of(with("drift_us", "drift_us = 3\ndrift = 4"))
            .starts_with("m.toml, line 13: machine.drift is unknown"));
}

TEST_CASE("an error of a curve names what is wrong with it") {
  const auto curve = [](const std::string& value) {
    return error_of(with("host_us", "host_us = " + value));
  };
  CHECK(curve("3").find("machine.host_us is not a list of [bytes, microseconds]") !=
        std::string::npos);
  CHECK(curve("[3]").find("has an entry that is not [bytes, microseconds]") != std::string::npos);
  CHECK(curve("[[3]]").find("has an entry that is not [bytes") != std::string::npos);
  CHECK(curve("[[3, \"4\"]]").find("has an entry that is not two numbers") != std::string::npos);
  CHECK(curve("[[8, 1], [4, 1]]").find("has 4 bytes after 8: sizes must ascend") !=
        std::string::npos);
  CHECK(curve("[[8, 1], [8, 1]]").find("sizes must ascend") != std::string::npos);
  CHECK(curve("[[0, 1]]").find("is or has 0") != std::string::npos);
  CHECK(curve("[[8, -1]]").find("is or has -1") != std::string::npos);
  CHECK(curve("[[8, nan]]").find("is or has nan") != std::string::npos);
  CHECK(curve("[]") == "no error");
}

TEST_CASE("text that is not TOML is refused with its line") {
  CHECK(error_of("[machine]\nlatency_us = = 3\n").starts_with("m.toml, line 2: "));
  CHECK(error_of(kGood + kGood).starts_with("m.toml, line 19: "));
  CHECK(error_of(std::string("\x00\xff\xfe[", 4)).starts_with("m.toml, line 1: "));
}

TEST_CASE("an error of the table of intervals names what is wrong") {
  const std::string refit =
      "{latency_us = 21, gap_us = 1, port_ns_per_byte = 80, acks_per_byte = 0, socket_bytes = 1, "
      "backlog_bytes = 1, drift_us = 3, drift_long_us = 9, host_us = [0, 3], reduction_us = [0.2]}";
  const auto interval = [&](const std::string& lack, const std::string& refits) {
    return kGood + "[interval]\nlack = " + lack +
           "\nbetween_jobs = 0.15\nbytes = [4, 4096]\nranks = 3\nrefits = " + refits + "\n";
  };
  const MachineFile good = parse_machine(interval("0.05", "[" + refit + "]"), "m.toml");
  REQUIRE(good.spread);
  CHECK(good.spread->lack == 0.05);
  CHECK(good.spread->ranks == 3);
  CHECK(good.spread->most_bytes == 4096);
  REQUIRE(good.spread->refits.size() == 1);
  CHECK(good.spread->refits[0].latency == 21e6);
  CHECK(good.spread->refits[0].host.at(1024) == 3e6);
  CHECK(good.spread->refits[0].eager == 65472);  // as in the machine
  CHECK_FALSE(parse_machine(kGood, "m.toml").spread);
  CHECK(error_of(interval("-1", "[]")).find("interval.lack is or has -1") != std::string::npos);
  CHECK(error_of(interval("0", "3")).find("interval.refits is not a list of tables") !=
        std::string::npos);
  CHECK(error_of(interval("0", "[3]")).find("interval.refits has an entry that is not a table") !=
        std::string::npos);
  CHECK(error_of(interval("0", "[{}]")).find("interval.refits.latency_us is missing") !=
        std::string::npos);
  CHECK(error_of("interval = 3\n" + kGood).find("interval is not a table") != std::string::npos);
  std::string few = refit;
  few.replace(few.find("[0, 3]"), 6, "[3]");
  CHECK(error_of(interval("0", "[" + few + "]")).find("is not a list of 2 numbers") !=
        std::string::npos);
}
