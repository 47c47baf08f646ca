// Push and pull: the lanes and transfers that workers and parameter servers share.
#pragma once

#include <memory>
#include <span>

#include "training/strategies/push_codes.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training {

// Each worker has one lane for pushes and another for pulls.
class PushPullLanes {
 public:
  explicit PushPullLanes(Rank workers) : workers_(workers) {}
  int push(Rank worker) const { return worker; }
  int pull(Rank worker) const { return workers_ + worker; }
  bool is_push(int lane) const { return lane < workers_; }

 private:
  Rank workers_;
};

inline collectives::Transfer transfer(ActionKind kind, Rank peer, std::span<float> data) {
  return {kind, peer, std::as_writable_bytes(data).data(), static_cast<Count>(data.size())};
}
inline collectives::Transfer transfer(ActionKind kind, Rank peer, std::span<std::byte> code) {
  return {kind, peer, code.data(), static_cast<Count>(code.size())};
}
inline constexpr collectives::Operand kCodes{collectives::DType::byte, collectives::Op::sum};

inline std::span<float> part(std::span<float> flat, const Variable& v) {
  return flat.subspan(static_cast<std::size_t>(v.offset), static_cast<std::size_t>(v.elements));
}

std::unique_ptr<Strategy> make_push_worker(const StrategyContext& context);
std::unique_ptr<Strategy> make_push_server(const StrategyContext& context, bool synchronous);

}  // namespace arlab::training
