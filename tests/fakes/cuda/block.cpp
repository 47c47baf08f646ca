#include "tests/fakes/cuda/block.hpp"

#include <cuda_runtime_api.h>

#include <bit>
#include <memory>
#include <source_location>
#include <vector>

#include "tests/fakes/cuda/fiber.hpp"
#include "tests/fakes/cuda/machine.hpp"
#include "tests/fakes/cuda/resident.hpp"

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace arlab::fake_cuda {

namespace {

constexpr unsigned kLanes = 32;

struct Place {
  const char* file = "";
  unsigned line = 0;
  bool operator==(const Place&) const = default;
  std::string text() const { return std::string(file) + ":" + std::to_string(line); }
};

Place place_of(const std::source_location& where) { return {where.file_name(), where.line()}; }

enum class Joint { barrier, sync, ballot, shuffle };

struct Thread {
  enum class State { fresh, running, waiting, done };
  State state = State::fresh;
  Fiber* fiber = nullptr;
  Joint joint{};
  unsigned mask = 0;
  Place place;
  std::uint64_t value = 0;  // given to the operation, then its result
  unsigned delta = 0;
  int width = 0;
};

/// Fibers are kept: most threads of most kernels need no switch at all.
class Block {
 public:
  std::string run(unsigned threads, const std::function<void()>& body, std::minstd_rand& random);

  /// The thread that runs waits for the others. Returns its result.
  std::uint64_t join(Joint joint, unsigned mask, std::uint64_t value, unsigned delta, int width,
                     Place place);

 private:
  void work();    // a fiber: runs threads for ever
  bool choose();  // sets me_; false if none can run
  void continue_me(Fiber& from);
  void set_ready(unsigned thread) {
    if (threads_[thread].state == Thread::State::waiting)
      threads_[thread].state = Thread::State::running;
    ready_[thread / kLanes] |= 1u << thread % kLanes;
  }
  void finish_barrier();
  bool finish_warp(unsigned first);
  void complain(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  std::vector<Thread> threads_;
  std::vector<std::uint32_t> ready_;  // lanes of each warp
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  Fiber* host_ = nullptr;
  Fiber* working_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  std::minstd_rand* random_ = nullptr;
  unsigned me_ = 0, done_ = 0, at_barrier_ = 0, warp_ = 0;
  unsigned patience_ = 1;  // one in that number of choices leaves a warp that could continue
  int lane_order_ = 0;
  std::string wrong_;
};

Block running;

std::string Block::run(unsigned threads, const std::function<void()>& body,
                       std::minstd_rand& random) {
  threads_.assign(threads, {});
  ready_.assign((threads + kLanes - 1) / kLanes, 0);
  for (unsigned t = 0; t < threads; ++t) set_ready(t);
  body_ = &body;
  random_ = &random;
  done_ = at_barrier_ = 0;
  wrong_.clear();
  constexpr unsigned kPatience[] = {1, 4, 64, 1u << 30};
  patience_ = kPatience[random() % 4];
  lane_order_ = static_cast<int>(random() % 3);
  warp_ = static_cast<unsigned>(random() % ready_.size());
  Fiber host;
  host_ = &host;
  if (choose()) continue_me(host);
  if (done_ < threads) {
    std::string waiting;
    for (const Thread& thread : threads_)
      if (thread.state == Thread::State::waiting &&
          waiting.find(thread.place.text()) == std::string::npos)
        waiting += " " + thread.place.text();
    complain("threads wait for ever at" + waiting);
    fibers_.clear();  // their threads cannot be finished
    idle_.clear();
  }
  return wrong_;
}

bool Block::choose() {
  if (ready_[warp_] == 0 || (patience_ < 1u << 30 && (*random_)() % patience_ == 0)) {
    const auto warps = static_cast<unsigned>(ready_.size());
    const auto from = static_cast<unsigned>((*random_)() % warps);
    unsigned k = 0;
    while (k < warps && ready_[(from + k) % warps] == 0) ++k;
    if (k == warps) return false;
    warp_ = (from + k) % warps;
  }
  const std::uint32_t lanes = ready_[warp_];
  auto lane = static_cast<unsigned>(lane_order_ == 0 ? std::countr_zero(lanes)
                                                     : 31 - std::countl_zero(lanes));
  if (lane_order_ == 2)
    for (lane = static_cast<unsigned>((*random_)() % kLanes); (lanes >> lane & 1) == 0;)
      lane = (lane + 1) % kLanes;
  ready_[warp_] &= ~(1u << lane);
  me_ = warp_ * kLanes + lane;
  return true;
}

/// Switches from a fiber to that of the chosen thread, or to one that will run it.
void Block::continue_me(Fiber& from) {
  Fiber* next = threads_[me_].fiber;
  if (!next && idle_.empty()) {
    fibers_.push_back(std::make_unique<Fiber>([this] { work(); }));
    idle_.push_back(fibers_.back().get());
  }
  if (!next) {
    next = idle_.back();
    idle_.pop_back();
  }
  working_ = next;
  from.switch_to(*next);
}

void Block::work() {
  for (;;) {
    Fiber& mine = *working_;
    const unsigned me = me_;
    threads_[me].state = Thread::State::running;
    threads_[me].fiber = &mine;
    threadIdx = dim3(me);
    (*body_)();
    threads_[me].state = Thread::State::done;
    ++done_;
    if (done_ + at_barrier_ == threads_.size() && at_barrier_ > 0) {
      complain("not all threads of a block reach its barrier: some have ended");
      finish_barrier();
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {  // who waits for this lane waits in vain
      const unsigned other = me / kLanes * kLanes + lane;
      if (other < threads_.size() && threads_[other].state == Thread::State::waiting &&
          threads_[other].joint != Joint::barrier && (threads_[other].mask >> me % kLanes & 1) != 0)
        complain("a lane of the mask has ended: " + threads_[other].place.text());
    }
    const bool more = choose();
    if (more && !threads_[me_].fiber) continue;  // a thread that has not begun: on this fiber
    idle_.push_back(&mine);
    if (more) {
      continue_me(mine);
    } else {
      mine.switch_to(*host_);
    }
  }
}

std::uint64_t Block::join(Joint joint, unsigned mask, std::uint64_t value, unsigned delta,
                          int width, Place place) {
  const unsigned me = me_;
  Thread& thread = threads_[me];
  Fiber& mine = *thread.fiber;
  thread = {Thread::State::waiting, &mine, joint, mask, place, value, delta, width};
  if (joint == Joint::barrier) {
    if (++at_barrier_ + done_ == threads_.size()) finish_barrier();
  } else {
    if ((mask >> me % kLanes & 1) == 0) complain("a lane is not in its own mask: " + place.text());
    finish_warp(me / kLanes * kLanes);
  }
  if (!choose()) {
    mine.switch_to(*host_);
  } else if (me_ != me) {
    continue_me(mine);
  }
  me_ = me;
  working_ = &mine;
  threadIdx = dim3(me);
  thread.state = Thread::State::running;
  return thread.value;
}

void Block::finish_barrier() {
  if (done_ > 0) complain("not all threads of a block reach its barrier: some have ended");
  const Place* first = nullptr;
  for (unsigned t = 0; t < threads_.size(); ++t) {
    Thread& thread = threads_[t];
    if (thread.state != Thread::State::waiting || thread.joint != Joint::barrier) continue;
    if (!first) first = &thread.place;
    if (thread.place != *first)
      complain("threads of a block meet at two barriers: " + first->text() + " and " +
               thread.place.text());
    set_ready(t);
  }
  at_barrier_ = 0;
}

/// Ends an operation of the warp that all lanes of its mask have reached.
bool Block::finish_warp(unsigned first) {
  const Thread me = threads_[me_];
  std::uint64_t values[kLanes] = {};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((me.mask >> lane & 1) == 0) continue;
    if (first + lane >= threads_.size()) {
      complain("the mask has lanes that the block lacks: " + me.place.text());
      continue;
    }
    const Thread& other = threads_[first + lane];
    if (other.state == Thread::State::done)
      complain("a lane of the mask has ended: " + me.place.text());
    if (other.state != Thread::State::waiting || other.joint != me.joint || other.place != me.place)
      return false;
    if (other.mask != me.mask) {
      complain("lanes of one operation have different masks: " + me.place.text());
      return false;
    }
    values[lane] = other.value;
  }
  std::uint64_t ballot = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    ballot |= (values[lane] != 0 ? std::uint64_t{1} : 0) << lane;
  for (unsigned lane = 0; lane < kLanes && first + lane < threads_.size(); ++lane) {
    if ((me.mask >> lane & 1) == 0) continue;
    Thread& its = threads_[first + lane];
    if (me.joint == Joint::ballot) its.value = ballot;
    if (me.joint == Joint::shuffle) {
      const auto width = static_cast<unsigned>(its.width);
      const unsigned from = lane % width + its.delta < width ? lane + its.delta : lane;
      if ((me.mask >> from & 1) == 0)
        complain("a lane reads one beyond the mask: " + me.place.text());
      its.value = values[from];
    }
    set_ready(first + lane);
  }
  return true;
}

}  // namespace

std::string run_block(unsigned threads, const std::function<void()>& thread,
                      std::minstd_rand& random) {
  return running.run(threads, thread, random);
}

std::uint64_t shuffle_down(unsigned mask, std::uint64_t bits, unsigned delta, int width,
                           std::source_location where) {
  return running.join(Joint::shuffle, mask, bits, delta, width, place_of(where));
}

}  // namespace arlab::fake_cuda

using arlab::fake_cuda::Joint;
using arlab::fake_cuda::running;

void __syncthreads(std::source_location where) {
  if (arlab::fake_cuda::is_resident()) {
    arlab::fake_cuda::resident_barrier(false, where);
    return;
  }
  running.join(Joint::barrier, 0, 0, 0, 32, arlab::fake_cuda::place_of(where));
}
int __syncthreads_or(int predicate, std::source_location where) {
  if (arlab::fake_cuda::is_resident())
    return arlab::fake_cuda::resident_barrier(predicate != 0, where) ? 1 : 0;
  arlab::fake_cuda::machine().complain("__syncthreads_or is modeled for cooperative grids alone");
  return predicate;
}
void __syncwarp(unsigned mask, std::source_location where) {
  running.join(Joint::sync, mask, 0, 0, 32, arlab::fake_cuda::place_of(where));
}
unsigned __ballot_sync(unsigned mask, int predicate, std::source_location where) {
  return static_cast<unsigned>(running.join(Joint::ballot, mask, predicate != 0 ? 1 : 0, 0, 32,
                                            arlab::fake_cuda::place_of(where)));
}
