#include "collectives/gpu/staged_executor.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/rank_grid.hpp"

namespace arlab::collectives {
namespace {

// Each has scratch memory on the device. A model has fewer buckets; a sweep over sizes may not.
constexpr std::size_t kMaxPrepared = 256;

// While one piece travels, the host copies another one.
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::vector<Rank> groups_of_ranks(const Groups* groups) {
  std::vector<Rank> all;
  for (Rank rank = 0; groups && rank < groups->ranks(); ++rank)
    all.push_back(groups->group_of(rank));
  return all;
}

std::vector<Rank> sizes_of(const RankGrid* grid) {
  std::vector<Rank> all;
  for (int d = 0; grid && d < grid->dimensions(); ++d) all.push_back(grid->size(d));
  return all;
}

}  // namespace

StagedExecutor::StagedExecutor(Communicator& control, Device& device, DeviceTransport& transport,
                               RankExecutor::Seconds patience)
    : Executor({.control = &control, .on_device = this, .transport = transport.description()}),
      DeviceCollectives(device, !transport.runs_plans()),
      control_(control),
      device_(device),
      reduced_(device.make_event()),
      second_{device.make_stream()},
      rank_(control, device, transport, patience) {
  traits_.workload = &rank_.workload();
  traits_.baseline = &rank_.baseline();
}

StagedExecutor::SecondStream::~SecondStream() { stream->settle(); }

void StagedExecutor::make_room(std::size_t bytes) {
  if (bytes <= here_.size()) return;
  prepared_.clear();  // bound to memory that is about to be freed
  there_ = {};
  here_ = {};
  there_ = device_.allocate(bytes);
  here_ = device_.allocate(bytes, MemoryKind::pinned);
  control_.barrier();
}

void StagedExecutor::expect_unbroken() const {
  if (failed_)
    fail(Blame::environment,
         "a collective between the GPUs has failed, and may be amid its memory: start the job "
         "again");
}

template <class Run>
void StagedExecutor::stage(std::span<std::byte> data, Run run) {
  failed_ = true;  // unless it ends
  if (data.empty()) {
    run();
    rank_.synchronize();  // even an empty graph must not be destroyed while it runs
    failed_ = false;
    return;
  }
  DeviceStream& stream = rank_.stream();
  for (std::size_t first = 0; first < data.size(); first += kPiece) {
    const std::size_t bytes = std::min(kPiece, data.size() - first);
    std::memcpy(here_.data() + first, data.data() + first, bytes);
    stream.copy(there_.data() + first, here_.data() + first, bytes);
  }
  run();
  bring_back(data);
  failed_ = false;
}

// Two streams take the pieces in turn: while one piece travels, the host copies the one before. The
// first wait is the rank's, which loses its patience and knows of lost peers; the vector is
// unchanged until then.
void StagedExecutor::bring_back(std::span<std::byte> data) {
  const auto piece_at = [&](std::size_t first) {
    return data.subspan(first, std::min(kPiece, data.size() - first));
  };
  const auto fetch = [&](DeviceStream& stream, std::size_t first) {
    if (first < data.size())
      stream.copy(here_.data() + first, there_.data() + first, piece_at(first).size());
  };
  DeviceStream* const streams[] = {&rank_.stream(), second_.stream.get()};
  if (data.size() > kPiece) {
    streams[0]->record(reduced_);
    streams[1]->wait(reduced_);
    fetch(*streams[1], kPiece);
  }
  fetch(*streams[0], 0);
  rank_.synchronize();
  for (std::size_t first = 0, turn = 0; first < data.size(); first += kPiece, turn ^= 1) {
    if (first > 0) streams[turn]->synchronize();
    const std::span<std::byte> piece = piece_at(first);
    fetch(*streams[turn], first + 2 * kPiece);
    std::memcpy(piece.data(), here_.data() + first, piece.size());
  }
}

RankExecutor::Prepared& StagedExecutor::prepared_for(const Algorithm& algorithm,
                                                     const Problem& problem, std::byte* data,
                                                     Operand operand, int segments) {
  const Key key{data,
                &algorithm,
                problem.collective,
                problem.elements,
                problem.root,
                operand.dtype,
                operand.op,
                segments,
                groups_of_ranks(problem.groups),
                sizes_of(problem.grid),
                problem.forest};
  if (const auto known = prepared_.find(key); known != prepared_.end()) return known->second;
  if (prepared_.size() == kMaxPrepared) prepared_.clear();
  RankExecutor::Prepared made = rank_.prepare(algorithm, problem, data, operand, segments,
                                              RankExecutor::Cutting::of_equal_size);
  control_.barrier();
  return prepared_.emplace(key, std::move(made)).first->second;
}

Cost StagedExecutor::run_in_place(const Algorithm* algorithm, const Problem& problem,
                                  std::span<std::byte> data, Operand operand, int segments, int) {
  if (algorithm) arlab::collectives::check(*algorithm, problem, control_.ranks());
  expects(data.size() == static_cast<std::size_t>(problem.elements) * size_of(operand.dtype),
          "a staged vector is as long as its problem");
  expect_unbroken();
  make_room(data.size());
  if (!algorithm) {
    stage(data, [&] { rank_.run_native(problem, there_.data(), operand); });
    return {};
  }
  RankExecutor::Prepared& prepared =
      prepared_for(*algorithm, problem, there_.data(), operand, segments);
  stage(data, [&] { rank_.run(prepared); });
  return prepared.sent();
}

template <class Run>
double StagedExecutor::run_on_device(std::span<const DeviceEvent> after, Run run) {
  failed_ = true;  // unless it ends
  try {
    for (const DeviceEvent& event : after) rank_.stream().wait(event);
    run();
    const double us = rank_.microseconds();
    failed_ = false;
    return us;
  } catch (...) {  // the memory is the caller's, who may free it
    rank_.abort();
    rank_.stream().settle();
    throw;
  }
}

DeviceRun StagedExecutor::execute(const Algorithm* algorithm, const Problem& problem,
                                  std::byte* data, Operand operand, int segments,
                                  std::span<const DeviceEvent> after) {
  expect_unbroken();
  RankExecutor::Prepared* prepared = nullptr;
  if (algorithm) {
    arlab::collectives::check(*algorithm, problem, control_.ranks());
    prepared = &prepared_for(*algorithm, problem, data, operand, segments);
  }
  const double us = run_on_device(after, [&] {
    if (prepared)
      rank_.run(*prepared);
    else
      rank_.run_native(problem, data, operand);
  });
  return {prepared ? prepared->sent() : Cost{}, us / 1e6};
}

double StagedExecutor::exchange(std::span<const SendRecv> messages, const DeviceEvent& after) {
  if (!exchanges())
    fail(Blame::usage,
         "this backend exchanges no messages in a device's memory: use the backend nccl");
  expect_unbroken();
  return run_on_device({&after, 1}, [&] { rank_.exchange(messages); }) / 1e6;
}

}  // namespace arlab::collectives
