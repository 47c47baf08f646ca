#include "collectives/mpi/mpi.hpp"

#include <mpi.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/mpi/check.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

template <DType dtype, Op op>
void combine(void* from, void* into, int* elements, MPI_Datatype*) {
  reduce_into(static_cast<std::byte*>(into), static_cast<const std::byte*>(from), *elements,
              {dtype, op});
}

template <DType dtype>
MPI_User_function* combine_halves(Op op) {
  switch (op) {
    case Op::prod:
      return combine<dtype, Op::prod>;
    case Op::min:
      return combine<dtype, Op::min>;
    case Op::max:
      return combine<dtype, Op::max>;
    default:
      return combine<dtype, Op::sum>;
  }
}

/// MPI's data type and operation for an Operand. MPI has no 16-bit floats: those are pairs of bytes
/// with a user-defined operation.
class MpiOperand {
 public:
  explicit MpiOperand(Operand operand) {
    switch (operand.dtype) {
      case DType::float16:
        make_half(combine_halves<DType::float16>(operand.op));
        return;
      case DType::bfloat16:
        make_half(combine_halves<DType::bfloat16>(operand.op));
        return;
      case DType::float32:
        type_ = MPI_FLOAT;
        break;
      case DType::float64:
        type_ = MPI_DOUBLE;
        break;
      case DType::int32:
        type_ = MPI_INT32_T;
        break;
      case DType::int64:
        type_ = MPI_INT64_T;
        break;
      case DType::byte:
        fail(Blame::usage, "bytes cannot be reduced: choose an element type");
    }
    op_ = known(operand.op);
  }
  ~MpiOperand() {
    if (!made_) return;
    MPI_Op_free(&op_);
    MPI_Type_free(&type_);
  }
  MpiOperand(const MpiOperand&) = delete;
  MpiOperand& operator=(const MpiOperand&) = delete;

  MPI_Datatype type() const { return type_; }
  MPI_Op op() const { return op_; }

 private:
  static MPI_Op known(Op op) {
    switch (op) {
      case Op::prod:
        return MPI_PROD;
      case Op::min:
        return MPI_MIN;
      case Op::max:
        return MPI_MAX;
      default:
        return MPI_SUM;
    }
  }
  void make_half(MPI_User_function* function) {
    check_mpi(MPI_Type_contiguous(2, MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
    check_mpi(MPI_Op_create(function, 1, &op_), "MPI_Op_create");
    made_ = true;
  }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  bool made_ = false;
};

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm_, &ranks_), "MPI_Comm_size");
    int found = 0;
    void* value = nullptr;
    check_mpi(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
    max_tag_ = found ? *static_cast<int*>(value) : 32767;  // the minimum that MPI guarantees
  }
  ~MpiCommunicator() override { MPI_Comm_free(&comm_); }

  Rank rank() const override { return rank_; }
  Rank ranks() const override { return ranks_; }

  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    if (lane > max_tag_)
      fail(Blame::usage, "lane " + std::to_string(lane) + " of MPI: the library has tags up to " +
                             std::to_string(max_tag_) + ", use fewer segments");
    if (static_cast<std::size_t>(lane) >= lanes_.size())
      lanes_.resize(static_cast<std::size_t>(lane) + 1);
    LaneRound& its = lanes_[static_cast<std::size_t>(lane)];
    its.operand = operand;
    receive(its, lane, round);
    for (const Transfer& t : round)
      if (t.kind == ActionKind::send)
        in_pieces(t.data, t.elements, operand.dtype, [&](std::byte* data, int bytes) {
          check_mpi(MPI_Isend(data, bytes, MPI_BYTE, t.peer, lane, comm_, request_of(lane)),
                    "MPI_Isend");
        });
  }

  int wait() override {
    expects(!requests_.empty() || !done_.empty(), "wait() without a started lane");
    const bool computes_meanwhile = std::this_thread::get_id() != main_thread_;
    for (int spins = 0; done_.empty(); ++spins) {
      finish_some(computes_meanwhile ? MPI_Testsome : MPI_Waitsome, "waiting for messages");
      if (computes_meanwhile && done_.empty() && spins >= kSpins) rest();
    }
    return take_done();
  }

  int poll() override {
    if (done_.empty() && !requests_.empty()) finish_some(MPI_Testsome, "MPI_Testsome");
    return done_.empty() ? -1 : take_done();
  }

  // The job is about to end. Messages in progress must not land in freed memory.
  void abandon() noexcept override {
    for (MPI_Request& request : requests_) {
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    requests_.clear();
    owners_.clear();
  }

  std::vector<Rank> machines() override {
    MPI_Comm machine = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
              "MPI_Comm_split_type");
    Rank first = rank_;  // on this machine: identifies the machine
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT32_T, MPI_MIN, machine),
              "MPI_Allreduce");
    check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
    std::vector<Rank> all(static_cast<std::size_t>(ranks_));
    check_mpi(MPI_Allgather(&first, 1, MPI_INT32_T, all.data(), 1, MPI_INT32_T, comm_),
              "MPI_Allgather");
    return all;
  }

  void barrier() override { check_mpi(MPI_Barrier(comm_), "MPI_Barrier"); }
  double max(double value) override {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce");
    return value;
  }
  Count sum(Count value) override {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, comm_), "MPI_Allreduce");
    return value;
  }

  std::string native_name() const override { return "MPI_Allreduce"; }

  void native_allreduce(std::byte* data, Count elements, Operand operand) override {
    const MpiOperand mpi(operand);
    const auto element = static_cast<int>(size_of(operand.dtype));
    divide_before(data, elements, operand, ranks_);
    in_pieces(data, elements, operand.dtype, [&](std::byte* piece, int bytes) {
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, piece, bytes / element, mpi.type(), mpi.op(), comm_),
                "MPI_Allreduce");
    });
    divide_after(data, elements, operand, ranks_);
  }

 private:
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

  template <class Use>
  static void in_pieces(std::byte* data, Count elements, DType dtype, Use use) {
    std::size_t left = static_cast<std::size_t>(elements) * size_of(dtype);
    for (; left > 0; left -= std::min(left, kMpiPiece)) {
      use(data, static_cast<int>(std::min(left, kMpiPiece)));
      data += std::min(left, kMpiPiece);
    }
  }

  MPI_Request* request_of(int lane) {
    ++lanes_[static_cast<std::size_t>(lane)].open;
    owners_.push_back(lane);
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }

  // Elements to be reduced land in scratch first, because sends of the round may still read the memory.
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
        check_mpi(MPI_Irecv(data, bytes, MPI_BYTE, t.peer, lane, comm_, request_of(lane)),
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

  // MPI waits by polling. A thread other than the main one sleeps between polls, which leaves its
  // core to the main thread or to another rank. Linux wakes it up 50 us late unless asked.
  static constexpr int kSpins = 20;
  static void rest() {
#ifdef __linux__
    thread_local const int exact = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    static_cast<void>(exact);
#endif
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  }

  int take_done() {
    const int lane = done_.front();
    done_.pop_front();
    return lane;
  }

  using Some = int(int, MPI_Request*, int*, int*, MPI_Status*);
  void finish_some(Some* some, const char* doing) {
    finished_.resize(requests_.size());
    statuses_.resize(requests_.size());
    int count = 0;
    const int code = some(static_cast<int>(requests_.size()), requests_.data(), &count,
                          finished_.data(), statuses_.data());
    check_statuses(code, count, doing);
    take_finished(count);
  }

  // Removes the finished requests; the others keep their order.
  void take_finished(int count) {
    for (int k = 0; k < count; ++k) {
      const int lane = owners_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(k)])];
      if (--lanes_[static_cast<std::size_t>(lane)].open == 0) finish(lane);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      owners_[kept++] = owners_[i];
    }
    requests_.resize(kept);
    owners_.resize(kept);
  }

  void check_statuses(int code, int count, const char* doing) const {
    if (code != MPI_ERR_IN_STATUS) return check_mpi(code, doing);
    for (int k = 0; k < count; ++k)
      check_mpi(statuses_[static_cast<std::size_t>(k)].MPI_ERROR, "a message");
  }

  const std::thread::id main_thread_ = std::this_thread::get_id();
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 0, max_tag_ = 0;
  std::vector<LaneRound> lanes_;
  std::vector<MPI_Request> requests_;  // of all started lanes
  std::vector<int> owners_;            // the lane of each request
  std::vector<int> finished_;          // positions in requests_
  std::vector<MPI_Status> statuses_;
  std::deque<int> done_;  // lanes that wait() has not returned yet
};

}  // namespace

Mpi::Mpi() : exceptions_(std::uncaught_exceptions()) {
  int was = 0;
  MPI_Initialized(&was);
  if (was != 0) fail(Blame::environment, "MPI is already initialized: create one Mpi object only");
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  world_ = std::make_unique<MpiCommunicator>();
}

Mpi::~Mpi() {
  if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 3);
  world_.reset();
  MPI_Finalize();
}

bool Mpi::launched() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(variable)) return true;
  return false;
}

std::string Mpi::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name;
  for (const char c : std::string_view(text, static_cast<std::size_t>(length))) {
    if (c == ',' || c == '\n') break;
    const char plain = c == '\t' ? ' ' : c;
    if (plain != ' ' || !name.ends_with(' ')) name += plain;
  }
  return name;
}

Communicator& Mpi::world() { return *world_; }

Rank Mpi::local_rank() const { return Groups(world_->machines()).place_of(world_->rank()); }

void Mpi::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // MPI_Abort does not return
}

}  // namespace arlab::collectives
