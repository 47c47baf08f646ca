// Sharded strategies: the weights of mirrored, the bytes of the closed forms, and the memory of a
// shard. Their checkpoints: tests/training/trainer/shards.cpp.
#include "training/strategies/sharded.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/sharded_bytes.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/toy_training.hpp"
#include "training/strategies/free_pages.hpp"
#include "training/trainer/checkpointing.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

toy::Run sharded_run(const char* strategy, Rank workers, OptimizerOptions::Kind optimizer) {
  toy::Run run;
  run.ranks = workers;
  run.learning.strategy = strategy;
  run.learning.optimizer.kind = optimizer;
  run.learning.rate.base = 0.003;
  run.learning.epochs = 2;
  run.learning.check_every = 3;
  run.learning.options.unit = 400;  // several units
  return run;
}

/// Returns the part of the span's memory pages that is resident, or -1 if the system does not say.
double resident(std::span<const float> data) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(data.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + data.size_bytes()) / page * page;
  std::vector<unsigned char> pages((last - first) / page);
  if (mincore(reinterpret_cast<void*>(first), last - first, pages.data()) != 0) return -1;
  const auto there = std::count_if(pages.begin(), pages.end(), [](auto p) { return p & 1; });
  return static_cast<double>(there) / static_cast<double>(pages.size());
}

/// Returns the bytes of this field of /proc/self/status.
double status(const std::string& field) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(field + ":")) return 1024 * std::stod(line.substr(field.size() + 1));
  return 0;
}

/// Returns the memory of the process, which is also the peak from now on.
double reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
  return status("VmRSS");
}
double peak() { return status("VmHWM"); }

/// Eight variables of 1 MiB each, whose gradients are all 1.
class LargeReplica final : public HostReplica {
 public:
  static constexpr Count kVariables = 8, kEach = 1 << 18;

  LargeReplica() : HostReplica(std::vector<Variable>(kVariables, {"v", {kEach}, 0, kEach, 1})) {}
  BatchResult learn(const Samples& samples, float) override {
    weights_at_most = 0;
    for (std::size_t v = 0; v < kVariables; ++v) {
      needs(v);
      weights_at_most = std::max(weights_at_most, resident(weights_));
    }
    for (std::size_t v = kVariables; v-- > 0;) {
      for (std::size_t i = 0; i < kEach; ++i) gradients_[v * kEach + i] += 1;
      needs_backward(v);
      weights_at_most = std::max(weights_at_most, resident(weights_));
      is_ready(v);
    }
    resident_at_end = resident(gradients_);
    return {0, 0, static_cast<Count>(samples.labels.size())};
  }
  BatchResult evaluate(const Samples&) override { return {}; }

  double resident_at_end = 0;  ///< of the gradients, after a backward pass
  double weights_at_most = 0;  ///< resident in the passes
};

/// Two variables, of which the forward pass uses the second one first.
class Backwards final : public HostReplica {
 public:
  Backwards() : HostReplica({{"u", {1}, 0, 1, 1}, {"v", {1}, 0, 1, 1}}, 1) {}
  BatchResult learn(const Samples&, float) override {
    needs(1);
    return {};
  }
  BatchResult evaluate(const Samples&) override { return {}; }
};

}  // namespace

TEST_CASE("sharded strategies give the weights of mirrored, to the bit for two workers") {
  using Kind = OptimizerOptions::Kind;
  for (const char* strategy : {"zero1", "zero2", "fsdp"})
    for (const auto optimizer : thorough({Kind::sgd, Kind::momentum, Kind::adam}, {Kind::adam}))
      for (const Rank workers : thorough({2, 3, 5}, {2, 3}))
        for (const char* algorithm : {"ring", "circulant"})
          for (const bool overlap : {true, false}) {
            INFO(strategy << ", " << name(optimizer) << ", " << algorithm << ", " << workers
                          << " workers" << (overlap ? ", overlapped" : ""));
            toy::Run run = sharded_run(strategy, workers, optimizer), dense = run;
            dense.learning.strategy = "mirrored";
            run.learning.route = dense.learning.route = algorithm;
            run.learning.overlap = overlap;
            const toy::Result result = toy::train(run), expected = toy::train(dense);
            for (const auto& weights : result.weights) {
              if (workers == 2)
                CHECK(weights == expected.weights[0]);
              else
                CHECK(toy::distance(weights, expected.weights[0]) < 2e-5);
              CHECK(weights == result.weights[0]);
            }
          }
}

TEST_CASE("fsdp and hsdp without samples, in micro-batches, and in other groups equal mirrored") {
  const struct {
    const char* strategy;
    Rank workers, group;
  } cases[] = {{"fsdp", 3, 0}, {"hsdp", 2, 1}, {"hsdp", 2, 2}, {"hsdp", 4, 2}, {"hsdp", 6, 3}};
  for (const auto& one : cases)
    for (const int micro_batches : {1, 3})
      for (const bool overlap : {true, false}) {
        INFO(one.strategy << " on " << one.workers << " workers in groups of " << one.group << ", "
                          << micro_batches << " micro-batches, overlap " << overlap);
        toy::Run run = sharded_run(one.strategy, one.workers, OptimizerOptions::Kind::adam);
        run.short_batches = true;
        run.global_batch = 3 * one.workers;
        run.samples =
            4 * run.global_batch + one.workers - 1;  // the last worker has none at the end
        run.learning.micro_batches = micro_batches;
        run.learning.overlap = overlap;
        run.learning.route_options.group_size = one.group;
        toy::Run dense = run;
        dense.learning.strategy = "mirrored";
        const toy::Result result = toy::train(run), expected = toy::train(dense);
        for (const auto& weights : result.weights) {
          if (one.workers == 2)
            CHECK(weights == expected.weights[0]);
          else
            CHECK(toy::distance(weights, expected.weights[0]) < 2e-5);
          CHECK(weights == result.weights[0]);
        }
      }
}

TEST_CASE("fsdp sends 3 n (P - 1) / P bytes per step and hsdp its closed form, besides the end") {
  const struct {
    const char* strategy;
    Rank workers, group;
  } cases[] = {{"fsdp", 1, 0}, {"fsdp", 2, 0}, {"fsdp", 5, 0}, {"hsdp", 4, 2},
               {"hsdp", 6, 2}, {"hsdp", 6, 3}, {"hsdp", 4, 4}, {"hsdp", 3, 1}};
  for (const auto& one : cases)
    for (const Bytes unit : {1, 400, 1 << 20}) {
      INFO(one.strategy << " on " << one.workers << " in groups of " << one.group << ", units of "
                        << unit);
      toy::Run run = sharded_run(one.strategy, one.workers, OptimizerOptions::Kind::sgd);
      run.global_batch = 20;
      run.samples = 60;
      run.learning.epochs = 1;
      run.learning.options.unit = unit;
      run.learning.route_options.group_size = one.group;
      const toy::Result result = toy::train(run);
      const auto n = static_cast<double>(result.weights[0].size() * 4);
      const bool in_groups = one.group > 0;
      const double each = sharded_bytes(find_strategy(one.strategy), n, one.workers, one.group);
      const Rank ranks = in_groups ? one.group : one.workers;
      const double end = n * (ranks - 1) / ranks;  // all weights, for the evaluation
      CHECK(static_cast<double>(result.epochs.at(0).bytes_sent) ==
            Approx(one.workers * (3 * each + end)));
    }
}

TEST_CASE("a rank sends 2 n (P - 1) / P bytes per step, whatever the unit") {
  for (const char* strategy : {"zero1", "zero2"})
    for (const Rank workers : {1, 2, 4, 5})
      for (const Bytes unit : {1, 400, 1 << 20}) {
        INFO(strategy << " on " << workers << ", units of " << unit);
        toy::Run run = sharded_run(strategy, workers, OptimizerOptions::Kind::sgd);
        run.global_batch = 20;
        run.samples = 60;
        run.learning.epochs = 1;
        run.learning.options.unit = unit;
        const toy::Result result = toy::train(run);
        const auto n = static_cast<Count>(result.weights[0].size()) * 4;
        CHECK(result.epochs.at(0).bytes_sent == 3 * 2 * n * (workers - 1));
      }
}

TEST_CASE("memory is that of a rank's shard") {
  if (kThreadSanitizer) return;                         // whose shadow memory counts
  REQUIRE(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);  // huge pages hold several ranks' parts
  constexpr Rank kRanks = 4;
  for (const char* strategy : {"mirrored", "zero1", "zero2", "fsdp", "hsdp"}) {
    INFO(strategy);
    const bool in_groups = strategy == std::string_view("hsdp");
    const double shard = in_groups ? 0.5 : 0.25;
    toy::Run run = sharded_run(strategy, kRanks, OptimizerOptions::Kind::adam);
    run.global_batch = kRanks;
    run.samples = 3 * kRanks;
    run.learning.epochs = 1;
    run.learning.check_every = 0;
    run.learning.options.unit = 1 << 20;
    run.learning.route_options.group_size = in_groups ? 2 : 0;
    run.make = [](Rank) { return std::make_unique<LargeReplica>(); };
    std::vector<Trainer*> trainers(kRanks);
    run.prepare = [&](Trainer& t) {
      trainers[static_cast<std::size_t>(t.communicator().rank())] = &t;
    };
    double moments = 0, gradients = 0, weights = 0;
    run.each_step = [&](const StepReport& r, Rank rank) {
      if (rank != 1 || r.step.number != 2) return;
      moments = resident(trainers[1]->optimizer().moments());
      const auto& replica = dynamic_cast<LargeReplica&>(trainers[1]->replica());
      gradients = replica.resident_at_end;
      weights = replica.weights_at_most;
    };
    toy::train(run);
    const StrategyKind& kind = find_strategy(strategy);
    CHECK(moments == Approx(kind.sharded ? shard : 1).margin(0.02));
    // A rank's part of each unit, and two units that are in progress, or in use and to be used
    // next.
    const double two_units = (6 * shard + 2) / 8;
    const bool frees = kind.gathers || strategy == std::string_view("zero2");
    CHECK(gradients == Approx(frees ? two_units : 1).margin(0.02));
    CHECK(weights <= (kind.gathers ? two_units : 1) + 0.02);
    CHECK(weights >= (kind.gathers ? (7 * shard + 1) / 8 : 1) - 0.02);
  }
}

TEST_CASE("freed pages are zeros, also at the ends and in shared memory") {
  std::vector<float> data(10'000, 1.5F);
  free_pages(std::span(data).subspan(3, 9'000));
  CHECK(data[2] == 1.5F);
  CHECK(std::all_of(data.begin() + 3, data.begin() + 9'003, [](float x) { return x == 0; }));
  CHECK(data[9'003] == 1.5F);
  std::vector<float> few(10, 1.5F);
  free_pages(few);
  CHECK(few == std::vector<float>(10));
  free_pages({});
  constexpr std::size_t kShared = 1 << 16;
  void* const memory =
      mmap(nullptr, kShared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  const std::span shared(static_cast<float*>(memory), kShared / sizeof(float));
  std::fill(shared.begin(), shared.end(), 2.F);
  free_pages(shared);
  CHECK(std::all_of(shared.begin(), shared.end(), [](float x) { return x == 0; }));
  munmap(memory, kShared);
}

TEST_CASE("saving and restoring take no memory besides a rank's shard") {
  if (kThreadSanitizer) return;
  REQUIRE(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);
  constexpr Rank kRanks = 4;
  for (const char* strategy : {"zero1", "fsdp", "hsdp"}) {
    INFO(strategy);
    const bool in_groups = strategy == std::string_view("hsdp");
    const double shard = in_groups ? 0.5 : 0.25;
    const Folder folder;
    for (const Count epochs : {1, 2}) {
      toy::Run run = sharded_run(strategy, kRanks, OptimizerOptions::Kind::adam);
      run.global_batch = kRanks;
      run.samples = 2 * kRanks;
      run.learning.epochs = epochs;
      run.learning.options.unit = 1 << 20;
      run.learning.route_options.group_size = in_groups ? 2 : 0;
      run.make = [](Rank) { return std::make_unique<LargeReplica>(); };
      toy::Checkpointers kept(kRanks);
      toy::checkpoint_in(run, folder.file("run"), kept);
      std::vector<Trainer*> trainers(kRanks);
      std::vector<double> restored(kRanks), saved(kRanks);
      run.prepare = [&, resume = run.prepare](Trainer& t) {
        const auto rank = static_cast<std::size_t>(t.communicator().rank());
        resume(t);
        restored[rank] = resident(t.optimizer().moments());
        trainers[rank] = &t;
      };
      // The ranks that write wait for rank 0, so that none has begun.
      double before = 0, after = 0;
      run.each_epoch = [&](Rank rank) {
        if (rank == 0) before = reset_peak();
      };
      run.finished = [&](Rank rank) {
        saved[static_cast<std::size_t>(rank)] =
            resident(trainers[static_cast<std::size_t>(rank)]->optimizer().moments());
        if (rank == 0) after = peak();
      };
      toy::train(run);
      for (std::size_t r = 0; r < kRanks; ++r) {
        CHECK(restored[r] == Approx(epochs == 1 ? 0 : shard).margin(0.02));
        CHECK(saved[r] == Approx(shard).margin(0.02));
      }
      // Four ranks together: less than the 4 MiB of moments in the shard of one. All of one are 16
      // MiB.
      CHECK(after >= before);
      CHECK(after - before < 3e6);
    }
  }
}

TEST_CASE("a model that runs its stages in another order is refused by strategies that gather") {
  toy::Run run = sharded_run("fsdp", 2, OptimizerOptions::Kind::sgd);
  run.learning.options.unit = 1;
  run.make = [](Rank) { return std::make_unique<Backwards>(); };
  CHECK(toy::fails(Blame::usage, "uses v out of order", [&] { toy::train(run); }));
}

TEST_CASE("hsdp refuses groups that cannot hold shards") {
  const auto refused = [](const std::string& part, Rank ranks, Rank group, const char* algorithm) {
    toy::Run run = sharded_run("hsdp", ranks, OptimizerOptions::Kind::sgd);
    run.learning.route = algorithm;
    run.learning.route_options.group_size = group;
    return toy::fails(Blame::usage, part, [&] { toy::train(run); });
  };
  CHECK(refused("give a number of ranks per group that divides 4", 4, 0, "ring"));
  CHECK(refused("give a size that divides 5", 5, 2, "ring"));
  CHECK(refused("take ring", 4, 2, "circulant"));
  CHECK(refused("use algorithm ring", 4, 2, "tree"));
}

TEST_CASE("sharded strategies refuse routes without halves of an allreduce, naming another") {
  const auto refused = [](const std::string& part, const std::function<void(toy::Run&)>& change) {
    toy::Run run = sharded_run("zero1", 2, OptimizerOptions::Kind::sgd);
    change(run);
    return toy::fails(Blame::usage, part, [&] { toy::train(run); });
  };
  CHECK(refused("use algorithm ring", [](toy::Run& r) { r.learning.route = "tree"; }));
  CHECK(refused("use algorithm ring", [](toy::Run& r) { r.learning.route = "native"; }));
  CHECK(refused("use 1 segment", [](toy::Run& r) { r.learning.segments = 2; }));
  CHECK(refused("units of 0 bytes", [](toy::Run& r) { r.learning.options.unit = 0; }));
  CHECK(refused("does not use a scheduler",
                [](toy::Run& r) { r.learning.options.gradients.scheduler = "fifo"; }));
}
