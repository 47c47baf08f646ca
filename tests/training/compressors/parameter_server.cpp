// Compression towards a server: the same bits for all workers, bytes by the closed form, and the
// average of what the workers' codes stand for.
#include "training/compressors/parameter_server.hpp"

#include "algorithms/base/error.hpp"
#include "collectives/counting_communicator.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"
#include "training/compressors/aggregate.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kElements = 300;
constexpr Rank kServer = 1;

bool multi_pass(const CompressorKind& kind) { return kind.name == "powersgd"; }

struct Run {
  std::vector<std::vector<float>> out;  // by rank, of the last step
  std::vector<Count> bytes;             // by rank, of the last step
};

Run run(const CompressorChoice& choice, Rank ranks, int steps) {
  Run result{std::vector<std::vector<float>>(static_cast<std::size_t>(ranks)),
             std::vector<Count>(static_cast<std::size_t>(ranks))};
  on_threads(ranks, [&](Communicator& communicator) {
    const Rank me = communicator.rank();
    WorkerEnd worker(choice, flat(kElements));
    std::optional<ServerEnd> server;
    if (me == kServer) server.emplace(choice, flat(kElements));
    for (int step = 0; step < steps; ++step) {
      auto x = test::gradient(kElements, me, step);
      CountingCommunicator counted(communicator);
      push_and_pull(counted, choice, flat(kElements), worker, server ? &*server : nullptr, kServer,
                    x, {.seed = 2, .step = step, .rank = me, .ranks = ranks});
      result.out[static_cast<std::size_t>(me)] = x;
      result.bytes[static_cast<std::size_t>(me)] = counted.sent().bytes;
    }
  });
  return result;
}

}  // namespace

TEST_CASE("workers and server agree to the bit, and send what the closed forms say") {
  for (const CompressorKind& kind : compressors()) {
    if (multi_pass(kind)) continue;
    const CompressorChoice choice = test::quick(kind);
    INFO(text(choice));
    const Run got = run(choice, 4, 4);
    for (const auto& out : got.out) CHECK(test::same_bits(out, got.out[0]));
    const auto packed = kind.packed(flat(kElements), choice, server_aggregation(choice), 3);
    if (!packed) continue;
    CHECK(got.bytes[0] == *packed);
    if (!kind.reply_varies) CHECK(got.bytes[kServer] == 3 * *packed);
  }
}

TEST_CASE("a server's answer to sparse codes is exact: as from an all-gather") {
  for (const char* spec : {"topk:ratio=0.1", "threshold:tau=0.2", "dgc:warm_up=1"}) {
    INFO(spec);
    const CompressorChoice choice = choose_compressor(spec);
    const Run served = run(choice, 4, 1);
    on_threads(4, [&](Communicator& communicator) {
      const Rank me = communicator.rank();
      const auto aggregator =
          make_aggregator(choice, flat(kElements), Aggregation::all_gather, 4, me);
      auto x = test::gradient(kElements, me, 0);
      aggregator->run(communicator, x, {.seed = 2, .rank = me, .ranks = 4});
      if (me == 0) CHECK(test::same_bits(x, served.out[0]));
    });
  }
}

TEST_CASE("the answer is near the average of the pushes") {
  for (const char* spec : {"fp16", "bf16", "int8"}) {
    INFO(spec);
    const Run got = run(choose_compressor(spec), 3, 1);
    for (std::size_t i = 0; i < kElements; ++i) {
      double average = 0;
      for (Rank r = 0; r < 3; ++r) average += double{test::gradient(kElements, r, 0)[i]} / 3;
      CHECK(std::fabs(average - double{got.out[0][i]}) < 0.012);
    }
  }
}

TEST_CASE("PowerSGD towards a server: through a master, and a push is refused") {
  const CompressorChoice choice = choose_compressor("powersgd:rank=1");
  CHECK_THROWS_AS(WorkerEnd(choice, flat(10)), Error);
  const Routes routes{.allreduce = &find_algorithm("master_worker"), .root = kServer};
  std::vector<std::vector<float>> out(3);
  on_threads(3, [&](Communicator& communicator) {
    const Rank me = communicator.rank();
    const auto aggregator =
        make_aggregator(choice, {{15, 20}}, Aggregation::allreduce, 3, me, routes);
    auto x = test::gradient(kElements, me);
    aggregator->run(communicator, x, {.rank = me, .ranks = 3});
    out[static_cast<std::size_t>(me)] = x;
  });
  CHECK(test::same_bits(out[0], out[2]));
}

TEST_CASE("an answer before any push is refused") {
  ServerEnd server(choose_compressor("fp16"), flat(3));
  CHECK_THROWS_AS(server.answer({}), Error);
}
