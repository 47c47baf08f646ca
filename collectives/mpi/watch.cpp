#include "collectives/mpi/watch.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "collectives/mpi/library/check.hpp"
#include "collectives/schedule/stalled_state.hpp"
#include "collectives/start_thread.hpp"

namespace arlab::collectives {
namespace {

constexpr double kMiB = 1 << 20, kHoldSeconds = 60;

double tick_of(double patience) { return std::clamp(patience / 20, 0.05, 1.0); }

std::string named(const std::vector<Rank>& ranks, const PresenceBoard& board) {
  std::string text;
  for (std::size_t i = 0; i < board.all().size(); ++i) {
    if (std::find(ranks.begin(), ranks.end(), board.rank_of(i)) == ranks.end()) continue;
    text += (text.empty() ? "rank " : " and rank ") + std::to_string(board.rank_of(i)) +
            " (process " + std::to_string(board.all()[i].process.load()) + ")";
  }
  return text;
}

}  // namespace

Watch::Watch(Patience patience, std::function<void(const std::string&)> stop)
    : patience_(std::move(patience)), tick_(tick_of(patience_.seconds)), stop_(std::move(stop)) {
  if (patience_.seconds > 0) thread_ = start_thread([this] { run(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watch::join_job() {
  int watched = patience_.seconds > 0 ? 1 : 0;  // by any rank: all make the board together
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &watched, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD),
            "MPI_Allreduce");
  if (watched == 0) return;
  auto board = std::make_unique<PresenceBoard>();
  const auto ticks = [&](double seconds) { return static_cast<int>(seconds / tick_ + 0.5); };
  const std::lock_guard lock(mutex_);
  board_ = std::move(board);
  detector_ = std::make_unique<StallDetector>(ticks(patience_.seconds),
                                              ticks(std::max(kHoldSeconds, patience_.seconds)),
                                              board_->own_index(), board_->job_ranks());
}

void Watch::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    ending_.wait_for(lock, std::chrono::duration<double>(tick_));
    if (!ends_) tick();
  }
}

void Watch::tick() {
  const char* const call = call_.load();
  if (!board_) {  // MPI starts
    ticks_before_start_ += call ? 1 : 0;
    const double seconds = start_patience(patience_.seconds);
    if (ticks_before_start_ * tick_ >= seconds)
      stop_(std::string(call) + " has not returned for " + seconds_text(seconds) +
            ": a rank is missing; start the job again");
    return;
  }
  const std::uint64_t polls = polls_.load();
  const bool waits = waits_.load() || polls != polls_seen_;
  polls_seen_ = polls;
  Presence& own = board_->own();
  own.progress = progress_.load();
  own.bytes = bytes_.load();
  own.activity = gives_up_.load() ? Activity::failing
                 : rests_.load()  ? Activity::resting
                 : waits          ? Activity::waiting
                                  : Activity::other;
  ++own.beats;
  if (stalled_.load() || rests_.load()) return;

  std::vector<StallDetector::Seen> seen;
  std::uint64_t bytes = 0;  // others may wait for ranks that exchange a large message
  for (std::size_t i = 0; i < board_->all().size(); ++i) {
    const Presence& its = board_->all()[i];
    seen.push_back({board_->rank_of(i), its.beats, its.progress, its.activity});
    bytes = std::max(bytes, its.bytes.load());
  }
  const double extra_seconds = std::min(static_cast<double>(bytes) / kMiB, 1e6);
  const auto verdict = detector_->tick(seen, static_cast<int>(extra_seconds / tick_));
  if (verdict.kind == StallDetector::Kind::none) return;
  const std::string text = text_of(verdict);
  if (verdict.kind == StallDetector::Kind::slow) {
    if (patience_.note) patience_.note(text);
    return;
  }
  resume(verdict.ranks);
  if (call) {
    own.activity = Activity::failing;
    missing_ = verdict.ranks;
    stop_(std::string(call) + ": " + text +
          stalled_places(places(), board_->rank_of(board_->own_index())));
  }
  text_ = text;
  missing_ = verdict.ranks;
  stalled_.store(true, std::memory_order_release);
}

// The launcher ends the job, but leaves stopped processes behind: they end once they run.
void Watch::resume(const std::vector<Rank>& ranks) const {
  for (std::size_t i = 0; i < board_->all().size(); ++i)
    if (std::find(ranks.begin(), ranks.end(), board_->rank_of(i)) != ranks.end())
      kill(board_->all()[i].process.load(), SIGCONT);
}

std::vector<SeenPlace> Watch::places() const {
  std::vector<SeenPlace> all;
  if (!board_) return all;
  for (std::size_t i = 0; i < board_->all().size(); ++i) {
    const Rank rank = board_->rank_of(i);
    const bool missing = std::find(missing_.begin(), missing_.end(), rank) != missing_.end();
    all.push_back(SeenPlace::of(board_->all()[i].place, rank, missing));
  }
  return all;
}

std::string Watch::text_of(const StallDetector::Verdict& verdict) const {
  const std::string time = seconds_text(patience_.seconds);
  const std::string ranks = named(verdict.ranks, *board_);
  const bool one = verdict.ranks.size() == 1;
  switch (verdict.kind) {
    case StallDetector::Kind::missing:
      return ranks + (one ? " has" : " have") + " not responded for " + time +
             ": it is stopped, or its machine does not run it; start the job again";
    case StallDetector::Kind::deadlock:
      return "no rank has made progress for " + time +
             ", and all wait for one another: start all of them with the same options";
    case StallDetector::Kind::silence:
      return "nothing has arrived for " + time +
             ": see whether the other machines run, or allow a longer time";
    case StallDetector::Kind::slow:
      return "the other ranks have waited " + seconds_text(verdict.waited * tick_) + " for " +
             ranks + ", which " + (one ? "runs but does" : "run but do") +
             " not communicate: they keep waiting";
    case StallDetector::Kind::none:
      break;
  }
  return "";
}

void Watch::give_up(const std::string& awaited) {
  gives_up_ = true;
  board_->own().activity = Activity::failing;
  throw Stalled(awaited + ": " + text_);
}

}  // namespace arlab::collectives
