#include "training/cluster/tf_config.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

using Names = std::vector<std::string>;

const std::string kFour =
    R"({"cluster": {"chief": ["h0:1"], "worker": ["h0:2", "h1:1"], "ps": ["h2:1", "h3:1"]},
        "task": {"type": "TYPE", "index": INDEX}})";

Cluster four(const std::string& type, const std::string& index) {
  std::string text = kFour;
  text.replace(text.find("TYPE"), 4, type);
  text.replace(text.find("INDEX"), 5, index);
  return parse_tf_config(text);
}

std::string said(std::string_view text) {
  return failure([&] { parse_tf_config(text); });
}

}  // namespace

TEST_CASE("with workers only, worker 0 is the chief") {
  const std::string before =
      R"({"cluster":{"worker":["a:12345","b:23456"]},"task":{"type":"worker","index":)";
  for (const char* index : {"0", "\"0\""}) {
    const Cluster c = parse_tf_config(before + index + "}}");
    CHECK(c.source == "TF_CONFIG");
    CHECK(c.chief);
    CHECK(c.rank == 0);
    CHECK(c.workers == 2);
    CHECK(c.addresses == Names{"a:12345", "b:23456"});
  }
  const Cluster second = parse_tf_config(before + "\"1\"}}");
  CHECK_FALSE(second.chief);
  CHECK(second.rank == 1);
  CHECK(second.local_rank == 0);
  CHECK(second.local_workers == 1);
}

TEST_CASE("a chief is rank 0 before the workers, and servers do not train") {
  CHECK(four("chief", "0").chief);
  CHECK(four("chief", "0").rank == 0);
  const Cluster w0 = four("worker", "0"), w1 = four("worker", "1");
  CHECK_FALSE(w0.chief);
  CHECK(w0.rank == 1);
  CHECK(w0.workers == 3);
  CHECK(w0.local_rank == 1);  // the chief is on its host, too
  CHECK(w0.local_workers == 2);
  CHECK(w1.rank == 2);
  CHECK(w1.local_workers == 1);
  CHECK(w1.addresses == Names{"h0:1", "h0:2", "h1:1"});
  const Cluster ps = four("ps", "1");
  CHECK(ps.task == Task::ps);
  CHECK(ps.index == 1);
  CHECK(ps.rank == -1);
  CHECK_FALSE(ps.chief);
  CHECK(ps.servers == Names{"h2:1", "h3:1"});
  const Cluster evaluator = four("evaluator", "0");  // not listed in the cluster
  CHECK(evaluator.task == Task::evaluator);
  CHECK(evaluator.rank == -1);
  CHECK(four("master", "0").task == Task::chief);
}

TEST_CASE("an empty TF_CONFIG is a single process") {
  for (const char* text : {"{}", R"({"cluster": {}})"}) {
    const Cluster c = parse_tf_config(text);
    CHECK(c.source == "nobody");
    CHECK(c.workers == 1);
    CHECK(c.chief);
  }
}

TEST_CASE("parses IPv6 addresses") {
  const Cluster c = parse_tf_config(
      R"({"cluster":{"worker":["[::1]:80","[::1]:81"]},"task":{"type":"worker","index":1}})");
  CHECK(c.local_rank == 1);
  CHECK(host_of(c.addresses[1]) == "[::1]");
}

TEST_CASE("rejects a malformed TF_CONFIG, naming the invalid value") {
  CHECK(said("{\"cluster\":").starts_with("2: TF_CONFIG '{\"cluster\":' is not JSON: use"));
  CHECK(said("[1]") == "2: TF_CONFIG '[1]' is not a JSON object");
  CHECK(said(R"({"cluster": 3, "task": {}})") ==
        "2: TF_CONFIG has '3' as its cluster, which is not an object");
  CHECK(said(R"({"cluster": {"workers": ["a:1"]}})") ==
        "2: TF_CONFIG has tasks of type 'workers': use chief, worker, ps and evaluator");
  CHECK(said(R"({"cluster": {"worker": "a:1"}})") ==
        "2: TF_CONFIG has '\"a:1\"' as its workers, which is not a list of host:port");
  for (const char* address : {"a", "a:", "a:0", "a:65536", "a:x", ":1", "a b:1", "::1:80", "a:-1"})
    CHECK(said(R"({"cluster": {"worker": [")" + std::string(address) + "\"]}}") ==
          "2: TF_CONFIG has '\"" + std::string(address) +
              "\"' among its workers, which is not host:port");
  CHECK(said(R"({"cluster": {"worker": [null]}})").find("has 'null' among") != std::string::npos);
  CHECK(said(R"({"cluster": {"worker": ["a:1"], "ps": ["a:1"]}})").find("has '\"a:1\"' twice") !=
        std::string::npos);
  CHECK(said(R"({"cluster": {"chief": ["a:1", "b:1"]}})") == "2: TF_CONFIG has 2 chiefs: use one");
  CHECK(said(R"({"cluster": {"chief": ["a:1"], "master": ["b:1"]}})") ==
        "2: TF_CONFIG has both a chief and a master");
  CHECK(said(R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps"}})") ==
        "2: TF_CONFIG has 0 workers: add workers");
  CHECK(said(R"({"task": {"type": "worker", "index": 0}})").find("has a task, but no cluster") !=
        std::string::npos);
  CHECK(said(R"({"cluster": {"worker": ["a:1"]}})").find("does not say which task this is") !=
        std::string::npos);
}

TEST_CASE("rejects malformed tasks in TF_CONFIG, naming the invalid value") {
  const auto no = [](const std::string& type, const std::string& index) {
    return failure([&] { four(type, index); });
  };
  CHECK(no("wrker", "0") ==
        "2: TF_CONFIG has the task type '\"wrker\"': use chief, worker, ps or evaluator");
  for (const char* index : {"-1", "1.0", "null", "\"\"", "\"-1\"", "\"1x\"", "\" 1\"", "[0]",
                            "99999999999", "\"4294967296\""})
    CHECK(no("worker", index).find(std::string("has the index '") + index) != std::string::npos);
  CHECK(no("worker", "2") ==
        "2: TF_CONFIG says that this is worker 2, but its cluster has 2 of these, numbered from 0");
  CHECK(no("evaluator", "1").find("this is evaluator 1, but its cluster has 0") !=
        std::string::npos);
}
