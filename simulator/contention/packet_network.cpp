#include "simulator/contention/packet_network.hpp"

#include <algorithm>

namespace arlab::simulator {

PacketNetwork::PacketNetwork(const Topology& topology, const Settings& settings)
    : order_(topology),
      settings_(settings),
      depth_(std::max<Count>(1, settings.queue / (settings.mtu + settings.header))),
      carried_(topology.links().size()) {
  for (const Link& link : topology.links()) {
    Channel channel;
    channel.rate = link.bandwidth / kPicosecondsPerSecond;
    channel.latency = link.latency;
    channels_.push_back(std::move(channel));
  }
}

void PacketNetwork::add(const Message& message, std::span<const LinkId> route, Time now) {
  const Index id = take_flow();
  Flow& flow = flows_[id];
  flow.number = message.number;
  flow.packets = (message.bytes + settings_.mtu - 1) / settings_.mtu;
  flow.last = message.bytes - (flow.packets - 1) * settings_.mtu;
  flow.injected = flow.arrived = 0;
  flow.route.assign(route.begin(), route.end());
  find_queues(flow);
  if (message.turn.waits()) turns_.add(id, message, message.turn.channel);
  if (turns_.may_start(id)) start_packets(id, now);
}

void PacketNetwork::start_packets(Index id, Time now) {
  const Index queue = flows_[id].queues[0];
  queues_[queue].sources.push_back(id);
  woken_.push_back(queue);
  wake_ = now;
}

std::span<const std::uint32_t> PacketNetwork::advance(Time now) {
  now_ = now;
  arrived_.clear();
  for (std::size_t i = 0; i < woken_.size(); ++i)  // more of them while others are asked
    if (!queues_[woken_[i]].sources_wait) ask_for_sources(woken_[i]);
  woken_.clear();
  while (!events_.empty() && events_.next_time() == now) {
    const Event event = events_.pop();
    if (event.queue != kNone)
      sent(event.queue);
    else
      arrive(event.packet);
  }
  return arrived_;
}

PacketNetwork::Index PacketNetwork::take_flow() {
  if (free_flows_.empty()) {
    flows_.emplace_back();
    return static_cast<Index>(flows_.size() - 1);
  }
  const Index id = free_flows_.back();
  free_flows_.pop_back();
  return id;
}

PacketNetwork::Index PacketNetwork::take_queue(LinkId link) {
  Index id = static_cast<Index>(queues_.size());
  if (free_queues_.empty()) {
    queues_.emplace_back();
  } else {
    id = free_queues_.back();
    free_queues_.pop_back();
  }
  queues_[id].link = link;
  queues_[id].room = depth_;
  return id;
}

void PacketNetwork::find_queues(Flow& flow) {
  flow.queues.clear();
  std::size_t lane = 0;
  for (std::size_t i = 0; i < flow.route.size(); ++i) {
    const LinkId link = flow.route[i];
    if (settings_.queues_by_flow) {
      flow.queues.push_back(take_queue(link));
      continue;
    }
    if (i > 0) lane = order_.channel_after(flow.route[i - 1], lane, link);
    while (channel(link).lanes.size() <= lane) {
      const Index queue = take_queue(link);
      channel(link).lanes.push_back(queue);
    }
    flow.queues.push_back(channel(link).lanes[lane]);
  }
}

// Room is granted in the order of the requests, one packet at a time: merging streams alternate,
// and so do the messages of a host.
void PacketNetwork::ask(Index id, Index waiter) {
  queues_[id].waiters.push_back(waiter);
  give_room(id);
}

void PacketNetwork::ask_for_sources(Index id) {
  queues_[id].sources_wait = !queues_[id].sources.empty();
  if (queues_[id].sources_wait) ask(id, kNone);
}

void PacketNetwork::give_room(Index id) {
  while (queues_[id].room > 0 && !queues_[id].waiters.empty()) {
    const Index waiter = queues_[id].waiters.front();
    queues_[id].waiters.pop_front();
    --queues_[id].room;
    if (waiter != kNone)
      may_go(waiter);
    else
      inject(id);
  }
}

// Enqueues the next packet of a message at its host.
void PacketNetwork::inject(Index id) {
  Queue& queue = queues_[id];
  const Index source = queue.sources.front();
  queue.sources.pop_front();
  Flow& flow = flows_[source];
  const bool last = ++flow.injected == flow.packets;
  if (!last) queue.sources.push_back(source);
  if (last) turns_.end(source);
  turns_.start_next([this](Index next) { start_packets(next, now_); });
  queue.sources_wait = !queue.sources.empty();
  if (queue.sources_wait) queue.waiters.push_back(kNone);
  enqueue({source, 0, last});
}

void PacketNetwork::enqueue(const Packet& packet) {
  const Index id = flows_[packet.flow].queues[packet.hop];
  queues_[id].packets.push_back(packet);
  if (queues_[id].packets.size() == 1) new_head(id);
}

void PacketNetwork::new_head(Index id) {
  const Packet& packet = queues_[id].packets.front();
  const Flow& flow = flows_[packet.flow];
  if (packet.hop + 1 == flow.route.size()) return may_go(id);
  ask(flow.queues[packet.hop + 1], id);
}

void PacketNetwork::may_go(Index id) {
  const LinkId link = queues_[id].link;
  channel(link).ready.push_back(id);
  start(link);
}

// Starts the next packet if the link is free.
void PacketNetwork::start(LinkId link) {
  Channel& c = channel(link);
  if (c.busy || c.ready.empty()) return;
  const Index id = c.ready.front();
  c.ready.pop_front();
  c.busy = true;
  const Packet& packet = queues_[id].packets.front();
  const Bytes bytes = settings_.header + (packet.last ? flows_[packet.flow].last : settings_.mtu);
  const Time done = now_ + to_time(static_cast<double>(bytes) / c.rate);
  carried_[static_cast<std::size_t>(link)] += static_cast<double>(bytes);
  if (history_) history_->add(static_cast<std::size_t>(link), now_, done, c.rate);
  events_.push({.time = done, .queue = id, .packet = {}});
  events_.push({.time = done + c.latency, .queue = kNone, .packet = packet});
}

// The last byte of the head has left its queue.
void PacketNetwork::sent(Index id) {
  const LinkId link = queues_[id].link;
  channel(link).busy = false;
  queues_[id].packets.pop_front();
  ++queues_[id].room;
  if (!queues_[id].packets.empty()) new_head(id);
  give_room(id);
  start(link);
}

void PacketNetwork::arrive(Packet packet) {
  Flow& flow = flows_[packet.flow];
  if (++packet.hop < flow.route.size()) return enqueue(packet);
  if (++flow.arrived < flow.packets) return;
  arrived_.push_back(flow.number);
  if (settings_.queues_by_flow)
    free_queues_.insert(free_queues_.end(), flow.queues.begin(), flow.queues.end());
  free_flows_.push_back(packet.flow);
}

}  // namespace arlab::simulator
