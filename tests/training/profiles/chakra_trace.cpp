// Chakra's execution traces: a file of MLCommons' own converter, kernels as in PyTorch's traces,
// and traces that are not data-parallel training.
#include "training/profiles/chakra_trace.hpp"

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/source_file.hpp"
#include "training/io/files.hpp"
#include "training/io/protobuf.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

double in_us(Time t) { return picoseconds(t) / 1e6; }

ChakraNode compute(std::uint64_t id, std::vector<std::uint64_t> needs, std::uint64_t duration_us) {
  return {.id = id,
          .name = "work",
          .type = ChakraType::compute,
          .needs = needs,
          .duration_us = duration_us};
}

ChakraNode allreduce(std::uint64_t id, std::vector<std::uint64_t> needs, std::int64_t bytes) {
  return {.id = id,
          .name = "sum",
          .type = ChakraType::collective,
          .needs = needs,
          .duration_us = 999,
          .collective = 0,
          .bytes = bytes};
}

ChakraNode on(bool processor, ChakraNode node) {
  node.on_processor = processor;
  return node;
}

std::string refused(const std::vector<ChakraNode>& nodes) {
  return failure([&] { import_chakra_trace(nodes, "run/job.0.et"); });
}

/// Layers a and b: forward 10 and 20 us, backward 5 (b) and 7 (a), 3 us after the last gradient.
std::vector<ChakraNode> two_layers() {
  return {compute(0, {}, 10), compute(1, {0}, 20),  compute(2, {1}, 5), allreduce(3, {2}, 400),
          compute(4, {2}, 7), allreduce(5, {4}, 8), compute(6, {4}, 3)};
}

}  // namespace

// The text from which chakra_converter made it (commit 21585d8) stands in its metadata: three
// layers, two passes.
TEST_CASE("a data-parallel trace of Chakra's converter becomes the profile of its first pass") {
  const std::string file = source_file("tests/training/profiles/chakra/mlp.0.et");
  if (!has_protobuf()) {
    CHECK(failure([&] {
            load_profile(file);
          }).starts_with("3: trace " + file + ": this arlab was built without protobuf"));
    return;
  }
  const ModelProfile p = load_profile(file);
  CHECK(p.name == "mlp");
  CHECK(p.batch == 1);
  CHECK(p.optimizer == 0);
  REQUIRE(p.layers.size() == 3);
  CHECK(p.layers[0].tensors[0].elements == 37'632 / 4);
  CHECK(p.layers[1].tensors[0].elements == 512 / 4);
  CHECK(p.layers[2].tensors[0].elements == 8'196'000 / 4);
  CHECK(in_us(p.layers[0].forward) == Approx(120));
  CHECK(in_us(p.layers[1].forward) == Approx(15));
  CHECK(in_us(p.layers[2].forward) == Approx(40));
  CHECK(in_us(p.layers[2].backward) == Approx(60));  // its weights
  CHECK(in_us(p.layers[1].backward) ==
        Approx(55 + 22));  // what the layer above passes on, and its weights
  CHECK(in_us(p.layers[0].backward) == Approx(20 + 210));
}

TEST_CASE("what follows the last gradient is the optimizer, in any order of the file and of ids") {
  std::vector<ChakraNode> nodes = two_layers();
  const auto check = [](const std::vector<ChakraNode>& trace) {
    const ModelProfile p = import_chakra_trace(trace, "job.0.et");
    REQUIRE(p.layers.size() == 2);
    CHECK(in_us(p.layers[0].forward) == Approx(10));
    CHECK(in_us(p.layers[1].forward) == Approx(20));
    CHECK(in_us(p.layers[1].backward) == Approx(5));
    CHECK(in_us(p.layers[0].backward) == Approx(7));
    CHECK(p.optimizer * static_cast<double>(p.parameters()) / 1e6 == Approx(3));
    CHECK(p.parameters() == 100 + 2);
  };
  check(nodes);
  for (ChakraNode& node : nodes) node.on_processor = true;  // and no kernels
  check(nodes);
  std::reverse(nodes.begin(), nodes.end());
  check(nodes);
  for (ChakraNode& node : nodes) {  // allreduces have the largest ids
    const auto later = [](std::uint64_t id) { return id == 3 || id == 5 ? id + 100 : id; };
    node.id = later(node.id);
  }
  check(nodes);
}

TEST_CASE("the layers share a forward pass that the trace does not divide") {
  std::vector<ChakraNode> nodes = two_layers();
  nodes.push_back(compute(90, {0}, 6));
  nodes[1].needs = {90};
  const ModelProfile p = import_chakra_trace(nodes, "job.0.et");
  CHECK(in_us(p.layers[0].forward) == Approx(36. * 7 / 12));
  CHECK(in_us(p.layers[1].forward) == Approx(36. * 5 / 12));
}

TEST_CASE(
    "kernels count, not the operators that launch them, PyTorch says where the backward pass "
    "begins") {
  ChakraNode engine = on(true, compute(6, {5}, 1000));
  engine.name = "autograd::engine::evaluate_function: AddmmBackward0";
  ChakraNode starts =
      on(true, {.id = 8, .name = "c10d::allreduce_", .type = ChakraType::collective, .needs = {6}});
  ChakraNode buffers = on(false, allreduce(2, {1}, 64));
  buffers.collective = 5;  // a broadcast
  const std::vector<ChakraNode> nodes = {
      on(true, compute(1, {77}, 1000)),  // of a root that the trace leaves out
      buffers,
      on(true, compute(3, {1}, 1000)),
      on(false, compute(4, {3}, 30)),
      on(true, compute(5, {3}, 1000)),
      engine,
      on(false, compute(7, {6}, 11)),
      starts,
      on(false, compute(9, {6}, 4)),
      on(false, allreduce(10, {8}, 40))};
  const ModelProfile p = import_chakra_trace(nodes, "job.0.et");
  REQUIRE(p.layers.size() == 1);
  CHECK(in_us(p.layers[0].forward) == Approx(30));
  CHECK(in_us(p.layers[0].backward) == Approx(11 + 4));
  CHECK(p.parameters() == 10);
}

TEST_CASE("traces that are no data-parallel training are refused with the node") {
  const auto with = [](ChakraNode node) {
    std::vector<ChakraNode> nodes = two_layers();
    nodes.push_back(std::move(node));
    return refused(nodes);
  };
  const std::string begin = "2: trace run/job.0.et: node 9 (x) ";
  CHECK(with({.id = 9, .name = "x", .type = ChakraType::send})
            .starts_with(begin + "is a message between two ranks"));
  CHECK(with({.id = 9, .name = "x", .type = ChakraType::receive})
            .starts_with(begin + "is a message between two ranks"));
  CHECK(with({.id = 9, .name = "x", .type = ChakraType::collective, .collective = 2, .bytes = 4})
            .starts_with(begin + "is a collective of type 2"));
  for (const std::optional<std::int64_t> bytes : {std::optional<std::int64_t>{}, {-1}, {INT64_MAX}})
    CHECK(
        with(
            {.id = 9, .name = "x", .type = ChakraType::collective, .collective = 0, .bytes = bytes})
            .starts_with(begin + "is a collective without comm_type, or without a comm_size"));
  CHECK(with({.id = 9, .name = "x", .type = ChakraType::collective, .bytes = 4})
            .starts_with(begin + "is a collective without comm_type"));
  CHECK(with({.id = 9, .name = "x", .type = ChakraType::compute, .needs = {9}})
            .starts_with(begin + "depends on itself"));
  CHECK(with({.id = 9, .name = "x", .type = ChakraType::compute, .duration_us = UINT64_MAX})
            .starts_with(begin + "takes 18446744073709551615 us"));
  CHECK(with({.id = 3, .name = "x", .type = ChakraType::metadata}) ==
        "2: trace run/job.0.et: node 3 (x) has the id of another node");
  CHECK(refused({}).starts_with("2: trace run/job.0.et: it has no allreduce"));
  CHECK(refused({compute(0, {}, 5)}).starts_with("2: trace run/job.0.et: it has no allreduce"));
  CHECK(refused({allreduce(0, {}, 5)})
            .starts_with("2: trace run/job.0.et: node 0 (sum) follows no computation"));
  CHECK(refused({compute(0, {}, 5), allreduce(1, {0}, 0)})
            .starts_with("2: trace run/job.0.et: its allreduces have no bytes"));
}

TEST_CASE("bytes that are no trace of Chakra are refused with their place") {
  if (!has_protobuf()) return;
  const auto read = [](const std::string& bytes) {
    return failure([&] { read_chakra(bytes, "a.et"); });
  };
  const std::string whole = read_whole(source_file("tests/training/profiles/chakra/mlp.0.et"), "");
  CHECK(read("").empty());
  CHECK(read(whole).empty());
  CHECK(read(whole.substr(0, whole.size() - 1)).starts_with("2: trace a.et: the message at byte "));
  CHECK(read("\xff\xff\xff\xff\xff\xff")
            .starts_with("2: trace a.et: the message at byte 0 is longer than the file"));
  CHECK(read("\x1f\x8b\x08") == "2: trace a.et: it is compressed: gunzip it first");
  using namespace std::string_literals;
  CHECK(read("\0\x03\x08\xff\xff"s)
            .starts_with("2: trace a.et: the message at byte 1 is not a node"));
  CHECK(read("\0\x04\x08\x07\x18\x08"s) ==
        "2: trace a.et: node 7 () is of the unknown type 8: known are 1 to 7 of Chakra's NodeType");
  CHECK(read("\0\x02\x08\x07"s).find("is of the unknown type 0") != std::string::npos);
}

namespace {

void check_two_nodes(const std::string& json) {
  INFO(json);
  REQUIRE(is_chakra_json(json));
  const std::vector<ChakraNode> nodes = read_chakra_json(json, "job.json");
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].id == 0);
  CHECK(nodes[0].name == "work");
  CHECK(nodes[0].type == ChakraType::compute);
  CHECK(nodes[0].duration_us == 12);
  CHECK(nodes[0].on_processor == false);
  CHECK(nodes[1].id == 7);
  CHECK(nodes[1].type == ChakraType::collective);
  CHECK(nodes[1].needs == std::vector<std::uint64_t>{0});
  CHECK(nodes[1].collective == 0);
  CHECK(nodes[1].bytes == std::int64_t{1} << 40);
}

std::string refused_json(const std::string& json) {
  return failure([&] { read_chakra_json(json, "job.json"); });
}

}  // namespace

// protobuf leaves out zeros, and writes numbers of 64 bits as text; one object follows the other.
TEST_CASE("a Chakra trace as JSON has the nodes of its file, in each form") {
  check_two_nodes(R"({"version": "0.0.4", "attr": [{"name": "schema", "stringVal": "{}"}]}{
  "name": "work", "type": "COMP_NODE", "durationMicros": "12",
  "attr": [{"name": "is_cpu_op", "boolVal": false}]
}{"id": "7", "name": "sum", "type": "COMM_COLL_NODE", "ctrlDeps": ["5"], "dataDeps": ["0"],
  "attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val": "1099511627776"}]})");
  check_two_nodes(R"([{"name": "work", "type": 4, "duration_micros": 12, "attr":
      [{"name": "is_cpu_op", "bool_val": false}]}, {"id": 7, "type": "COMM_COLL_NODE", "data_deps": [0], "attr":
      [{"name": "comm_type", "int64_val": 0}, {"name": "comm_size", "int64_val": 1099511627776}]}])");
  check_two_nodes(R"({"workload_graph": [
    {"Id": 0, "Name": "work", "NodeType": 4, "runtime": 12, "data_deps": [], "is_cpu_op": false},
    {"Id": 7, "Name": "s }{\"", "NodeType": 7, "data_deps": [0], "comm_type": 0, "comm_size": 1099511627776}],
    "ngpus": 8})");
}

TEST_CASE("a Chakra trace as JSON is refused with the node and what it lacks") {
  CHECK(refused_json(R"({"id": "1", "type": "COMP_NODE"}{"id": "2"})") ==
        "2: trace job.json: node 2 () has no type, such as COMP_NODE: make it again");
  CHECK(refused_json(R"({"id": "1", "name": "x", "type": "COMP_NOD"})") ==
        "2: trace job.json: node 1 (x) is of the unknown type \"COMP_NOD\": known are 1 to 7 of "
        "Chakra's "
        "NodeType, and their names");
  CHECK(refused_json(R"({"id": "-1", "type": "COMP_NODE"})") ==
        "2: trace job.json: a node has an id of \"-1\": give a whole number of at least 0");
  CHECK(refused_json(R"({"type": "COMP_NODE", "durationMicros": 1.5})") ==
        "2: trace job.json: a node has a duration of 1.5: give a whole number of at least 0");
  CHECK(refused_json(R"({"type": "COMP_NODE", "dataDeps": ["x"]})") ==
        "2: trace job.json: node 0 () needs a node that is no number: make it again");
  CHECK(refused_json(R"({"type": "COMP_NODE"} {"type": )") ==
        "2: trace job.json: the value at byte 22 is not JSON: make it again with chakra_jsonizer");
  CHECK(refused_json(R"({"nodes": [3]})") ==
        "2: trace job.json: it has a node that is no object: make it again");
  // As in Chakra's own tests: NCCL's kernels have no size there.
  const auto nodes = read_chakra_json(
      R"({"workload_graph": [{"Id": 3, "Name": "ncclKernel", "NodeType": 7, "is_cpu_op": false}]})",
      "job.json");
  CHECK(
      refused(nodes) ==
      "2: trace run/job.0.et: node 3 (ncclKernel) is a collective without comm_type, or without a "
      "comm_size of 0 bytes to 1 PiB: convert the trace again");
}
