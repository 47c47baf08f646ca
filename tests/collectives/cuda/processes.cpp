// Plans that kernels run by themselves on GPUs of several processes, on the stand-in
// (tests/fakes/cuda): a thread per process, and memory of others through CUDA IPC alone.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <numeric>

#include "collectives/cuda/device.hpp"
#include "collectives/gpu/peer_processes.hpp"
#include "collectives/gpu/staged_executor.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/cuda/fake_cuda.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/lonely.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

constexpr Operand kFloats{DType::float32, Op::sum}, kInts{DType::int32, Op::sum};
constexpr std::size_t kMostInWords[] = {std::size_t{8} << 10, 0, 600};

PeerOptions options_of(std::size_t most_in_words, double patience = 300) {
  return {.most_in_words = most_in_words, .block_bytes = 256, .patience = patience};
}

fake_cuda::Options machine_of(int devices, std::uint32_t seed) {
  fake_cuda::Options options;
  options.devices = devices;
  options.seed = seed;
  return options;
}

/// Calls body(communicator, GPU) in a process for each rank. `gpus`: of the machine; ranks take
/// turns on them.
template <class Body>
void on_processes(Rank ranks, Rank gpus, Body body) {
  on_threads(ranks, [&](Communicator& control) {
    fake_cuda::Process process;
    const auto device = cuda::device(control.rank() % gpus);
    body(control, *device, process);
  });
}

template <class Body>
void on_processes(Rank ranks, Body body) {
  on_processes(ranks, ranks, [&](Communicator& control, Device& device, fake_cuda::Process&) {
    body(control, device);
  });
}

/// The sum of what body(communicator, executor) returns in each process, one per GPU.
template <class Body>
Count sum_of(Rank ranks, std::size_t most_in_words, Body body) {
  fake_cuda::restart(machine_of(static_cast<int>(ranks), fake_cuda::options().seed + 1));
  std::atomic<Count> sum = 0;
  on_processes(ranks, [&](Communicator& control, Device& device) {
    PeerProcesses processes(control, device, options_of(most_in_words));
    RankExecutor rank(control, device, processes);
    sum += body(control, rank);
  });
  return sum;
}

/// The errors of all ranks, each as "rank: text\n".
class Errors {
 public:
  template <class Try>
  void of(Rank rank, Try attempt) {
    try {
      attempt();
    } catch (const Error& error) {
      const std::lock_guard lock(mutex_);
      all_ += std::to_string(rank) + ": " + error.what() + "\n";
    }
  }
  std::string text() const { return all_; }
  auto count() const { return std::count(all_.begin(), all_.end(), '\n'); }

 private:
  std::mutex mutex_;
  std::string all_;
};

/// A rank with a vector of ints on its GPU, which begins `off` elements into its memory.
struct Ints {
  Ints(RankExecutor& executor, std::size_t count, std::size_t off = 0)
      : on(executor),
        memory(on.own_device().allocate((count + off) * sizeof(int))),
        host(on.own_device().allocate(count * sizeof(int), MemoryKind::pinned)),
        data(memory.data() + off * sizeof(int)) {}
  void set(int value) {
    const std::vector<int> all(host.size() / sizeof(int), value);
    std::memcpy(host.data(), all.data(), host.size());
    on.stream().copy(data, host.data(), host.size());
    on.stream().synchronize();
  }
  /// How many are not `value`.
  Count others_than(int value) {
    on.stream().copy(host.data(), data, host.size());
    on.synchronize();
    std::vector<int> all(host.size() / sizeof(int));
    std::memcpy(all.data(), host.data(), host.size());
    return std::count_if(all.begin(), all.end(), [&](int x) { return x != value; });
  }

  RankExecutor& on;
  DeviceMemory memory, host;
  std::byte* data;
};

/// As the device does while the host does something else.
bool ends_by_itself(DeviceStream& stream) {
  for (int looks = 0; looks < 200; ++looks)
    if (stream.is_done()) return true;
  return false;
}

}  // namespace

TEST_CASE(
    "peer, processes: every algorithm gives the expected results, in words, flags, and both") {
  for (const Rank ranks : unless_sanitized({1, 3, 4}, {3}))
    for (const std::size_t most_in_words : kMostInWords) {
      if (most_in_words == kMostInWords[2] && (kSanitized || ranks != 3)) continue;
      fake_cuda::restart(machine_of(static_cast<int>(ranks), fake_cuda::options().seed + 1));
      std::string wrong;
      on_processes(ranks, [&](Communicator& control, Device& device) {
        PeerProcesses processes(control, device, options_of(most_in_words));
        StagedExecutor executor(control, device, processes);
        const std::string text = conformance::problems_of(executor, ranks);
        if (control.rank() == 0) wrong = text;
      });
      INFO(ranks << " ranks, up to " << most_in_words << " bytes in words");
      CHECK(wrong == "");
      CHECK(fake_cuda::alive() == "");
    }
}

TEST_CASE("peer, processes: vectors anywhere in their memory, run again and again") {
  constexpr Rank kRanks = 3;
  for (const char* const name : {"ring", "rabenseifner", "all_to_all", "tree"})
    for (const std::size_t most_in_words : kMostInWords) {
      const Count wrong =
          sum_of(kRanks, most_in_words, [&](Communicator& control, RankExecutor& rank) {
            const Rank me = control.rank();
            Ints ints(rank, 1003, static_cast<std::size_t>(me));
            auto prepared = rank.prepare(find_algorithm(name), {.ranks = kRanks, .elements = 1003},
                                         ints.data, kInts, 2);
            Count mine = 0;
            for (int turn = 0; turn < 4; ++turn) {
              ints.set((turn + 1) << (8 * me));
              rank.run(prepared);
              mine += ints.others_than((turn + 1) * 0x10101);
            }
            return mine;
          });
      INFO(name << " " << most_in_words);
      CHECK(wrong == 0);
    }
}

TEST_CASE("peer, processes: averages, and runs back to back out of place") {
  constexpr Rank kRanks = 3;
  for (const std::size_t most_in_words : kMostInWords) {
    CHECK(sum_of(kRanks, most_in_words, [&](Communicator&, RankExecutor& rank) {
            CheckedRunner runner(rank);
            Count wrong = 0;
            for (const Operand operand : {kFloats, Operand{DType::float16, Op::avg}}) {
              runner.load_input({.ranks = kRanks, .elements = 1009}, operand);
              for (const Algorithm& algorithm : conformance::each_kind_of_message()) {
                if (!unsupported(algorithm, {.ranks = kRanks, .elements = 1009}).empty()) continue;
                wrong +=
                    runner.run({.algorithm = &algorithm, .mode = {.in_place = false, .repeats = 3}})
                        .wrong;
                wrong += runner.run({.algorithm = &algorithm, .mode = {.repeats = 2}}).wrong;
              }
            }
            return wrong;
          }) == 0);
  }
}

TEST_CASE(
    "peer, processes: nobody reads a rank before it begins, and none ends before it was read") {
  for (const std::size_t most_in_words : {kMostInWords[0], kMostInWords[1]})
    for (const bool root_is_first : {true, false}) {
      bool ended = false;
      const Count wrong = sum_of(2, most_in_words, [&](Communicator& control, RankExecutor& rank) {
        const Rank me = control.rank(), root = root_is_first ? 0 : 1;
        Ints ints(rank, 1003);
        auto prepared = rank.prepare(
            find_algorithm("tree"),
            {.collective = Collective::broadcast, .ranks = 2, .elements = 1003, .root = root},
            ints.data, kInts, 1);
        Count mine = 0;
        for (int turn = 1; turn <= 3; ++turn) {
          if (me == 0) {  // comes first
            ints.set(10 * turn + static_cast<int>(me));
            rank.run(prepared);
            ended = ends_by_itself(rank.stream()) || ended;
          }
          control.barrier();
          if (me == 1) {
            ints.set(10 * turn + static_cast<int>(me));
            rank.run(prepared);
          }
          mine += ints.others_than(10 * turn + static_cast<int>(root));
        }
        return mine;
      });
      INFO(most_in_words << " " << root_is_first);
      CHECK(wrong == 0);
      CHECK_FALSE(ended);
    }
}

TEST_CASE("peer, processes: ranks whose GPUs differ agree on the least") {
  fake_cuda::restart(machine_of(3, 1));
  std::vector<int> least(3), negative(3);
  on_processes(3, [&](Communicator& control, Device& device) {
    PeerProcesses processes(control, device);
    const auto me = static_cast<std::size_t>(control.rank());
    const int values[] = {12, 7, 9};
    least[me] = processes.least(values[me]);
    negative[me] = processes.least(-values[me]);
  });
  CHECK(least == std::vector<int>{7, 7, 7});
  CHECK(negative == std::vector<int>{-12, -12, -12});
}

TEST_CASE("peer, processes: ranks whose GPUs cannot do it say why, all of them") {
  const auto errors_of = [](const fake_cuda::Options& options, Rank ranks, Rank gpus) {
    fake_cuda::restart(options);
    Errors errors;
    on_processes(ranks, gpus, [&](Communicator& control, Device& device, fake_cuda::Process&) {
      errors.of(control.rank(), [&] {
        PeerProcesses processes(control, device);
        RankExecutor rank(control, device, processes);
        Ints ints(rank, 1003);
        rank.prepare(find_algorithm("ring"), {.ranks = ranks, .elements = 1003}, ints.data, kInts,
                     1);
      });
    });
    const std::string text = errors.text();
    return std::pair(errors.count(), text);
  };
  const auto [sharing, shared] = errors_of(machine_of(2, 1), 3, 2);
  CHECK(sharing == 3);
  CHECK_THAT(shared, contains("1: rank 0 and rank 2 share a GPU"));
  fake_cuda::Options without = machine_of(2, 1);
  without.ipc = false;
  const auto [refusing, refused] = errors_of(without, 2, 2);
  CHECK(refusing == 2);
  CHECK_THAT(refused, contains("1: rank 0: GPU 0 has no CUDA IPC"));
}

TEST_CASE(
    "peer, processes: GPUs that are no peers fail all ranks where memory is needed, not "
    "elsewhere") {
  fake_cuda::Options apart = machine_of(2, 1);
  apart.peers = false;
  fake_cuda::restart(apart);
  Errors errors;
  std::atomic<int> done = 0;
  on_processes(2, 2, [&](Communicator& control, Device& device, fake_cuda::Process&) {
    PeerProcesses processes(control, device);
    RankExecutor rank(control, device, processes);
    Ints ints(rank, 1003);
    errors.of(control.rank(), [&] {
      rank.prepare(find_algorithm("ring"), {.ranks = 2, .elements = 1003}, ints.data, kInts, 1);
    });
    auto prepared = rank.prepare(find_algorithm("ring"), {.ranks = 2, .elements = 0}, ints.data,
                                 kInts, 1);  // no message
    rank.run(prepared);
    rank.synchronize();
    ++done;
  });
  CHECK(errors.count() == 2);
  CHECK_THAT(errors.text(), contains("1: rank 0: CUDA IPC failed in cudaIpcOpenMemHandle"));
  CHECK_THAT(errors.text(), contains("with Slurm: --gpu-bind=none"));
  CHECK(done == 2);
  CHECK(fake_cuda::alive() == "");
}

TEST_CASE("peer, processes: a rank opens its GPU twice, as for codes, and shares memory of both") {
  fake_cuda::restart(machine_of(2, 1));
  Errors errors;
  std::atomic<Count> wrong = 0;
  on_processes(2, [&](Communicator& control, Device& device) {
    PeerProcesses processes(control, device);
    RankExecutor rank(control, device, processes);
    const auto again = cuda::device(control.rank());
    Ints ints(rank, 1003);
    for (int turn = 0; turn < 2; ++turn) {
      const DeviceMemory codes = again->allocate(1003 * sizeof(int));
      errors.of(control.rank(), [&] {
        auto prepared = rank.prepare(find_algorithm("ring"), {.ranks = 2, .elements = 1003},
                                     codes.data(), kInts, 1);
        ints.set(1);
        rank.stream().copy(codes.data(), ints.data, codes.size());
        rank.run(prepared);
        rank.stream().copy(ints.data, codes.data(), codes.size());
        wrong += ints.others_than(2);
      });
    }
  });
  CHECK(errors.text() == "");
  CHECK(wrong == 0);
  CHECK(fake_cuda::alive() == "");
}

TEST_CASE("peer, processes: memory of another library, or of another machine's rank, is refused") {
  fake_cuda::restart(machine_of(2, 1));
  {
    class Far final : public Lonely {
     public:
      std::vector<Rank> machines() override { return {0, 1}; }
    } far;
    const auto device = cuda::device(0);
    CHECK_THROWS_WITH(PeerProcesses(far, *device),
                      contains("rank 0 and rank 1 are on two: use nccl"));
  }
  Errors errors;
  on_processes(2, [&](Communicator& control, Device& device) {
    PeerProcesses processes(control, device);
    RankExecutor rank(control, device, processes);
    const DeviceMemory host = device.allocate(4012, MemoryKind::pinned);
    Ints ints(rank, 1003);
    errors.of(control.rank(), [&] {
      rank.prepare(find_algorithm("ring"), {.ranks = 2, .elements = 1003},
                   control.rank() == 1 ? host.data() : ints.data, kInts, 1);
    });
  });
  CHECK(errors.count() == 2);
  CHECK_THAT(errors.text(), contains("0: rank 1: memory that is not this GPU's"));
}

TEST_CASE("peer, processes: a rank that does not come is named, and the others give up") {
  for (const std::size_t most_in_words : {kMostInWords[0], kMostInWords[1]}) {
    fake_cuda::Options options = machine_of(3, 1);
    options.still_seconds = 1;
    fake_cuda::restart(options);
    Errors errors;
    on_processes(3, 3, [&](Communicator& control, Device& device, fake_cuda::Process& process) {
      PeerProcesses processes(control, device, options_of(most_in_words, 5));
      RankExecutor rank(control, device, processes);
      Ints ints(rank, 1003);
      auto prepared =
          rank.prepare(find_algorithm("ring"), {.ranks = 3, .elements = 1003}, ints.data, kInts, 1);
      if (control.rank() != 1)
        errors.of(control.rank(), [&] {
          rank.run(prepared);
          rank.synchronize();
        });
      processes.abort();
      control.barrier();
      process.die();
    });
    INFO(errors.text());
    CHECK(errors.count() == 2);
    CHECK_THAT(errors.text(), contains("waited 5 s for rank 1 before step"));
  }
}

TEST_CASE("peer, processes: what a rank frees stays until all have closed it") {
  fake_cuda::restart(machine_of(2, 1));
  std::vector<std::size_t> memory;
  on_processes(2, [&](Communicator& control, Device& device) {
    const auto note = [&] {
      control.barrier();
      if (control.rank() == 0) memory.push_back(fake_cuda::counters().memory);
      control.barrier();
    };
    PeerProcesses processes(control, device);
    RankExecutor rank(control, device, processes);
    note();
    {
      Ints ints(rank, 1003);
      auto prepared =
          rank.prepare(find_algorithm("ring"), {.ranks = 2, .elements = 1003}, ints.data, kInts, 1);
      note();
    }
    note();
    processes.free_memory();
    note();
    for (int turn = 0; turn < 2; ++turn) {  // the second plan's exchange frees what the first had
      Ints ints(rank, 1003);
      auto prepared =
          rank.prepare(find_algorithm("ring"), {.ranks = 2, .elements = 1003}, ints.data, kInts, 1);
      note();
    }
  });
  REQUIRE(memory.size() == 6);
  CHECK(memory[4] == memory[1]);
  CHECK(memory[5] == memory[1]);
  CHECK(memory[1] > memory[2]);  // tables are nobody else's
  CHECK(memory[2] > memory[3]);
  CHECK(memory[3] == memory[0]);
  CHECK(fake_cuda::alive() == "");
}
