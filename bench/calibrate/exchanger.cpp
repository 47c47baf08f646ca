#include "bench/calibrate/exchanger.hpp"

#include <algorithm>
#include <cstring>

#include "algorithms/base/error.hpp"
#include "collectives/host/plan.hpp"

namespace arlab::bench {
namespace {

constexpr collectives::Operand kWords{collectives::DType::float16, collectives::Op::sum};
constexpr Count kWord = 2;  // bytes
constexpr std::size_t kLanes = 128;

}  // namespace

double median_of(std::vector<double> values) {
  expects(!values.empty(), "a median of something");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Exchanger::Exchanger(collectives::Communicator& communicator, Count largest, double seconds)
    : communicator_(communicator),
      seconds_(seconds),
      out_(static_cast<std::size_t>(largest)),
      in_(static_cast<std::size_t>(largest)),
      transfers_(kLanes) {}

void Exchanger::start(int lane, ActionKind kind, Rank peer, std::byte* data, Count bytes) {
  collectives::Transfer& transfer = transfers_[static_cast<std::size_t>(lane)];
  transfer = {kind, peer, data, bytes / kWord, false};
  communicator_.start(lane, {&transfer, 1}, kWords);
}

void Exchanger::send(int lane, Rank to, Count bytes) {
  start(lane, ActionKind::send, to, out_.data(), bytes);
}

void Exchanger::receive(int lane, Rank from, Count bytes) {
  start(lane, ActionKind::replace, from, in_.data(), bytes);
}

void Exchanger::wait(int messages) {
  for (int i = 0; i < messages; ++i) communicator_.wait();
}

void Exchanger::round(Rank peer, Count bytes, Count piece) {
  round_.clear();
  for (const ActionKind kind : {ActionKind::send, ActionKind::replace}) {
    std::byte* data = kind == ActionKind::send ? out_.data() : in_.data();
    for (Count left = bytes; left > 0; left -= std::min(piece, left)) {
      const Count now = std::min(piece, left);
      round_.push_back({kind, peer, data, now / kWord, false});
      data += now;
    }
  }
  communicator_.start(0, round_, kWords);
  communicator_.wait();
}

void Exchanger::ping(int lane, Rank to, bool mark) {
  mark_.fill(std::byte{mark ? std::uint8_t{1} : std::uint8_t{0}});
  start(lane, ActionKind::send, to, mark_.data(), static_cast<Count>(mark_.size()));
}

double Exchanger::time_us(const std::function<void()>& body) {
  communicator_.barrier();
  stopped_ = -1;
  const double start = now();
  body();
  const double end = stopped_ < 0 ? now() : stopped_;
  return 1e6 * communicator_.max(stopped_ == 0 ? 0 : end - start);
}

std::vector<double> Exchanger::samples_us(int repetitions, const std::function<void()>& body) {
  std::vector<double> all;
  for (int k = 0; k < repetitions; ++k) all.push_back(time_us(body));
  return all;
}

std::vector<double> Exchanger::samples_us(const std::function<void()>& body) {
  return series_us(
      seconds_, [] {}, body);
}

double Exchanger::median_us(const std::function<void()>& body) {
  return median_of(samples_us(body));
}

std::vector<double> Exchanger::samples_us(const Algorithm& algorithm, Count bytes,
                                          collectives::Operand operand, double part) {
  const std::size_t size = static_cast<std::size_t>(bytes);
  const Count elements = bytes / static_cast<Count>(collectives::size_of(operand.dtype));
  collectives::HostPlan plan(algorithm, {.ranks = ranks(), .elements = elements}, rank(), operand);
  // New memory each time: how fast it is depends on where it lies.
  const auto input = communicator_.allocate(size), vector = communicator_.allocate(size);
  return series_us(
      part * seconds_, [&] { std::memcpy(vector.get(), input.get(), size); },
      [&] {
        plan.run(communicator_, {vector.get(), size});
      });
}

std::vector<double> Exchanger::series_us(double seconds, const std::function<void()>& before,
                                         const std::function<void()>& body) {
  const auto once = [&] {
    before();
    return time_us(body);
  };
  once();  // opens connections
  const double first = std::max(once(), 0.1);
  const int repetitions =
      std::max(kLeastRuns, static_cast<int>(std::min<double>(kMostRuns, 1e6 * seconds / first)));
  std::vector<double> all;
  for (int k = 0; k < repetitions; ++k) all.push_back(once());
  return all;
}

}  // namespace arlab::bench
