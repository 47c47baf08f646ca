#include "bench/hunt/ranks_probe.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "bench/calibrate/exchanger.hpp"
#include "collectives/host/gatherv.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::bench {
namespace {

using collectives::Communicator;

constexpr Bytes kAnswer = 8, kSmallest = 1024;
constexpr Count kAloneBytes = Count{4} << 20;  // in no cache of one core

class RankPairs {
 public:
  RankPairs(Communicator& communicator, Bytes bytes)
      : communicator_(communicator), exchanger_(communicator, std::max(bytes, kSmallest), 0) {}

  std::vector<double> round_trips(std::span<const hunt::Pair> pairs, Bytes bytes) {
    // The first opens the connection.
    const int repetitions = bytes <= kSmallest ? 21 : 4;
    const Rank me = communicator_.rank();
    double mine = 0;
    communicator_.barrier();
    for (const hunt::Pair& pair : pairs) {
      if (pair.from == me) mine = first_end(pair.to, bytes, repetitions);
      if (pair.to == me) second_end(pair.from, bytes, repetitions);
    }
    const std::vector<double> of_rank = by_rank(mine);
    std::vector<double> all;
    for (const hunt::Pair& pair : pairs) all.push_back(of_rank[index(pair.from)]);
    return all;
  }

  std::vector<double> alone(const std::function<void(std::byte*, const std::byte*)>& work) {
    constexpr int kRepetitions = 5;
    if (into_.empty()) {
      into_.resize(index(kAloneBytes));
      from_.resize(index(kAloneBytes));
    }
    std::vector<double> times;
    communicator_.barrier();
    for (int k = 0; k < kRepetitions; ++k) {
      const double start = exchanger_.now();
      work(into_.data(), from_.data());
      times.push_back(1e6 * (exchanger_.now() - start));
    }
    // The least: what else runs on the machine only adds to it.
    return by_rank(*std::ranges::min_element(times));
  }

 private:
  double first_end(Rank peer, Bytes bytes, int repetitions) {
    std::vector<double> times;
    for (int k = 0; k < repetitions; ++k) {
      const double start = exchanger_.now();
      exchanger_.send(0, peer, bytes);
      exchanger_.wait(1);
      exchanger_.receive(1, peer, kAnswer);
      exchanger_.wait(1);
      if (k > 0) times.push_back(1e6 * (exchanger_.now() - start));
    }
    return median_of(times);
  }

  void second_end(Rank peer, Bytes bytes, int repetitions) {
    for (int k = 0; k < repetitions; ++k) {
      exchanger_.receive(0, peer, bytes);
      exchanger_.wait(1);
      exchanger_.send(1, peer, kAnswer);
      exchanger_.wait(1);
    }
  }

  std::vector<double> by_rank(double mine) {
    std::string text(sizeof mine, '\0');
    std::memcpy(text.data(), &mine, text.size());
    std::vector<double> all;
    for (const std::string& one : collectives::share_all(communicator_, text)) {
      std::memcpy(&mine, one.data(), text.size());
      all.push_back(mine);
    }
    return all;
  }

  Communicator& communicator_;
  Exchanger exchanger_;
  std::vector<std::byte> into_, from_;
};

}  // namespace

hunt::Probe ranks_probe(Communicator& communicator, Bytes bytes) {
  const auto pairs = std::make_shared<RankPairs>(communicator, bytes);
  hunt::Probe probe{.ranks = communicator.ranks()};
  const std::vector<Rank> machines = communicator.machines();
  if (std::ranges::any_of(machines, [&](Rank m) { return m != machines.front(); }))
    probe.group_of.assign(machines.begin(), machines.end());
  probe.round_trips = [pairs](std::span<const hunt::Pair> all, Bytes size) {
    return pairs->round_trips(all, size);
  };
  probe.copy = [pairs] {
    return pairs->alone([](std::byte* into, const std::byte* from) {
      std::memcpy(into, from, index(kAloneBytes));
    });
  };
  probe.add = [pairs] {
    return pairs->alone([](std::byte* into, const std::byte* from) {
      collectives::reduce_into(into, from, kAloneBytes / 4,
                               {collectives::DType::float32, collectives::Op::sum});
    });
  };
  return probe;
}

double ranks_per_processor(Communicator& communicator) {
  const std::vector<Rank> machines = communicator.machines();
  const Rank here = machines[index(communicator.rank())];
  const auto ranks = static_cast<double>(std::ranges::count(machines, here));
  return communicator.max(ranks / std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace arlab::bench
