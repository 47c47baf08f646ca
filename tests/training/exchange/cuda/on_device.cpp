// Training with gradients in the GPUs' memory gives the bits of training on the host, without a
// copy between the two.
#include <atomic>
#include <mutex>

#include "collectives/backends/gpus.hpp"
#include "collectives/gpu/staged_executor.hpp"
#include "collectives/local_rank.hpp"
#include "tests/fakes/cuda/fake_cuda.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/device_toy.hpp"
#include "tests/support/differences.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/toy_training.hpp"
#include "training/compressors/cuda/vector_kernels.hpp"
#include "training/exchange/code_exchange.hpp"
#include "training/replica/cuda/device_math.hpp"
#include "training/trainer/gradient_place.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

struct OnDevices {
  toy::Result result;
  long copies = 0, of_replicas = 0;  // between host and devices: all, and of the test's passes
};

/// Where gradients lie, and what joins the ranks: NCCL, or in the last case the host.
enum class Side { device, host, apart };

/// Trains on GPUs, with the codes of a compressor that can be made there.
OnDevices train_on(Side side, toy::Run run) {
  OnDevices all;
  Job job;
  std::atomic<long> of_replicas = 0;
  const long before = fake_cuda::counters().memcpys;
  std::mutex writing;
  const char* const backend = side == Side::apart ? "threads" : "nccl";
  find_backend(backend).run(job, {.ranks = run.ranks}, [&](Executor& executor) {
    Communicator& c = executor.control();
    toy::Run mine = run;
    mine.learning.route_options.executor = &executor;
    if (auto& codes = mine.learning.options.gradients.compressor; codes && codes->kind->on_gpu)
      codes->kernels = training::cuda::vector_kernels(gpu(gpu_of(c.rank(), gpu_count())));
    if (side == Side::device)
      mine.make = [&](Rank rank) {
        return std::make_unique<toy::DeviceToy>(1 + static_cast<std::uint64_t>(rank),
                                                training::cuda::device_math(*executor.device()),
                                                of_replicas);
      };
    mine.world = [&](Rank, const auto& body) { body(c); };
    const toy::Result its = toy::train(mine);
    const std::lock_guard lock(writing);
    all.result.weights.resize(its.weights.size());
    const auto me = static_cast<std::size_t>(c.rank());
    all.result.weights[me] = its.weights[me];
    if (me == 0) all.result.epochs = its.epochs;
  });
  all.copies = fake_cuda::counters().memcpys - before;
  all.of_replicas = of_replicas;
  return all;
}

toy::Run run_of(Rank ranks, const char* route, const char* scheduler = "buckets") {
  toy::Run run;
  run.ranks = ranks;
  run.learning.route = route;
  run.learning.options.gradients.scheduler = scheduler;
  run.learning.rate.base = 0.01;
  return run;
}

Rank gpus_here() { return fake_cuda::options().devices; }

std::string difference(const toy::Result& got, const toy::Result& right) {
  std::string all;
  for (std::size_t rank = 0; rank < right.weights.size(); ++rank)
    all += differences(got.weights[rank], right.weights[rank]);
  return all;
}

/// Trains half of two epochs on one side, then continues on each of the others in turn.
void check_continued(toy::Run run, Side first, const std::vector<Side>& later) {
  const Folder folder;
  run.learning.epochs = 2;
  const toy::Result whole = toy::train(run);
  toy::Checkpointers kept(2);
  toy::checkpoint_in(run, folder.file("run"), kept);
  run.learning.max_steps = 10;
  train_on(first, run);
  kept = toy::Checkpointers(2);
  run.learning.max_steps = 0;
  for (const Side side : later) CHECK(difference(train_on(side, run).result, whole) == "");
}

}  // namespace

TEST_CASE("gradients on devices: the bits of the host, by route, schedule, and optimizer") {
  using Kind = OptimizerOptions::Kind;
  for (const char* route : {"ring", "tree", "hierarchical"})
    for (const char* scheduler : {"none", "fifo", "buckets", "dear"})
      for (const bool overlap : {false, true}) {
        if (scheduler == std::string("dear") && route != std::string("ring")) continue;
        toy::Run run = run_of(gpus_here(), route, scheduler);
        run.learning.route_options.group_size = gpus_here() / 2;
        run.learning.overlap = overlap;
        run.learning.optimizer.kind = scheduler == std::string("fifo")   ? Kind::adam
                                      : scheduler == std::string("none") ? Kind::sgd
                                                                         : Kind::momentum;
        run.learning.micro_batches = overlap ? 2 : 1;
        run.learning.check_every = 3;
        INFO(route << " " << scheduler << " overlap " << overlap);
        CHECK(difference(train_on(Side::device, run).result, toy::train(run)) == "");
      }
}

TEST_CASE("gradients on devices: NCCL's own allreduce, and schedules that depend on time") {
  for (const char* scheduler : {"fusion", "mg_wfbp", "priority", "credit", "tictac", "native"}) {
    const bool native = scheduler == std::string("native");
    const toy::Run run =
        run_of(gpus_here(), native ? "native" : "ring", native ? "buckets" : scheduler);
    INFO(scheduler);
    const toy::Result there = train_on(Side::device, run).result;
    for (const auto& weights : there.weights) CHECK(differences(weights, there.weights[0]) == "");
    toy::Run on_host = run;
    on_host.learning.route = "ring";
    CHECK(toy::distance(there.weights[0], toy::train(on_host).weights[0]) < 1e-5);
  }
}

TEST_CASE("gradients on devices: one worker, which exchanges nothing") {
  toy::Run run = run_of(1, "ring");
  run.learning.strategy = "one_device";
  CHECK(difference(train_on(Side::device, run).result, toy::train(run)) == "");
}

TEST_CASE("gradients on devices: batches that leave a worker without samples") {
  toy::Run run = run_of(gpus_here(), "ring");
  run.samples = 241;
  run.short_batches = true;
  CHECK(difference(train_on(Side::device, run).result, toy::train(run)) == "");
}

TEST_CASE(
    "gradients on devices: no copy between host and device, from the host, two per collective") {
  toy::Run run = run_of(2, "ring", "fifo");  // 4 variables, 10 steps
  run.learning.optimizer.kind = OptimizerOptions::Kind::sgd;
  const OnDevices there = train_on(Side::device, run);
  CHECK(there.copies == there.of_replicas);
  const OnDevices here = train_on(Side::host, run);
  CHECK(here.copies == 2 * 4 * 10 * run.ranks);
  CHECK(difference(there.result, here.result) == "");
}

TEST_CASE("gradients on devices: a checkpoint continues on either side") {
  for (const Side first : {Side::device, Side::host}) {
    toy::Run run = run_of(2, "ring");
    run.learning.optimizer.kind = OptimizerOptions::Kind::adam;
    const Side second = first == Side::device ? Side::host : Side::device;
    check_continued(run, first, {second, first});  // for the last one, nothing is left to train
  }
}

TEST_CASE("gradients on devices: a bad value names its variable and keeps the weights") {
  for (const char* scheduler : {"buckets", "priority"}) {
    toy::Run run = run_of(2, "ring", scheduler);
    run.learning.rate.base = 1e30;
    INFO(scheduler);
    CHECK(toy::fails(Blame::check, "the gradient of ", [&] { train_on(Side::device, run); }));
    // A rank may free its memory before the other has aborted a message that waits for it. The
    // stand-in takes that for a deadlock: it does not know who is about to abort.
    for (const std::string& problem : fake_cuda::take_problems())
      CHECK_THAT(problem, contains("cudaFree never ends: "));
    fake_cuda::restart(fake_cuda::options());
  }
}

TEST_CASE("gradients on devices: parts that are not neighbors travel as one vector") {
  Job job;
  std::atomic<int> right_calls = 0, right_sums = 0;  // of both ranks
  find_backend("nccl").run(job, {.ranks = 2}, [&](Executor& executor) {
    Communicator& c = executor.control();
    const auto math = training::cuda::device_math(*executor.device());
    DeviceVectors vectors(math, 1000);
    DeviceGradients gradients(vectors, 3, c);
    const std::span<float> all = gradients.all();
    const std::span<float> parts[] = {all.subspan(3, 100), all.subspan(200, 50),
                                      all.subspan(250, 333)};
    const std::size_t variables[] = {0, 1, 2};
    const std::vector<float> mine(1000, static_cast<float>(c.rank() + 1));
    for (int repeat = 0; repeat < 3; ++repeat) {
      math->copy(all, mine);
      for (const std::size_t v : variables) {
        const std::span<std::byte> its = std::as_writable_bytes(parts[v]);
        const std::byte* const same[] = {its.data()};
        math->stream->reduce_all(its.data(), same, static_cast<Count>(parts[v].size()), {});
        gradients.complete(v);
      }
      gradients.run(parts, variables, [&](std::span<float> there, DeviceGradients::Events after) {
        right_calls += there.size() == 483 && after.size() == 1;
        executor.on_device()->execute(&find_algorithm("ring"), {.ranks = 2, .elements = 483},
                                      std::as_writable_bytes(there).data(), {}, 1, after);
      });
      std::vector<float> now(1000), right = mine;
      math->copy(now, all);
      for (const std::span<float> part : parts)
        std::fill_n(right.begin() + (part.data() - all.data()), part.size(), 6.0F);
      right_sums += differences(now, right).empty();
    }
    gradients.run({parts + 1, 2}, {variables + 1, 2},
                  [&](std::span<float> there, DeviceGradients::Events after) {
                    right_calls +=
                        there.data() == parts[1].data() && there.size() == 383 && after.size() == 2;
                  });
    c.barrier();
  });
  CHECK(right_calls == 2 * (3 + 1));
  CHECK(right_sums == 2 * 3);
}

TEST_CASE("gradients on devices: refused where they cannot be taken from there") {
  const auto refused = [](const std::string& why, toy::Run run) {
    INFO(why);
    CHECK(toy::fails(Blame::usage, why, [&] { train_on(Side::device, run); }));
  };
  toy::Run sharded = run_of(2, "ring");
  sharded.learning.strategy = "zero1";
  refused("strategy zero1 does not use a device's memory", sharded);
  toy::Run compressed = run_of(2, "ring");
  compressed.learning.options.gradients.compressor = choose_compressor("topk");
  refused("the codes of compressor topk are made on the host", compressed);
  // Replicas on GPUs whose ranks exchange through the host.
  toy::Run threads = run_of(2, "ring");
  const auto device = gpu(0);
  std::atomic<long> copies = 0;
  threads.make = [&](Rank) {
    return std::make_unique<toy::DeviceToy>(1, training::cuda::device_math(*device), copies);
  };
  CHECK(toy::fails(Blame::usage, "this backend reduces vectors on the host",
                   [&] { toy::train(threads); }));
}

TEST_CASE("gradients on devices: why they lie on the host") {
  TrainerOptions learning;
  CHECK(why_on_host(learning) == "the backend adds there");
  Job job;
  find_backend("nccl").run(job, {.ranks = 1}, [&](Executor& executor) {
    learning.route_options.executor = &executor;
    CHECK(why_on_host(learning) == "");
    learning.options.gradients.compressor = choose_compressor("topk");
    CHECK(why_on_host(learning) == "the codes of topk are made there");
    learning.options.gradients.compressor = choose_compressor("fp16");
    CHECK(why_on_host(learning) == "");
    learning.strategy = "fsdp";
    CHECK(why_on_host(learning) == "strategy fsdp works there");
  });
}

TEST_CASE("codes on devices: the bits of the host, by compressor and aggregation") {
  int runs = 0;
  for (const CompressorKind& kind : compressors()) {
    if (!kind.on_gpu) continue;
    for (const Aggregation aggregation : kind.aggregations)
      for (const Side side : {Side::device, Side::host, Side::apart}) {
        ++runs;
        toy::Run run = run_of(gpus_here(), aggregation == Aggregation::allreduce ? "tree" : "ring",
                              runs % 3 == 0 ? "priority" : "buckets");
        run.samples = 96;
        run.learning.overlap = runs % 4 < 2;
        auto& gradients = run.learning.options.gradients;
        gradients.compressor = choose_compressor(kind, {});
        if (kind.feedback != Feedback::built_in && !kind.no_feedback && runs % 5 < 3)
          gradients.compressor = choose_compressor(kind, {}, true);
        gradients.aggregation = name(aggregation);
        INFO(kind.name << " " << name(aggregation) << " side " << static_cast<int>(side)
                       << " feedback " << gradients.compressor->feedback);
        const toy::Result there = train_on(side, run).result, right = toy::train(run);
        CHECK(difference(there, right) == "");
        CHECK(toy::distance(there.weights[0], toy::train(run_of(1, "ring")).weights[0]) > 0);
      }
  }
  CHECK(runs == 3 * 9);
}

TEST_CASE("codes on devices: one worker, and vectors of fewer elements than ranks") {
  toy::Run run = run_of(1, "ring");
  run.learning.options.gradients.compressor = choose_compressor("int8");
  for (const Side side : {Side::device, Side::host})
    CHECK(difference(train_on(side, run).result, toy::train(run)) == "");
  run = run_of(gpus_here(), "ring", "priority");
  run.learning.options.gradients.scheduling["slice"] = 12;  // bytes: 3 elements
  run.samples = 48;
  run.learning.options.gradients.compressor = choose_compressor("int8");
  CHECK(difference(train_on(Side::device, run).result, toy::train(run)) == "");
}

TEST_CASE("codes on devices: nothing is copied to the host") {
  for (const char* compressor : {"fp16", "int8"}) {
    INFO(compressor);
    toy::Run run = run_of(2, "ring", "fifo");  // 4 variables, 10 steps
    run.learning.optimizer.kind = OptimizerOptions::Kind::sgd;
    run.learning.options.gradients.compressor = choose_compressor(compressor);
    const OnDevices there = train_on(Side::device, run);
    CHECK(there.copies == there.of_replicas);
    const OnDevices here = train_on(Side::host, run);
    CHECK(here.copies == 2 * 4 * 10 * run.ranks);
    if (compressor == std::string("int8")) continue;  // whose parts begin on 16 bytes there
    const Count bytes = toy::train(run).epochs.at(0).bytes_sent;
    CHECK(bytes > 0);
    for (const OnDevices& side : {there, here}) CHECK(side.result.epochs.at(0).bytes_sent == bytes);
  }
}

TEST_CASE("codes on devices: a checkpoint with residuals continues on either side") {
  for (const Side first : {Side::device, Side::host}) {
    toy::Run run = run_of(2, "ring");
    run.learning.options.gradients.compressor = choose_compressor("onebit");
    check_continued(run, first, {first == Side::device ? Side::apart : Side::device});
  }
}

TEST_CASE("codes on devices: a bad value names its variable") {
  for (const char* scheduler : {"buckets", "priority"}) {
    toy::Run run = run_of(2, "ring", scheduler);
    run.learning.rate.base = 1e30;
    run.learning.options.gradients.compressor = choose_compressor("int8");
    INFO(scheduler);
    CHECK(toy::fails(Blame::check, "the gradient of ", [&] { train_on(Side::device, run); }));
    for (const std::string& problem : fake_cuda::take_problems())
      CHECK_THAT(problem, contains("cudaFree never ends: "));  // as above
    fake_cuda::restart(fake_cuda::options());
  }
}

TEST_CASE("codes on devices: where they are made, and what they travel from") {
  CompressorChoice choice = choose_compressor("int8");
  CHECK(place_of_codes(choice, "requantize", nullptr) == processor_kernels()->where);
  choice.kernels = training::cuda::vector_kernels(gpu(0));
  CHECK(place_of_codes(choice, "requantize", nullptr) == "GPU 0, sent from host memory");
  Job job;
  find_backend("nccl").run(job, {.ranks = 1}, [&](Executor& executor) {
    CHECK(place_of_codes(choice, "requantize", &executor) == "GPU 0, sent from its memory");
    struct Plans final : DeviceTransport {  // kernels carry all messages
      Plans() : DeviceTransport({.runs_plans = true}) {}
      void exchange(std::span<const SendRecv>, DeviceStream&) override {}
    } transport;
    StagedExecutor plans(executor.control(), *executor.device(), transport);
    CHECK(place_of_codes(choice, "requantize", &plans) == "GPU 0, sent from host memory");
    CHECK(place_of_codes(choice, "all_gather", &plans) == "GPU 0, sent from its memory");
    CompressorChoice other = choose_compressor("topk");
    other.kernels = choice.kernels;
    CHECK(place_of_codes(other, "all_gather", &executor) == processor_kernels()->where);
  });
}

TEST_CASE("devices of ranks: in turn, and those that do not exist") {
  const Rank count = gpus_here();
  CHECK(gpu_of(0, count) == 0);
  CHECK(gpu_of(count - 1, count) == count - 1);
  CHECK(gpu_of(count, count) == 0);
  CHECK(gpu_of(2 * count + 1, count) == 1);
  CHECK_THROWS_WITH(gpu_of(0, 0), contains("no GPU is visible"));
  for (const int index : {-1, static_cast<int>(count), 1000})
    CHECK_THROWS_WITH(gpu(index), contains("GPU " + std::to_string(index) + " does not exist"));
  Job job;
  std::atomic<Rank> own = 0;
  find_backend("nccl").run(job, {.ranks = count}, [&](Executor& executor) {
    own += executor.device()->info().details.find(
               "0000:0" + std::to_string(executor.control().rank())) != std::string::npos;
  });
  CHECK(own == count);
}
