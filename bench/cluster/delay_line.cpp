// Carries packets between two interfaces, each a given time later, for kernels without netem:
//   delay_line INTERFACE INTERFACE MICROSECONDS
// What the network card would fill in, checksums and segments, travels with the packets.
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Packet {
  Clock::time_point due;
  int to;
  std::vector<char> bytes;
};

int opened(const char* interface) {
  const int end = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
  const int on = 1, room = 1 << 24;
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface));
  if (end < 0 || setsockopt(end, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0 ||
      setsockopt(end, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0 ||
      setsockopt(end, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0 ||
      bind(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    std::perror(interface);
    std::exit(3);
  }
  return end;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  pollfd ends[2] = {{opened(words[1]), POLLIN, 0}, {opened(words[2]), POLLIN, 0}};
  const std::chrono::microseconds delay(std::atoll(words[3]));
  std::deque<Packet> waiting;  // all wait as long, so they stay in order
  std::vector<char> room(1 << 17);
  for (;;) {
    timespec wait{};
    if (!waiting.empty()) {
      const auto left = std::max(Clock::duration::zero(), waiting.front().due - Clock::now());
      wait.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
      wait.tv_nsec = std::chrono::nanoseconds(left % std::chrono::seconds(1)).count();
    }
    if (ppoll(ends, 2, waiting.empty() ? nullptr : &wait, nullptr) < 0) return 3;
    for (int from = 0; from < 2; ++from) {
      if (ends[from].revents & (POLLERR | POLLHUP | POLLNVAL)) return 0;  // an interface is gone
      for (ssize_t size; (size = recv(ends[from].fd, room.data(), room.size(), MSG_DONTWAIT)) > 0;)
        waiting.push_back(
            {Clock::now() + delay, ends[1 - from].fd, {room.data(), room.data() + size}});
    }
    for (; !waiting.empty() && waiting.front().due <= Clock::now(); waiting.pop_front()) {
      const Packet& packet = waiting.front();  // a full queue loses it, as a switch does
      static_cast<void>(!send(packet.to, packet.bytes.data(), packet.bytes.size(), MSG_DONTWAIT));
    }
  }
}
