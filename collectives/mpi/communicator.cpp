#include "collectives/mpi/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/library/message_counter.hpp"
#include "collectives/mpi/library/operand.hpp"
#include "collectives/mpi/machines.hpp"
#include "collectives/mpi/mpi_baseline.hpp"
#include "collectives/mpi/posting_order.hpp"
#include "collectives/mpi/requests.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/rest.hpp"

namespace arlab::collectives {
namespace {

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(Watch& watch, MPI_Comm comm, Rest rest)
      : Communicator(rank_in(comm), ranks_of(comm),
                     {.sent_messages = [this] { return count_messages(); }}),
        watch_(watch),
        rest_(std::move(rest)) {
    if (comm == MPI_COMM_WORLD) {  // its ranks are those of the watch
      services_.place = watch.place();
      services_.places = [&watch] { return watch.places(); };
    }
    MPI_Group ranks = MPI_GROUP_NULL;
    check_mpi(MPI_Comm_group(comm, &ranks), "MPI_Comm_group");
    // Not MPI_Comm_dup, which copies the attributes that a program has given its communicator.
    check_mpi(MPI_Comm_create(comm, ranks, &comm_), "MPI_Comm_create");
    check_mpi(MPI_Group_free(&ranks), "MPI_Group_free");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int found = 0;
    void* value = nullptr;
    check_mpi(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
    max_tag_ = found ? *static_cast<int*>(value) : 32767;  // the minimum that MPI guarantees
    order_.emplace(MpiCommunicator::machines(), rank());
    MpiBaseline::Finish finish;
    if (rest_)
      finish = [this](MPI_Request& request, std::size_t bytes) {
        test_until_done(request, "MPI_Iallreduce", bytes);
      };
    services_.baseline = &baseline_.emplace(watch_, place(), comm_, std::move(finish));
  }
  ~MpiCommunicator() override {
    baseline_.reset();
    MPI_Comm_free(&comm_);
  }

  Watch& watch() const { return watch_; }
  MPI_Comm comm() const { return comm_; }

  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    LaneRound& its = lane_round(lane);
    its.operand = operand;
    const bool sends_first = order_->sends_first(round);
    if (sends_first) send(lane, round, operand);
    receive(its, lane, round);
    if (!sends_first) send(lane, round, operand);
    watch_.progressed();
  }

  // A round of at most one message each way, as most are, waits for one request instead of a list.
  // A short message is sent by the blocking call, for which the library has a faster path. It
  // cannot be interrupted, so only ranks that receive, too, use it: they do not run ahead of a rank
  // that has stopped until the library has no room for more messages. Ranks that must not hang use
  // it never.
  void exchange(int lane, std::span<const Transfer> round, Operand operand) override {
    const Transfer *out = nullptr, *in = nullptr;
    for (const Transfer& t : round) (t.kind == ActionKind::send ? out : in) = &t;
    const auto moved = [&](const Transfer* t) {
      return t ? static_cast<std::size_t>(t->elements) * size_of(operand.dtype) : 0;
    };
    const std::size_t sent = moved(out), received = moved(in);
    const bool at_most_one = round.size() == static_cast<std::size_t>(out ? 1 : 0) + (in ? 1 : 0);
    if (!at_most_one || !in || sent > kShortBytes || received > kMpiPiece || !requests_.empty() ||
        !done_.empty())
      return Communicator::exchange(lane, round, operand);
    LaneRound& its = lane_round(lane);
    const bool adds = in->kind == ActionKind::reduce;
    if (adds && its.scratch.size() < received) its.scratch.resize(received);
    std::byte* const into = adds ? its.scratch.data() : in->data;
    check_mpi(MPI_Irecv(into, static_cast<int>(received), MPI_BYTE, in->peer, lane, comm_,
                        request_of(lane, *in, received)),
              "MPI_Irecv");
    if (out && rest_) {
      check_mpi(MPI_Isend(out->data, static_cast<int>(sent), MPI_BYTE, out->peer, lane, comm_,
                          &short_send_),
                "MPI_Isend");
    } else if (out) {
      const Watch::Blocked blocked(watch_, "MPI_Send", sent);
      check_mpi(MPI_Send(out->data, static_cast<int>(sent), MPI_BYTE, out->peer, lane, comm_),
                "MPI_Send");
    }
    wait_for_only_request();
    if (short_send_ != MPI_REQUEST_NULL) test_until_done(short_send_, "a short message", sent);
    its.open = 0;
    if (adds) reduce_into(in->data, into, in->elements, operand);
  }

  // Polls, because a blocking call would never return if a peer is missing. MPI polls there, too.
  int wait() override {
    expects(!requests_.empty() || !done_.empty(), "wait() without a started lane");
    if (done_.empty()) finish_some();
    if (!done_.empty()) return take_done();
    const std::size_t bytes = requests_.bytes();
    const Watch::Waiting waiting(watch_, bytes);
    for (int polls = 0; done_.empty(); ++polls) {
      finish_some();
      watch_.check([this] { return awaited(); });
      if (done_.empty()) rest(polls, bytes);
    }
    return take_done();
  }

  int poll() override {
    if (done_.empty() && !requests_.empty()) finish_some();
    if (!done_.empty()) return take_done();
    watch_.polled();
    watch_.check([this] { return awaited(); });
    return -1;
  }

  // The job is about to end. Messages in progress must not land in freed memory.
  void abandon() noexcept override {
    requests_.cancel();
    if (short_send_ != MPI_REQUEST_NULL) MPI_Request_free(&short_send_);
  }

  std::vector<Rank> machines() override {
    const Watch::Blocked blocked(watch_, "MPI_Comm_split_type");
    return machines_of(comm_);
  }

  void barrier() override {
    meet("a barrier", [&](MPI_Request* request) { return MPI_Ibarrier(comm_, request); });
  }
  double max(double value) override {
    meet("a maximum", [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm_, request);
    });
    return value;
  }
  Count sum(Count value) override {
    meet("a sum", [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, comm_, request);
    });
    return value;
  }

 private:
  SentMessages count_messages() {
    if (!counter_) counter_.emplace(ranks());
    return counter_->read();
  }

  struct LaneRound {
    struct Addition {
      Transfer transfer;
      std::size_t scratch;  // where in it the message lands
    };
    Operand operand;
    std::vector<Addition> additions;  // in listed order
    std::vector<std::byte> scratch;
    int open = 0;  // requests
  };

  // Up to here the library copies a message and returns (Open MPI within a machine: 4 KiB).
  static constexpr std::size_t kShortBytes = 4000;

  LaneRound& lane_round(int lane) {
    if (lane > max_tag_)
      fail(Blame::usage, "lane " + std::to_string(lane) + " of MPI: the library has tags up to " +
                             std::to_string(max_tag_) + ", use fewer segments");
    if (static_cast<std::size_t>(lane) >= lanes_.size())
      lanes_.resize(static_cast<std::size_t>(lane) + 1);
    return lanes_[static_cast<std::size_t>(lane)];
  }

  void wait_for_only_request() {
    const std::size_t bytes = requests_.bytes();
    const Watch::Waiting waiting(watch_, bytes);
    bool done = false;
    for (int polls = 0; !done; ++polls) {
      done = requests_.test_only();
      watch_.check([this] { return awaited(); });
      if (!done) rest(polls, bytes);
    }
    watch_.progressed();
  }

  // Others may call MPI while this rank waits.
  void test_until_done(MPI_Request& request, const char* name, std::size_t bytes) {
    int done = 0;
    for (int polls = 0; done == 0; ++polls) {
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), name);
      if (done == 0) rest(polls, bytes);
    }
  }

  template <class Use>
  static void in_pieces(std::byte* data, Count elements, DType dtype, Use use) {
    std::size_t left = static_cast<std::size_t>(elements) * size_of(dtype);
    for (; left > 0; left -= std::min(left, kMpiPiece)) {
      use(data, static_cast<int>(std::min(left, kMpiPiece)));
      data += std::min(left, kMpiPiece);
    }
  }

  MPI_Request* request_of(int lane, const Transfer& transfer, std::size_t bytes) {
    ++lanes_[static_cast<std::size_t>(lane)].open;
    return requests_.add({lane, transfer.peer, transfer.kind == ActionKind::send, bytes});
  }

  /// Starts a collective of all ranks, and waits for it.
  template <class Start>
  void meet(const char* name, Start start) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(start(&request), name);
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), name);
    if (done == 0) {
      const Watch::Waiting waiting(watch_);
      for (int polls = 0; done == 0; ++polls) {
        if (rest_) rest(polls, 0);
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), name);
        watch_.check([&] {
          return "rank " + std::to_string(rank()) + " waits for all ranks to come to " + name;
        });
      }
    }
    watch_.progressed();
  }

  void send(int lane, std::span<const Transfer> round, Operand operand) {
    for (const Transfer& t : round)
      if (t.kind == ActionKind::send)
        in_pieces(t.data, t.elements, operand.dtype, [&](std::byte* data, int bytes) {
          check_mpi(MPI_Isend(data, bytes, MPI_BYTE, t.peer, lane, comm_,
                              request_of(lane, t, static_cast<std::size_t>(bytes))),
                    "MPI_Isend");
        });
  }

  // Elements to be reduced land in scratch first, because sends of the round may still read the
  // memory.
  void receive(LaneRound& its, int lane, std::span<const Transfer> round) {
    its.additions.clear();
    std::size_t needed = 0;
    for (const Transfer& t : round)
      if (t.kind == ActionKind::reduce) {
        its.additions.push_back({t, needed});
        needed += static_cast<std::size_t>(t.elements) * size_of(its.operand.dtype);
      }
    if (its.scratch.size() < needed) its.scratch.resize(needed);
    auto addition = its.additions.begin();
    for (const Transfer& t : round) {
      if (t.kind == ActionKind::send) continue;
      std::byte* const into =
          t.kind == ActionKind::reduce ? its.scratch.data() + (addition++)->scratch : t.data;
      in_pieces(into, t.elements, its.operand.dtype, [&](std::byte* data, int bytes) {
        check_mpi(MPI_Irecv(data, bytes, MPI_BYTE, t.peer, lane, comm_,
                            request_of(lane, t, static_cast<std::size_t>(bytes))),
                  "MPI_Irecv");
      });
    }
    if (round.empty()) done_.push_back(lane);
  }

  void finish(int lane) {
    const LaneRound& its = lanes_[static_cast<std::size_t>(lane)];
    for (const auto& [t, scratch] : its.additions)
      reduce_into(t.data, its.scratch.data() + scratch, t.elements, its.operand);
    done_.push_back(lane);
  }

  // MPI waits by polling. A thread other than the main one leaves its core to the main thread or to
  // another rank between polls.
  void rest(int polls, std::size_t bytes) const {
    if (polls < kPollsBeforeRest) return;
    if (rest_) return rest_(polls, bytes);
    if (std::this_thread::get_id() != main_thread_) rest_after(polls);
  }

  int take_done() {
    const int lane = done_.front();
    done_.pop_front();
    return lane;
  }

  void finish_some() {
    const std::span<const int> lanes = requests_.test();
    if (!lanes.empty()) watch_.progressed();
    for (const int lane : lanes)
      if (--lanes_[static_cast<std::size_t>(lane)].open == 0) finish(lane);
  }

  std::string awaited() const {
    return "rank " + std::to_string(rank()) + " waits for " + requests_.awaited();
  }

  Watch& watch_;
  const Rest rest_;
  const std::thread::id main_thread_ = std::this_thread::get_id();
  MPI_Comm comm_ = MPI_COMM_NULL;
  int max_tag_ = 0;
  std::optional<PostingOrder> order_;
  std::vector<LaneRound> lanes_;
  Requests requests_;                          // of all started lanes
  MPI_Request short_send_ = MPI_REQUEST_NULL;  // of exchange(), if the wait may rest
  std::optional<MpiBaseline> baseline_;
  std::optional<MessageCounter> counter_;
  std::deque<int> done_;  // lanes that wait() has not returned yet
};

}  // namespace

std::unique_ptr<Communicator> mpi_communicator(Watch& watch, MPI_Comm comm, Rest rest) {
  return std::make_unique<MpiCommunicator>(watch, comm, std::move(rest));
}

void meet_at_rest(Communicator& communicator) {
  const Watch::Resting resting(watch_of(communicator));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm_of(communicator), &request), "MPI_Ibarrier");
  for (int done = 0; done == 0;) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Ibarrier");
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

MPI_Comm comm_of(const Communicator& communicator) {
  return dynamic_cast<const MpiCommunicator&>(communicator).comm();
}

Watch& watch_of(Communicator& communicator) {
  return dynamic_cast<MpiCommunicator&>(communicator).watch();
}

}  // namespace arlab::collectives
