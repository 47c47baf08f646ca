#include "training/plugins/torch/ranks/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::training {

using collectives::Operand;
using collectives::Transfer;

namespace {

constexpr int kLane = 4094;  // the vectors' lanes are the first ones

}  // namespace

Agreement::Agreement(collectives::CountingCommunicator& ranks, std::vector<std::string> names)
    : ranks_(ranks),
      names_(std::move(names)),
      out_(sizeof(Known) + kMostBytesWithCall),
      in_(sizeof(Known) + kMostBytesWithCall),
      work_(kMostBytesWithCall) {
  const Problem problem{.ranks = ranks.ranks(), .elements = 1};
  const Algorithm& butterfly = find_algorithm("butterfly");
  const std::vector<Lane> lanes = lanes_of(butterfly, problem, 1);
  collectives::LaneRounds rounds(butterfly, lanes.front(), ranks.rank());
  while (rounds.next()) {
    Step& step = steps_.emplace_back();
    for (const collectives::ElementAction& action : rounds.round()) {
      const bool sends = action.kind == ActionKind::send;
      (sends ? step.sends : step.receives) = true;
      (sends ? step.to : step.from) = action.peer;
      step.replaces |= action.kind == ActionKind::replace;
    }
  }
}

void Agreement::allreduce(const Call& call, std::span<std::byte> data, Operand operand) {
  const std::span work = std::span(work_).first(data.size());
  if (!data.empty()) std::memcpy(work.data(), data.data(), data.size());
  const auto elements = static_cast<Count>(data.size() / size_of(operand.dtype));
  collectives::divide_before(work.data(), elements, operand, ranks_.ranks());
  run(call, work, operand);
  collectives::divide_after(work.data(), elements, operand, ranks_.ranks());
  if (!data.empty()) std::memcpy(data.data(), work.data(), data.size());
}

void Agreement::run(const Call& call, std::span<std::byte> data, Operand operand) {
  ++number_;
  known_ = {};
  known_.first = call;
  known_.first.rank = ranks_.rank();
  for (const Step& step : steps_) exchange(step, data, operand);
  if (known_.differ) fail_for_different(known_.first, known_.other, names_);
}

// What is sent is what was known before. A message may be shorter than the memory that waits for
// it.
void Agreement::exchange(const Step& step, std::span<std::byte> data, Operand operand) {
  Transfer transfers[2];
  std::size_t count = 0;
  if (step.sends) {
    const std::size_t head = known_.bytes();
    std::memcpy(out_.data(), static_cast<const void*>(&known_), head);
    if (!data.empty()) std::memcpy(out_.data() + head, data.data(), data.size());
    const auto bytes = static_cast<Count>(head + data.size());
    transfers[count++] = {ActionKind::send, step.to, out_.data(), bytes};
    if (!data.empty()) ranks_.add({1, static_cast<Count>(data.size())}, 0);
  }
  if (step.receives)
    transfers[count++] = {ActionKind::replace, step.from, in_.data(),
                          static_cast<Count>(in_.size())};
  ranks_.uncounted().exchange(kLane, std::span(transfers).first(count),
                              {collectives::DType::byte, collectives::Op::sum});
  if (!step.receives) return;
  Known its;
  const std::size_t head = its.bytes();
  std::memcpy(static_cast<void*>(&its), in_.data(), head);
  known_.add(its.first);
  if (its.differ) {
    std::memcpy(static_cast<void*>(&its), in_.data(), sizeof its);
    known_.add(its.other);
  }
  if (known_.differ || data.empty()) return;
  const std::byte* const arrived = in_.data() + head;
  if (step.replaces)
    std::memcpy(data.data(), arrived, data.size());
  else
    collectives::reduce_into(data.data(), arrived,
                             static_cast<Count>(data.size() / size_of(operand.dtype)), operand);
}

void Agreement::Known::add(const Call& call) {
  Call its = call;
  if (its.rank < first.rank) std::swap(its, first);
  if (!its.same(first) && (!differ || its.rank < other.rank)) {
    other = its;
    differ = 1;
  }
}

}  // namespace arlab::training
