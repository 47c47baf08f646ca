#include "simulator/connections/streams.hpp"

#include <algorithm>
#include <utility>

namespace arlab::simulator {
namespace {

constexpr double kPacketsPerMessage = 256;  // at most: more would not change the time noticeably
constexpr double kRounding = 1e-3;          // of a byte

}  // namespace

Streams::Streams(const Machine& machine, std::shared_ptr<const Fabric> fabric)
    : queue_(machine.queue),
      segment_(std::max(machine.segment, 1.)),
      socket_(machine.socket),
      mtu_(static_cast<double>(std::max<Bytes>(machine.mtu, 1))),
      acks_(machine.acks),
      fabric_(std::move(fabric)),
      router_(fabric_->topology, fabric_->routing, fabric_->seed),
      links_(fabric_->topology, machine.burst, machine.burst_left) {
  expect_one_route(*fabric_, "connections");
}

std::uint32_t Streams::stream_of(Rank source, Rank target, bool beside) {
  const std::uint64_t key = static_cast<std::uint64_t>(source) << 33 |
                            static_cast<std::uint64_t>(target) << 1 | (beside ? 1U : 0U);
  const auto [found, added] =
      by_pair_.try_emplace(key, static_cast<std::uint32_t>(streams_.size()));
  if (added)
    make_stream(fabric_->host_of[static_cast<std::size_t>(source)],
                fabric_->host_of[static_cast<std::size_t>(target)]);
  return found->second;
}

// From one host to another.
Streams::Stream& Streams::make_stream(Rank from, Rank to) {
  Stream& stream = streams_.emplace_back();
  const auto route = router_.route(from, to);
  stream.route.assign(route.begin(), route.end());
  const auto back = router_.route(to, from);
  if (!back.empty()) stream.back = back.front();
  return stream;
}

void Streams::add_endless(const HostStream& stream, Time now) {
  constexpr double kEndless = 1e30;  // bytes: no run carries as many
  const auto id = static_cast<std::uint32_t>(streams_.size());
  make_stream(stream.from, stream.to).items.push_back({0, kEndless, mtu_});
  write(id, now);
}

Time Streams::latency(Rank source, Rank target) {
  return router_.latency(streams_[stream_of(source, target)].route);
}

void Streams::add(Rank source, Rank target, std::uint32_t item, double bytes, Time now) {
  append(stream_of(source, target), item, bytes, now);
}

void Streams::add_beside(Rank source, Rank target, std::uint32_t item, double bytes, Time now) {
  append(stream_of(source, target, true), item, bytes, now);
}

void Streams::add_urgent(Rank source, Rank target, std::uint32_t item, Time now) {
  early_.push_back({What::delivered, item});
  events_.push({now, order_++, stream_of(source, target), 0, 0});
}

void Streams::append(std::uint32_t id, std::uint32_t item, double bytes, Time now) {
  Stream& stream = streams_[id];
  stream.added += bytes;
  stream.items.push_back({item, bytes, std::max(mtu_, bytes / kPacketsPerMessage)});
  stream.marks.push_back({item, stream.added, false});
  write(id, now);
  if (stream.added - stream.delivered <= socket_) events_.push({now, order_++, id, 0, 0});
}

// Hands over segments while there is room. A segment counts half, so that on average `queue` bytes
// wait.
void Streams::write(std::uint32_t id, Time now) {
  Stream& stream = streams_[id];
  while (!stream.items.empty()) {
    if (stream.queued > 0 && stream.queued + segment_ / 2 > queue_) return;
    if (socket_ > 0 && stream.sent - stream.delivered >= socket_) return;
    Item& item = stream.items.front();
    double left = std::min(segment_, item.left);
    item.left -= left;
    while (left > 0) {
      const double bytes = std::min(item.packet, left);
      left -= bytes;
      stream.sent += bytes;
      stream.queued += bytes;
      const Time leaves = stream.route.empty() ? now : links_.send(stream.route[0], bytes, now);
      events_.push({leaves, order_++, id, 1, bytes});
    }
    if (item.left <= 0) stream.items.pop_front();
  }
}

// The packet has left the link before `hop`.
void Streams::forward(const Packet& packet) {
  Stream& stream = streams_[packet.stream];
  if (packet.hop == 1) {
    stream.queued -= packet.bytes;
    write(packet.stream, packet.time);
  }
  if (packet.hop >= stream.route.size()) {
    acknowledge(packet);
    return deliver(stream, packet.bytes);
  }
  const Time leaves = links_.send(stream.route[packet.hop], packet.bytes, packet.time);
  events_.push({leaves, order_++, packet.stream, packet.hop + 1, packet.bytes});
}

// Only the first link of its way is loaded: what it does on the others has no effect on a message.
void Streams::acknowledge(const Packet& packet) {
  const LinkId link = streams_[packet.stream].back;
  if (acks_ > 0 && link >= 0) links_.send(link, acks_ * packet.bytes, packet.time);
}

void Streams::deliver(Stream& stream, double bytes) {
  stream.delivered += bytes;
  report_written(stream);
  while (!stream.marks.empty() && stream.marks.front().end <= stream.delivered + kRounding) {
    happened_.push_back({What::delivered, stream.marks.front().number});
    stream.marks.pop_front();
  }
}

void Streams::report_written(Stream& stream) {
  for (Mark& mark : stream.marks) {
    const bool all = mark.end <= stream.delivered + kRounding;
    if (!all && mark.end - stream.delivered > socket_) return;
    if (!mark.written) happened_.push_back({What::written, mark.number});
    mark.written = true;
  }
}

std::span<const Streams::Event> Streams::advance(Time now) {
  happened_.clear();
  while (!events_.empty() && events_.top().time <= now) {
    const Packet packet = events_.top();
    events_.pop();
    if (packet.hop > 0) {
      forward(packet);
      if (streams_[packet.stream].queued <= 0) write(packet.stream, packet.time);
    } else {
      happened_.insert(happened_.end(), early_.begin(), early_.end());
      early_.clear();
      report_written(streams_[packet.stream]);
    }
  }
  return happened_;
}

}  // namespace arlab::simulator
