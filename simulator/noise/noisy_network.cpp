#include "simulator/noise/noisy_network.hpp"

#include <algorithm>
#include <utility>

namespace arlab::simulator {

NoisyNetwork::NoisyNetwork(std::unique_ptr<Network> network, Rank ranks, const Noise& noise)
    : Network(network->traits()),
      network_(std::move(network)),
      noise_(noise),
      delays_(ranks, {.mean = noise.jitter, .seed = noise.seed}),
      losses_(noise.loss, Random(noise.seed).of(2).key(), traits_.eager) {
  traits_.uniform = nullptr;
  traits_.shortcuts = nullptr;
  traits_.adding = nullptr;  // whose transfers are not delayed
  if (losses_.any()) traits_.has_changes = true;
  if (is_interrupted()) {
    const Random phases = Random(noise.seed).of(1);
    for (std::uint64_t r = 0; r < index(ranks); ++r)
      first_detour_.emplace_back(phases.below(noise.period.count(), r));
  } else if (const UniformCosts* const costs = network_->uniform(); costs && !losses_.any()) {
    uniform_ = *costs;
    uniform_->delay = {.mean = noise.jitter, .seed = noise.seed};
    traits_.uniform = &*uniform_;
  }
}

Time NoisyNetwork::after_detour(Rank rank, Time time) const {
  if (!is_interrupted() || time < first_detour_[index(rank)]) return time;
  const Time into = (time - first_detour_[index(rank)]) % noise_.period;
  return into < noise_.detour ? time + noise_.detour - into : time;
}

Time NoisyNetwork::can_send(Rank rank, Time now) {
  return after_detour(rank, network_->can_send(rank, now));
}

Time NoisyNetwork::can_receive(Rank target, Time now) {
  return after_detour(target, network_->can_receive(target, now));
}

Time NoisyNetwork::receive(const Message& message, Time now) {
  return network_->receive(message, now);
}

Network::Sent NoisyNetwork::send(const Message& message, Time now) {
  Sent sent = network_->send(message, now);
  const bool may_stall = losses_.any() && losses_.send(message, now);
  if (sent.arrives == kNever) {
    remember(message);
    return sent;
  }
  sent.arrives = delays_.late(message.source, message.target, now, sent.arrives);
  if (!may_stall) return sent;
  remember(message);
  held_.push({std::exchange(sent.arrives, kNever), turns_++, message.number});
  return sent;
}

void NoisyNetwork::remember(const Message& message) {
  if (!is_late() && !losses_.any()) return;
  if (message.number >= sent_.size()) sent_.resize(message.number + std::size_t{1});
  sent_[message.number] = message;
}

void NoisyNetwork::arrive(std::uint32_t number, Time now) {
  if (losses_.any())
    losses_.arrive(sent_[number], now, arrived_);
  else
    arrived_.push_back(number);
}

void NoisyNetwork::post_receive(const Message& message, Time now) {
  network_->post_receive(message, now);
}

Time NoisyNetwork::next_change() {
  const Time next = std::min(network_->next_change(), losses_.next_time());
  return held_.empty() ? next : std::min(next, held_.top().arrival);
}

Network::Change NoisyNetwork::advance(Time now) {
  completed_.clear();
  arrived_.clear();
  if (network_->next_change() <= now) {
    const Change change = network_->advance(now);
    for (const std::uint32_t number : change.arrived)
      if (is_late())
        held_.push(
            {delays_.late(sent_[number].source, sent_[number].target, now, now), turns_++, number});
      else
        arrive(number, now);
    completed_.assign(change.sent.begin(), change.sent.end());
  }
  for (; !held_.empty() && held_.top().arrival <= now; held_.pop()) arrive(held_.top().number, now);
  losses_.take(now, arrived_);
  return {.arrived = arrived_, .sent = completed_};
}

Network::Work NoisyNetwork::reduce(Rank rank, Bytes bytes, Time now, bool sent) {
  return prolonged(rank, network_->reduce(rank, bytes, after_detour(rank, now), sent));
}

Network::Work NoisyNetwork::compute(Rank rank, Time duration, Time now) {
  return prolonged(rank, network_->compute(rank, duration, after_detour(rank, now)));
}

// The work with the detours that it meets. It does not begin within one.
Network::Work NoisyNetwork::prolonged(Rank rank, const Work& work) {
  const Time length = work.end - work.begin;
  if (!is_interrupted() || length == Time{}) return work;
  const Time free = noise_.period - noise_.detour, first = first_detour_[index(rank)];
  const Time until_next = work.begin < first ? first - work.begin
                                             : noise_.period - (work.begin - first) % noise_.period;
  if (length <= until_next) return work;
  const std::int64_t detours = 1 + (length - until_next - Time{1}) / free;
  const Work rest = network_->compute(rank, detours * noise_.detour, work.end);
  return {work.begin, rest.end};
}

}  // namespace arlab::simulator
