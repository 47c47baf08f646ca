// Program: the lazy sequence of one rank's rounds, as a C++20 coroutine.
//
// A round is a list of actions that may overlap and finish in any order: one Isend/Irecv/Waitall,
// one NCCL group. A rank starts its next round when its own round is done; a round is not a global
// barrier. A send reads the value at the round's start. Reductions of one round apply in listed
// order, after its messages have arrived. The k-th send from a to b matches the k-th receive of b
// from a.
//
//   Program program(Problem p, Rank me) {  // by value: a reference would dangle
//     co_yield together(send(right, p.chunk(me)), reduce(left, p.chunk(me - 1)));
//   }
//
//   for (Program p = ...; p.next();)
//     use(p.round());  // valid until the next call of next()
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/base/frame_memory.hpp"
#include "algorithms/problem.hpp"

namespace arlab {

enum class ActionKind : std::uint8_t {
  send,
  reduce,   ///< receive and add (recv-reduce)
  replace,  ///< receive and overwrite (recv-copy)
  // Parts in a transfer of a team through switches, which add what its members give (teams.hpp):
  give,  ///< send to the sum
  take,  ///< receive the sum and overwrite
  join,  ///< both
};

/// One message, as seen by the sender or by the receiver; or a member's part in a transfer of its
/// team.
struct Action {
  ActionKind kind = ActionKind::send;
  Rank peer = 0;  ///< in a transfer of a team: the team
  Chunks chunks;
  bool sends() const { return kind == ActionKind::send; }
  bool in_team() const { return kind >= ActionKind::give; }
  bool gives() const { return kind == ActionKind::give || kind == ActionKind::join; }
  bool takes() const { return kind == ActionKind::take || kind == ActionKind::join; }
  bool operator==(const Action&) const = default;
};

inline Action send(Rank to, Chunks chunks) { return {ActionKind::send, to, chunks}; }
inline Action reduce(Rank from, Chunks chunks) { return {ActionKind::reduce, from, chunks}; }
inline Action replace(Rank from, Chunks chunks) { return {ActionKind::replace, from, chunks}; }
inline Action give(Rank team, Chunks chunks) { return {ActionKind::give, team, chunks}; }
inline Action take(Rank team, Chunks chunks) { return {ActionKind::take, team, chunks}; }
inline Action join(Rank team, Chunks chunks) { return {ActionKind::join, team, chunks}; }

using Round = std::span<const Action>;

/// Returns a round of the given actions. (g++ 12 rejects `co_yield {a, b}`.)
template <class... Actions>
std::array<Action, sizeof...(Actions)> together(const Actions&... actions) {
  return {actions...};
}

/// Returns one step of a butterfly: both partners send and both add.
inline std::array<Action, 2> exchange(Rank partner, Chunks chunks) {
  return {send(partner, chunks), reduce(partner, chunks)};
}

class Program {
 public:
  struct promise_type {
    Round round;

    static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept {
      free_frame(frame, bytes);
    }

    Program get_return_object() {
      return Program(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(Round actions) noexcept {
      round = actions;
      return {};
    }
    std::suspend_always yield_value(const Action& action) noexcept {
      return yield_value(Round(&action, 1));
    }
    void return_void() noexcept {}
    void unhandled_exception() {
#ifdef __cpp_exceptions
      throw;
#endif
    }
  };

  Program() = default;
  Program(Program&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Program& operator=(Program other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Program() {
    if (frame_) frame_.destroy();
  }
  explicit operator bool() const { return static_cast<bool>(frame_); }

  /// Advances to the next round. Returns false at the end of the program.
  bool next() {
    frame_.resume();
    return !frame_.done();
  }
  Round round() const { return frame_.promise().round; }
  /// Returns the address of the coroutine's frame, for callers that prefetch it.
  const void* address() const { return frame_.address(); }

 private:
  explicit Program(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

}  // namespace arlab
