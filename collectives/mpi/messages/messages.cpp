#include "collectives/mpi/messages/messages.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/clock.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/messages/link.hpp"
#include "collectives/patience.hpp"

namespace arlab::collectives {
namespace {

constexpr std::size_t kShort = 8 << 10;  // bytes that travel with their header

double now() { return machine_clock().now(); }

std::string text(std::uint64_t bytes, std::string_view type) {
  return concat(bytes, " bytes of ", type);
}

}  // namespace

struct Messages::Header {
  std::uint64_t bytes = 0;
  std::uint32_t number = 0;  // of a long message, among those of its pair
  char type[16] = {};
};

struct Messages::Link : MessageLink {
  explicit Link(const Communicator& group) : MessageLink(group) {
    int found = 0;
    void* value = nullptr;
    check_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
    const int most = found ? *static_cast<int*>(value) : 32767;  // what MPI guarantees
    first_own_tag = most / 2 + 1;
    numbers = static_cast<std::uint32_t>(most - first_own_tag) / 2;
  }
  int first_own_tag = 0;      // below: tags of the program
  std::uint32_t numbers = 0;  // of long messages, before they repeat
};

// Its steps: the header travels; the receiver's reply, if the message is long; its payload.
struct Messages::Message {
  enum class Step { header, reply, payload, refusal };
  bool sends = false;
  Rank peer = 0;
  int tag = 0;
  Content content;
  Done done;
  Step step = Step::header;
  double deadline = 0;
  Header header;
  std::vector<std::byte> buffer;  // header and a short payload; or the reply
  std::size_t moved = 0;          // of a long payload
  MPI_Request request = MPI_REQUEST_NULL;
  std::exception_ptr error;
};

Messages::Messages(const Communicator& group, double seconds, std::vector<std::string> names)
    : link_(std::make_unique<Link>(group)),
      seconds_(seconds),
      names_(std::move(names)),
      sent_(static_cast<std::size_t>(group.ranks())) {}
Messages::~Messages() = default;

auto Messages::add(bool sends, Rank peer, int tag, Content content, Done done) -> Message& {
  if (tag < 0 || tag >= link_->first_own_tag)
    fail(Blame::usage, concat("tag ", tag, ": give one of 0 to ", link_->first_own_tag - 1));
  auto& message = *open_.emplace_back(std::make_unique<Message>());
  message.sends = sends;
  message.peer = peer;
  message.tag = tag;
  message.content = std::move(content);
  message.done = std::move(done);
  message.deadline = now() + seconds_;
  return message;
}

void Messages::send(Rank to, int tag, Content content, Done done) {
  Message& m = add(true, to, tag, std::move(content), std::move(done));
  const bool is_short = m.content.data.size() <= kShort;
  m.header.bytes = m.content.data.size();
  m.content.type.copy(m.header.type, sizeof m.header.type - 1);
  if (!is_short) m.header.number = sent_[static_cast<std::size_t>(to)]++ % link_->numbers;
  m.buffer.resize(sizeof m.header + (is_short ? m.content.data.size() : 0));
  std::memcpy(m.buffer.data(), &m.header, sizeof m.header);
  if (is_short && !m.content.data.empty())
    std::memcpy(m.buffer.data() + sizeof m.header, m.content.data.data(), m.content.data.size());
  check_mpi(MPI_Isend(m.buffer.data(), static_cast<int>(m.buffer.size()), MPI_BYTE, to, tag,
                      link_->comm, &m.request),
            "MPI_Isend");
}

void Messages::receive(Rank from, int tag, Content content, Done done) {
  Message& m = add(false, from, tag, std::move(content), std::move(done));
  m.buffer.resize(sizeof m.header + kShort);
  check_mpi(MPI_Irecv(m.buffer.data(), static_cast<int>(m.buffer.size()), MPI_BYTE,
                      from == kAnyRank ? MPI_ANY_SOURCE : from, tag, link_->comm, &m.request),
            "MPI_Irecv");
}

bool Messages::poll(std::vector<Finished>& finished) {
  bool moved = false;
  const double time = now();
  for (auto at = open_.begin(); at != open_.end();) {
    Message& m = **at;
    int arrived = 0;
    MPI_Status status;
    bool ended = false, abandoned = false;
    try {
      check_mpi(MPI_Test(&m.request, &arrived, &status), "a message");
      if (arrived != 0) {
        moved = true;
        m.deadline = time + seconds_;
        ended = advance(m, status.MPI_SOURCE);
      } else if (time > m.deadline) {
        ended = true;
        abandoned = !expired(m);
      }
    } catch (const Error&) {
      m.error = std::current_exception();
      ended = abandoned = true;
    }
    if (!ended) {
      ++at;
      continue;
    }
    finished.push_back([done = m.done, error = m.error, from = m.peer] { done(error, from); });
    if (abandoned) abandoned_.push_back(std::move(*at));
    at = open_.erase(at);
  }
  return moved;
}

// What a message's last request was for is done. Returns whether the message has ended.
bool Messages::advance(Message& m, Rank source) {
  switch (m.step) {
    case Message::Step::header:
      if (!m.sends) return header_arrived(m, source);
      if (m.content.data.size() <= kShort) return true;
      m.step = Message::Step::reply;
      check_mpi(
          MPI_Irecv(m.buffer.data(), 1, MPI_BYTE, m.peer, reply_tag(m), link_->comm, &m.request),
          "MPI_Irecv");
      return false;
    case Message::Step::reply:
      if (m.sends && m.buffer.front() == std::byte{0}) {
        m.error = std::make_exception_ptr(Error(
            Blame::usage,
            concat("a message of ", text(m.header.bytes, m.header.type), " to ", who(m.peer),
                   " with tag ", m.tag, ": it receives another size or type, give both the same")));
        return true;
      }
      m.step = Message::Step::payload;
      move_payload(m);
      return false;
    case Message::Step::payload:
      if (m.moved == m.content.data.size()) return true;
      move_payload(m);
      return false;
    case Message::Step::refusal:
      return true;
  }
  return true;
}

bool Messages::header_arrived(Message& m, Rank source) {
  m.peer = source;
  std::memcpy(&m.header, m.buffer.data(), sizeof m.header);
  const bool fits = m.header.bytes == m.content.data.size() && m.content.type == m.header.type;
  if (!fits)
    m.error = std::make_exception_ptr(Error(
        Blame::usage, concat(who(source), " has sent ", text(m.header.bytes, m.header.type),
                             " with tag ", m.tag, ", but this rank receives ",
                             text(m.content.data.size(), m.content.type), ": give both the same")));
  if (m.header.bytes > kShort) {
    reply(m, fits);
    return false;
  }
  if (fits && !m.content.data.empty())
    std::memcpy(m.content.data.data(), m.buffer.data() + sizeof m.header, m.content.data.size());
  return true;
}

void Messages::reply(Message& m, bool fits) {
  m.step = fits ? Message::Step::reply : Message::Step::refusal;
  m.buffer.front() = std::byte{fits};
  check_mpi(MPI_Isend(m.buffer.data(), 1, MPI_BYTE, m.peer, reply_tag(m), link_->comm, &m.request),
            "MPI_Isend");
}

void Messages::move_payload(Message& m) {
  const auto rest = m.content.data.subspan(m.moved);
  const int bytes = static_cast<int>(std::min(rest.size(), kMpiPiece));
  const int tag = reply_tag(m) + 1;
  m.moved += static_cast<std::size_t>(bytes);
  check_mpi(m.sends ? MPI_Isend(rest.data(), bytes, MPI_BYTE, m.peer, tag, link_->comm, &m.request)
                    : MPI_Irecv(rest.data(), bytes, MPI_BYTE, m.peer, tag, link_->comm, &m.request),
            m.sends ? "MPI_Isend" : "MPI_Irecv");
}

int Messages::reply_tag(const Message& m) const {
  return link_->first_own_tag + 2 * static_cast<int>(m.header.number);
}

// Returns whether MPI no longer uses the message's memory.
bool Messages::expired(Message& m) {
  const std::string time = concat("timeout after ", seconds_text(seconds_), ": ");
  const bool untouched = !m.sends && m.step == Message::Step::header;
  m.error = std::make_exception_ptr(Stalled(
      untouched ? concat(time, m.peer == kAnyRank ? "no rank" : who(m.peer),
                         " has sent a message with tag ", m.tag)
                : concat(time, who(m.peer), m.sends ? " has not received" : " has not completed",
                         " a message of ", m.sends ? m.content.data.size() : m.header.bytes,
                         " bytes with tag ", m.tag)));
  if (!untouched) return false;
  check_mpi(MPI_Cancel(&m.request), "MPI_Cancel");
  check_mpi(MPI_Wait(&m.request, MPI_STATUS_IGNORE), "MPI_Wait");
  return true;
}

std::size_t Messages::open_sends() const {
  return static_cast<std::size_t>(
      std::count_if(open_.begin(), open_.end(), [](const auto& m) { return m->sends; }));
}

void Messages::withdraw_receives() {
  for (const auto& m : open_)
    if (!m->sends && m->step == Message::Step::header) {
      MPI_Cancel(&m->request);
      MPI_Wait(&m->request, MPI_STATUS_IGNORE);
      m->step = Message::Step::refusal;  // ended
    }
  std::erase_if(open_, [](const auto& m) { return m->request == MPI_REQUEST_NULL; });
}

std::string Messages::who(Rank rank) const { return names_[static_cast<std::size_t>(rank)]; }

}  // namespace arlab::collectives
