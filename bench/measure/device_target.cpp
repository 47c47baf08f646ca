#include "bench/measure/device_target.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "collectives/nccl/tuning_log.hpp"
#include "collectives/verifiable_input.hpp"

namespace arlab::bench {
namespace {

std::size_t bytes_of(const Problem& problem, collectives::Operand operand) {
  return static_cast<std::size_t>(problem.elements) * collectives::size_of(operand.dtype);
}

/// One rank's vector, its input, the right answer and the count of what differs from it.
class CheckedVector {
 public:
  CheckedVector(collectives::Device& device, collectives::DeviceStream& stream,
                const Problem& problem, collectives::Operand operand, Rank rank)
      : stream_(stream),
        operand_(operand),
        needed_(collectives::needed_at_end({problem, 0}, rank)),
        input_(device.allocate(bytes_of(problem, operand))),
        data_(device.allocate(input_.size())),
        right_(device.allocate(input_.size())),
        wrong_(device.allocate(sizeof(Count))),
        told_(device.allocate_pinned(sizeof(Count))) {
    const collectives::DeviceMemory host = device.allocate_pinned(input_.size());
    const std::span<std::byte> vector(host.data(), host.size());
    collectives::fill(vector, operand, problem, rank);
    stream_.copy(input_.data(), host.data(), host.size());
    stream_.synchronise();
    collectives::right_answer(vector, operand, problem, rank);
    stream_.copy(right_.data(), host.data(), host.size());
    stream_.synchronise();
  }

  std::byte* data() const { return data_.data(); }

  void reset() { stream_.copy(data_.data(), input_.data(), input_.size()); }

  /// Enqueues the check; told() is its answer once the stream is done.
  void check() {
    std::memset(told_.data(), 0, sizeof(Count));
    stream_.copy(wrong_.data(), told_.data(), sizeof(Count));
    for (const collectives::Piece& piece : needed_) {
      const auto at = static_cast<std::size_t>(piece.first) * collectives::size_of(operand_.dtype);
      stream_.count_different(wrong_.data(), data_.data() + at, right_.data() + at, piece.elements,
                              operand_.dtype);
    }
    stream_.copy(told_.data(), wrong_.data(), sizeof(Count));
  }
  Count told() const {
    Count count = 0;
    std::memcpy(&count, told_.data(), sizeof(count));
    return count;
  }

 private:
  collectives::DeviceStream& stream_;
  collectives::Operand operand_;
  std::vector<collectives::Piece> needed_;
  collectives::DeviceMemory input_, data_, right_, wrong_, told_;
};

using Key = std::pair<const Algorithm*, int>;  // and its segments

class VirtualRanks final : public BenchmarkTarget {
 public:
  VirtualRanks(collectives::Devices& devices, Rank ranks, bool as_graphs)
      : on_(devices, ranks), one_device_(devices.size() == 1), as_graphs_(as_graphs) {}

  bool is_first() const override { return true; }
  double max(double value) override { return value; }
  Count sum(Count value) override { return value; }
  std::string native_name() const override { return ""; }

  void prepare(const Problem& problem, collectives::Operand operand) override {
    on_.synchronise();
    prepared_.clear();
    vectors_.clear();
    for (Rank rank = 0; rank < on_.ranks(); ++rank)
      vectors_.push_back(std::make_unique<CheckedVector>(on_.device(rank), on_.stream(rank),
                                                         problem, operand, rank));
  }

  Run run(const Config& config) override {
    collectives::ColocatedExecutor::Prepared& prepared = prepared_for(config);
    for (const auto& vector : vectors_) vector->reset();
    on_.run(prepared);
    for (const auto& vector : vectors_) vector->check();
    on_.synchronise();
    Run result;
    result.us = on_.microseconds();
    result.traffic = one_device_ ? prepared.traffic() : 0;
    for (Rank rank = 0; rank < on_.ranks(); ++rank) {
      result.wrong += vectors_[static_cast<std::size_t>(rank)]->told();
      result.sent.messages += prepared.sent(rank).messages;
      result.sent.elements += prepared.sent(rank).elements;
      result.sent.rounds = std::max(result.sent.rounds, prepared.sent(rank).rounds);
    }
    return result;
  }

 private:
  collectives::ColocatedExecutor::Prepared& prepared_for(const Config& config) {
    const Key key{config.algorithm, config.segments};
    if (const auto known = prepared_.find(key); known != prepared_.end()) return known->second;
    std::vector<std::byte*> data;
    for (const auto& vector : vectors_) data.push_back(vector->data());
    return prepared_
        .emplace(key, on_.prepare(*config.algorithm, config.problem, data, config.operand,
                                  config.segments, as_graphs_))
        .first->second;
  }

  std::vector<std::unique_ptr<CheckedVector>> vectors_;  // by rank
  std::map<Key, collectives::ColocatedExecutor::Prepared> prepared_;
  collectives::ColocatedExecutor on_;  // goes first, and waits for what is under way on the others
  bool one_device_, as_graphs_;
};

class RankOnDevice final : public BenchmarkTarget {
 public:
  RankOnDevice(collectives::Communicator& control, collectives::Device& device,
               collectives::DeviceTransport& wires)
      : control_(control), rank_(control, device, wires) {}

  bool is_first() const override { return control_.rank() == 0; }
  double max(double value) override { return control_.max(value); }
  Count sum(Count value) override { return control_.sum(value); }
  std::string native_name() const override { return rank_.wires().native_name(); }
  std::string native_choice(Count bytes) const override {
    return native_name() == "ncclAllReduce"
               ? collectives::chosen_in_log(collectives::tuning_log(), bytes)
               : "";
  }

  void prepare(const Problem& problem, collectives::Operand operand) override {
    rank_.synchronise();
    prepared_.clear();
    vector_ = nullptr;
    vector_ = std::make_unique<CheckedVector>(rank_.device(), rank_.stream(), problem, operand,
                                              control_.rank());
  }

  Run run(const Config& config) override {
    Run result;
    // Before the barrier: allocating may wait for a peer's stream that already waits for this rank.
    collectives::RankExecutor::Prepared* const prepared = config.algorithm ? &prepared_for(config) : nullptr;
    vector_->reset();
    rank_.synchronise();
    control_.barrier();
    if (prepared) {
      rank_.run(*prepared);
      result.sent = prepared->sent();
    } else {
      rank_.run_native(vector_->data(), config.problem.elements, config.operand);
    }
    vector_->check();
    rank_.synchronise();
    result.wrong = vector_->told();
    result.us = control_.max(rank_.microseconds());
    return result;
  }

 private:
  collectives::RankExecutor::Prepared& prepared_for(const Config& config) {
    const Key key{config.algorithm, config.segments};
    if (const auto known = prepared_.find(key); known != prepared_.end()) return known->second;
    return prepared_
        .emplace(key, rank_.prepare(*config.algorithm, config.problem, vector_->data(),
                                    config.operand, config.segments))
        .first->second;
  }

  collectives::Communicator& control_;
  std::unique_ptr<CheckedVector> vector_;
  std::map<Key, collectives::RankExecutor::Prepared> prepared_;
  collectives::RankExecutor rank_;  // goes first, and waits for what is under way on the others
};

}  // namespace

std::unique_ptr<BenchmarkTarget> virtual_ranks(collectives::Devices& devices, Rank ranks,
                                               bool as_graphs) {
  return std::make_unique<VirtualRanks>(devices, ranks, as_graphs);
}

std::unique_ptr<BenchmarkTarget> rank_on_device(collectives::Communicator& control,
                                                collectives::Device& device,
                                                collectives::DeviceTransport& wires) {
  return std::make_unique<RankOnDevice>(control, device, wires);
}

double device_bytes(const Problem& problem, collectives::Operand operand) {
  return 3.0 * static_cast<double>(bytes_of(problem, operand));
}

}  // namespace arlab::bench
