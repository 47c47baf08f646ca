// NCCL's own algorithms as rows, on the stand-in: which it can run, that each rank runs the one
// asked for, and that the environment is left as it was.
#include <cstdlib>

#include "collectives/backends/backend.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/nccl/library_choice.hpp"
#include "collectives/nccl/tuning_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "not set";
}

void on_gpus(Rank ranks, const Backend::Body& body) {
  Job job;
  find_backend("nccl").run(job, {.ranks = ranks}, body);
}

/// "ring runs" or why not, on rank 0.
std::string verdict(Executor& executor, const std::string& spec, Operand operand) {
  if (const std::string why = executor.baseline().unsupported(spec, operand); !why.empty())
    return why;
  CheckedRunner runner(executor);
  runner.load_input({.ranks = executor.control().ranks(), .elements = 1009}, operand);
  const Count wrong = executor.control().sum(runner.run({.native = spec}).wrong);
  return spec + (wrong == 0 ? " runs" : " is wrong");
}

}  // namespace

TEST_CASE("NCCL's choices: names, settings, and versions that keep to them") {
  const NcclChoice plain = parse_nccl_choice("nvlstree"),
                   chosen = parse_nccl_choice("ring:proto=ll128");
  CHECK(plain.algorithm == "nvlstree");
  CHECK(plain.protocol.empty());
  CHECK(chosen.algorithm == "ring");
  CHECK(chosen.protocol == "ll128");
  CHECK_THAT(refusal([] { parse_nccl_choice("rign"); }), contains("did you mean 'ring'?"));
  CHECK_THAT(refusal([] { parse_nccl_choice("pat"); }),
             contains("unknown algorithm of NCCL 'pat'"));
  CHECK_THAT(refusal([] { parse_nccl_choice("ring:proto=ll64"); }),
             contains("unknown protocol of NCCL 'll64'"));
  CHECK_THAT(refusal([] { parse_nccl_choice("ring:segment=1K"); }),
             contains("NCCL's ring has no setting 'segment': use proto=ll, ll128 or simple"));
  CHECK(nccl_algorithms(22400).size() == 6);
  CHECK(failure([] { nccl_algorithms(22304); }) ==
        "3: NCCL 2.23 may run another algorithm than it is given: use NCCL 2.24 or newer");
}

TEST_CASE("NCCL's choices: the environment becomes what it was") {
  setenv("NCCL_ALGO", "tree", 1);
  unsetenv("NCCL_PROTO");
  {
    ChoiceInEnvironment environment;
    environment.set({"ring", "ll"});
    CHECK(variable("NCCL_ALGO") == "allreduce:ring");
    CHECK(variable("NCCL_PROTO") == "allreduce:ll");
  }
  CHECK(variable("NCCL_ALGO") == "tree");
  CHECK(variable("NCCL_PROTO") == "not set");
  unsetenv("NCCL_ALGO");
  setenv("NCCL_PROTO", "simple", 1);
  {
    ChoiceInEnvironment environment;
    environment.set({"ring", ""});
    CHECK(variable("NCCL_PROTO") == "not set");
  }
  CHECK(variable("NCCL_ALGO") == "not set");
  CHECK(variable("NCCL_PROTO") == "simple");
  unsetenv("NCCL_PROTO");
}

TEST_CASE("NCCL's choices: each runs and is right, or says why it cannot") {
  const auto all_of = [](Operand operand) {
    std::string text;
    on_gpus(2, [&](Executor& executor) {
      std::vector<std::string> specs = executor.baseline().algorithms();
      specs.insert(specs.end(), {"tree:proto=ll", "nvls:proto=simple", "nvls:proto=ll"});
      for (const std::string& spec : specs) {
        const std::string its = verdict(executor, spec, operand);
        if (executor.control().rank() == 0) text += its + "\n";
      }
    });
    return text;
  };
  const auto none = [](const std::string& spec, const std::string& what) {
    return "NCCL cannot run " + spec + " for " + what + " on these GPUs\n";
  };
  const std::string sum = "sum of float32", max = "max of float64";
  CHECK(all_of({DType::float32, Op::sum}) ==
        "ring runs\ntree runs\nnvls runs\n" + none("nvlstree", sum) + none("collnetdirect", sum) +
            none("collnetchain", sum) + "tree:proto=ll runs\nnvls:proto=simple runs\n" +
            none("nvls:proto=ll", sum));
  CHECK_THAT(all_of({DType::float64, Op::max}),
             contains("ring runs\ntree runs\n" + none("nvls", max)));
  CHECK(variable("NCCL_ALGO") == "not set");
}

TEST_CASE("NCCL's choices: after a refusal, others run, and the same of other elements") {
  std::string text;
  on_gpus(2, [&](Executor& executor) {
    std::string mine;
    for (const Operand operand :
         {Operand{DType::float64, Op::max}, Operand{DType::float64, Op::sum},
          Operand{DType::int8, Op::sum}, Operand{DType::bfloat16, Op::avg}})
      mine += verdict(executor, "nvls", operand) + "\n";
    CheckedRunner runner(executor);
    runner.load_input({.ranks = 2, .elements = 5}, {});
    if (executor.control().sum(runner.run({}).wrong) != 0) mine += "wrong\n";
    if (executor.control().rank() == 0) text = mine;
  });
  CHECK(text ==
        "NCCL cannot run nvls for max of float64 on these GPUs\nnvls runs\n"
        "NCCL cannot run nvls for sum of int8 on these GPUs\nnvls runs\n");
}

TEST_CASE("NCCL's choices: the name of the log's file") {
  CHECK(tuning_log_file("/tmp/%h.%p.log", "node7.cluster.org", 42) == "/tmp/node7.42.log");
  CHECK(tuning_log_file("%%h-%%%p", "node7", 42) == "%h-%42");
  CHECK(tuning_log_file("a%d%", "node7", 42) == "a%d%");
  CHECK(tuning_log_file("%h", "%p", 42) == "%p");
}

TEST_CASE("NCCL's choices: what the log says of each, in turns at one size") {
  const Folder folder;
  setenv("NCCL_DEBUG_FILE", folder.file("log").c_str(), 1);
  setenv("NCCL_DEBUG_SUBSYS", "TUNING", 1);
  std::string text;
  on_gpus(2, [&](Executor& executor) {
    CheckedRunner runner(executor);
    runner.load_input({.ranks = 2, .elements = 1009}, {});
    for (int turn = 0; turn < 2; ++turn)
      for (const char* spec : {"ring:proto=ll", "", "nvls"}) runner.run({.native = spec});
    if (executor.control().rank() == 0)
      for (const char* spec : {"ring:proto=ll", "", "nvls", "tree"})
        text += runner.choice(spec) + "\n";
    runner.load_input({.ranks = 2, .elements = 7}, {});
    if (executor.control().rank() == 0) text += runner.choice("nvls");
  });
  unsetenv("NCCL_DEBUG_FILE");
  unsetenv("NCCL_DEBUG_SUBSYS");
  CHECK(text ==
        "RING LL, 2 channels, memory without a window\nAllReduce_AGxLL_R, 2 channels, registered\n"
        "NVLS SIMPLE, 2 channels, memory without a window\n\n");
}

TEST_CASE("NCCL's choices: rows have the names of their specs, one rank has nothing to choose") {
  std::string label, scattered, why;
  on_gpus(1, [&](Executor& executor) {
    label = executor.baseline().label("ring:proto=ll");
    why = executor.baseline().unsupported("ring", {});
    scattered = executor.baseline().name_of(
        {.collective = Collective::reduce_scatter, .ranks = 1, .elements = 4});
  });
  CHECK(label == "ncclAllReduce:ring:proto=ll");
  CHECK(why == "NCCL cannot run ring for sum of float32 on one rank: it copies");
  CHECK(scattered == "ncclReduceScatter");
  CHECK_THAT(refusal([] {
               on_gpus(2, [](Executor& executor) { executor.baseline().unsupported("rign", {}); });
             }),
             contains("unknown algorithm of NCCL 'rign'"));
}
