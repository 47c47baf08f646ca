#include "collectives/mpi/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/emulated_machines.hpp"
#include "collectives/mpi/check.hpp"
#include "collectives/mpi/library/library_algorithms.hpp"
#include "collectives/mpi/library/message_counter.hpp"
#include "collectives/mpi/native_collective.hpp"
#include "collectives/mpi/native_out_of_place.hpp"
#include "collectives/mpi/operand.hpp"
#include "collectives/mpi/posting_order.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/rest.hpp"

namespace arlab::collectives {
namespace {

// Of the job's ranks on this machine, those that are emulated to be on the same.
void split_emulated(MPI_Comm& machine) {
  const int each = ranks_per_emulated_machine();
  if (each == 0) return;
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(machine, rank_in(MPI_COMM_WORLD) / each, 0, &part), "MPI_Comm_split");
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  machine = part;
}

class MpiCommunicator final : public Communicator, private Baseline {
 public:
  MpiCommunicator(Watch& watch, MPI_Comm comm, Rest rest)
      : Communicator(rank_in(comm), ranks_of(comm),
                     {.baseline = this, .sent_messages = [this] { return count_messages(); }}),
        watch_(watch),
        rest_(std::move(rest)) {
    if (comm == MPI_COMM_WORLD) {  // its ranks are those of the watch
      services_.place = watch.place();
      services_.places = [&watch] { return watch.places(); };
    }
    check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int found = 0;
    void* value = nullptr;
    check_mpi(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
    max_tag_ = found ? *static_cast<int*>(value) : 32767;  // the minimum that MPI guarantees
    order_.emplace(MpiCommunicator::machines(), rank());
  }
  ~MpiCommunicator() override {
    library_.reset();
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
    const std::size_t bytes = bytes_in_progress();
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
    for (MPI_Request& request : requests_) {
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    if (short_send_ != MPI_REQUEST_NULL) MPI_Request_free(&short_send_);
    requests_.clear();
    parts_.clear();
  }

  std::vector<Rank> machines() override {
    const Watch::Blocked blocked(watch_, "MPI_Comm_split_type");
    MPI_Comm machine = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
              "MPI_Comm_split_type");
    split_emulated(machine);
    Rank first = rank();  // on this machine: identifies the machine
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT32_T, MPI_MIN, machine),
              "MPI_Allreduce");
    check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
    std::vector<Rank> all(static_cast<std::size_t>(ranks()));
    check_mpi(MPI_Allgather(&first, 1, MPI_INT32_T, all.data(), 1, MPI_INT32_T, comm_),
              "MPI_Allgather");
    return all;
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
  // Baseline
  std::string name_of(const Problem& problem) const override { return native_mpi_name(problem); }

  void run(const Problem& problem, const std::byte* from, std::byte* into,
           Operand operand) override {
    const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
    if (from == into && rest_ && problem.collective == Collective::allreduce)
      return run_at_rest(problem, into, operand);
    const Watch::Blocked blocked(watch_, native_mpi_name(problem), bytes);
    const Inside inside(place(), 0);
    if (from == into)
      run_native_mpi(native_comm(problem), problem, rank(), into, operand, native_scratch_);
    else
      native_mpi_out_of_place(native_comm(problem), problem, rank(), from, into, operand);
  }

  std::vector<std::string> algorithms() override { return library().names(); }

  void use(const std::string& algorithm) override {
    if (algorithm == used_) return;
    const Watch::Blocked blocked(watch_, "MPI_Comm_dup");
    native_comm_ = library().use(comm_, algorithm);
    used_ = algorithm;
  }

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
    const std::size_t bytes = parts_.front().bytes;
    const Watch::Waiting waiting(watch_, bytes);
    int done = 0;
    for (int polls = 0; done == 0; ++polls) {
      check_mpi(MPI_Test(requests_.data(), &done, MPI_STATUS_IGNORE), "waiting for a message");
      watch_.check([this] { return awaited(); });
      if (done == 0) rest(polls, bytes);
    }
    requests_.clear();
    parts_.clear();
    watch_.progressed();
  }

  LibraryAlgorithms& library() {
    if (!library_) library_.emplace();
    return *library_;
  }
  // Others may call MPI while this rank waits.
  void test_until_done(MPI_Request& request, const char* name, std::size_t bytes) {
    int done = 0;
    for (int polls = 0; done == 0; ++polls) {
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), name);
      if (done == 0) rest(polls, bytes);
    }
  }
  void run_at_rest(const Problem& problem, std::byte* data, Operand operand) {
    const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
    start_native_allreduce(native_comm(problem), problem, data, operand, [&](MPI_Request& request) {
      test_until_done(request, "MPI_Iallreduce", bytes);
    });
  }
  /// Only an allreduce has algorithms that are chosen.
  MPI_Comm native_comm(const Problem& problem) const {
    const bool chosen =
        problem.collective == Collective::allreduce && native_comm_ != MPI_COMM_NULL;
    return chosen ? native_comm_ : comm_;
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
    parts_.push_back({lane, transfer.peer, transfer.kind == ActionKind::send, bytes});
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }

  std::size_t bytes_in_progress() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_) bytes += part.bytes;
    return bytes;
  }

  /// What this rank waits for: "rank 1 waits for a message of 4096 bytes from rank 2".
  std::string awaited() const {
    std::string text = "rank " + std::to_string(rank()) + " waits for ";
    if (parts_.empty()) return text + "messages";
    const auto received =
        std::find_if(parts_.begin(), parts_.end(), [](const Part& part) { return !part.sends; });
    return received == parts_.end()
               ? text + "rank " + std::to_string(parts_.front().peer) + " to take a message of " +
                     std::to_string(parts_.front().bytes) + " bytes"
               : text + "a message of " + std::to_string(received->bytes) + " bytes from rank " +
                     std::to_string(received->peer);
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
    finished_.resize(requests_.size());
    statuses_.resize(requests_.size());
    int count = 0;
    const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                  finished_.data(), statuses_.data());
    check_statuses(code, count, "waiting for messages");
    if (count > 0) watch_.progressed();
    take_finished(count);
  }

  // Removes the finished requests; the others keep their order.
  void take_finished(int count) {
    for (int k = 0; k < count; ++k) {
      const int lane =
          parts_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(k)])].lane;
      if (--lanes_[static_cast<std::size_t>(lane)].open == 0) finish(lane);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      parts_[kept++] = parts_[i];
    }
    requests_.resize(kept);
    parts_.resize(kept);
  }

  void check_statuses(int code, int count, const char* doing) const {
    if (code != MPI_ERR_IN_STATUS) return check_mpi(code, doing);
    for (int k = 0; k < count; ++k)
      check_mpi(statuses_[static_cast<std::size_t>(k)].MPI_ERROR, "a message");
  }

  struct Part {  // of a round: what a request moves
    int lane = 0;
    Rank peer = 0;
    bool sends = false;
    std::size_t bytes = 0;
  };

  Watch& watch_;
  const Rest rest_;
  const std::thread::id main_thread_ = std::this_thread::get_id();
  MPI_Comm comm_ = MPI_COMM_NULL;
  int max_tag_ = 0;
  std::optional<PostingOrder> order_;
  std::vector<LaneRound> lanes_;
  std::vector<MPI_Request> requests_;          // of all started lanes
  std::vector<Part> parts_;                    // of each request
  std::vector<int> finished_;                  // positions in requests_
  MPI_Request short_send_ = MPI_REQUEST_NULL;  // of exchange(), if the wait may rest
  std::vector<MPI_Status> statuses_;
  std::vector<std::byte> native_scratch_;
  MPI_Comm native_comm_ = MPI_COMM_NULL;  // of the chosen algorithm; library_ keeps it
  std::string used_;                      // that algorithm
  std::optional<LibraryAlgorithms> library_;
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
