#include "tests/fakes/cuda/resident.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/fakes/cuda/fiber.hpp"
#include "tests/fakes/cuda/machine.hpp"

namespace arlab::fake_cuda {
namespace {

constexpr long long kSecond = 1'000'000'000;  // of the clock
constexpr long long kForEver = 3000 * kSecond;

struct Grid {
  cudaLaunchConfig_t config;
  std::function<void()> body;
  TaskPtr task;
  unsigned running = 0;  // threads that have not ended
};

struct ResidentBlock;

struct ResidentThread {
  ResidentBlock* block = nullptr;
  unsigned index = 0;
  Fiber* fiber = nullptr;  // once it has begun
};

struct ResidentBlock {
  Grid* grid = nullptr;
  unsigned index = 0, ended = 0;
  bool any = false, result = false;
  std::vector<ResidentThread> threads;
  std::vector<ResidentThread*> waiting;
  std::source_location where;
};

class Residents {
 public:
  void add(const cudaLaunchConfig_t& config, std::function<void()> thread, const TaskPtr& task) {
    grids_.push_back(std::make_unique<Grid>(
        Grid{config, std::move(thread), task, config.gridDim.x * config.blockDim.x}));
    for (unsigned b = 0; b < config.gridDim.x; ++b) {
      blocks_.push_back(std::make_unique<ResidentBlock>());
      ResidentBlock& block = *blocks_.back();
      block.grid = grids_.back().get();
      block.index = b;
      for (unsigned t = 0; t < config.blockDim.x; ++t)
        block.threads.push_back({&block, t, nullptr});
      for (ResidentThread& its : block.threads) ready_.push_back(&its);
    }
    changed();
  }
  bool any() const { return !grids_.empty(); }
  bool runs() const { return me_ != nullptr; }
  long long clock() const { return clock_; }

  void run(bool time_passes) {
    time_passes_ = time_passes;
    since_ = clock_;
    quiet_ = 0;
    Fiber host;
    host_ = &host;
    if (ResidentThread* const first = choose()) enter(host, *first);
    me_ = nullptr;
    retire();
    if (!time_passes || grids_.empty()) return;
    if (ready_.empty() || clock_ > since_ + kForEver) {
      std::string where;
      for (const auto& block : blocks_)
        if (!block->waiting.empty() && where.empty())
          where = " (others are at line " + std::to_string(block->where.line()) + ")";
      machine().complain("threads of a resident grid wait for ever" + where);
      forget();
    }
  }

  void before_atomic(bool changes) {
    if (!me_) return;
    if (changes) {
      changed();
    } else {
      ++quiet_;
    }
    ready_.push_back(me_);
    std::swap(ready_.back(), ready_[machine().random() % ready_.size()]);
    leave();
  }

  bool barrier(bool value, std::source_location where) {
    ResidentBlock& block = *me_->block;
    if (block.waiting.empty()) {
      block.where = where;
      block.any = false;
    } else if (block.where.line() != where.line()) {
      machine().complain("threads of a block meet at two barriers: lines " +
                         std::to_string(block.where.line()) + " and " +
                         std::to_string(where.line()));
    }
    block.any = block.any || value;
    block.waiting.push_back(me_);
    changed();
    if (block.waiting.size() == block.threads.size()) open(block);
    leave();
    return block.result;
  }

  /// After an error: their threads are never finished.
  void forget() {
    const auto grids = std::move(grids_);
    grids_.clear();
    ready_.clear();
    idle_.clear();
    fibers_.clear();
    blocks_.clear();
    for (const auto& grid : grids)
      if (!grid->task->done) finish(*grid->task);
  }

 private:
  void changed() { quiet_ = 0; }

  void open(ResidentBlock& block) {
    block.result = block.any;
    ready_.insert(ready_.end(), block.waiting.begin(), block.waiting.end());
    block.waiting.clear();
  }

  /// The next thread: any, the newest that became ready, or the oldest; null: back to the host.
  ResidentThread* choose() {
    auto& random = machine().random;
    if (ready_.empty()) return nullptr;
    if (quiet_ > 4 * ready_.size() + 64) {
      quiet_ = 0;
      if (!time_passes_ || clock_ > since_ + kForEver) return nullptr;
      clock_ += kSecond;
    }
    if (until_other_order_-- == 0) {
      until_other_order_ = 16 + random() % 4096;
      order_ = static_cast<int>(random() % 3);
    }
    std::size_t pick = ready_.size() - 1;
    if (order_ == 0) pick = random() % ready_.size();
    if (order_ == 1) pick = 0;
    std::swap(ready_[pick], ready_.back());
    ResidentThread* const chosen = ready_.back();
    ready_.pop_back();
    return chosen;
  }

  void set_variables(ResidentThread& thread) {
    me_ = &thread;
    threadIdx = dim3(thread.index);
    blockIdx = dim3(thread.block->index);
    gridDim = thread.block->grid->config.gridDim;
    blockDim = thread.block->grid->config.blockDim;
  }

  /// Switches from a fiber to that of a thread, or to one that begins it.
  void enter(Fiber& from, ResidentThread& thread) {
    if (!thread.fiber) {
      if (idle_.empty()) {
        fibers_.push_back(std::make_unique<Fiber>([this] { work(); }));
        idle_.push_back(fibers_.back().get());
      }
      thread.fiber = idle_.back();
      idle_.pop_back();
    }
    me_ = &thread;
    from.switch_to(*thread.fiber);
  }

  /// The thread that runs lets others run; returns when it is chosen again.
  void leave() {
    ResidentThread& mine = *me_;
    ResidentThread* const next = choose();
    if (!next) {
      mine.fiber->switch_to(*host_);
    } else if (next != &mine) {
      enter(*mine.fiber, *next);
    }
    set_variables(mine);
  }

  /// A fiber: runs threads for ever.
  void work() {
    for (;;) {
      ResidentThread& mine = *me_;
      Fiber& fiber = *mine.fiber;
      set_variables(mine);
      mine.block->grid->body();
      ResidentBlock& block = *mine.block;
      --block.grid->running;
      changed();
      if (++block.ended < block.threads.size() && !block.waiting.empty() &&
          block.ended + block.waiting.size() == block.threads.size()) {
        machine().complain("not all threads of a block reach its barrier: some have ended");
        open(block);
      }
      ResidentThread* const next = choose();
      if (next && !next->fiber) {  // on this fiber
        next->fiber = &fiber;
        me_ = next;
        continue;
      }
      idle_.push_back(&fiber);
      if (next) {
        enter(fiber, *next);
      } else {
        fiber.switch_to(*host_);
      }
    }
  }

  /// Ends the tasks of grids whose threads have all ended.
  void retire() {
    for (std::size_t k = 0; k < grids_.size();) {
      if (grids_[k]->running > 0) {
        ++k;
        continue;
      }
      const auto ended = std::move(grids_[k]);
      grids_.erase(grids_.begin() + static_cast<std::ptrdiff_t>(k));
      std::erase_if(blocks_, [&](const auto& block) { return block->grid == ended.get(); });
      finish(*ended->task);
    }
  }

  std::vector<std::unique_ptr<Grid>> grids_;
  std::vector<std::unique_ptr<ResidentBlock>> blocks_;
  std::vector<ResidentThread*> ready_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  Fiber* host_ = nullptr;
  ResidentThread* me_ = nullptr;
  bool time_passes_ = false;
  long long since_ = 0;    // the clock at the last call from the host
  std::size_t quiet_ = 0;  // looks at memory since anything happened
  long long clock_ = 0;
  unsigned long until_other_order_ = 0;
  int order_ = 0;
};

Residents& residents() {
  static Residents* const only = new Residents;
  return *only;
}

}  // namespace

void add_resident(const cudaLaunchConfig_t& config, std::function<void()> thread,
                  const TaskPtr& task) {
  residents().add(config, std::move(thread), task);
}
bool any_resident() { return residents().any(); }
void run_residents(bool time_passes) { residents().run(time_passes); }
void forget_residents() { residents().forget(); }
bool is_resident() { return residents().runs(); }
bool resident_barrier(bool value, std::source_location where) {
  return residents().barrier(value, where);
}
void before_atomic(bool changes);
void before_atomic(bool changes) { residents().before_atomic(changes); }

}  // namespace arlab::fake_cuda

long long clock64() { return arlab::fake_cuda::residents().clock(); }
