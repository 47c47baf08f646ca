#include "tests/fakes/gpu/stream.hpp"

#include <cstring>
#include <thread>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/dispatch_dtype.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

std::size_t bytes_of(Count elements, DType dtype) {
  return static_cast<std::size_t>(elements) * size_of(dtype);
}

Count different(const std::byte* a, const std::byte* b, Count elements, DType dtype) {
  return dispatch_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    Count count = 0;
    for (std::size_t i = 0; i < bytes_of(elements, dtype); i += sizeof(T)) {
      T x, y;
      std::memcpy(&x, a + i, sizeof(T));
      std::memcpy(&y, b + i, sizeof(T));
      if constexpr (kIsSmallFloat<T>)
        count += to_float(x) == to_float(y) ? 0 : 1;
      else
        count += x == y ? 0 : 1;
    }
    return count;
  });
}

}  // namespace

double HostStream::microseconds_between(const DeviceEvent& start, const DeviceEvent& stop) {
  const auto &first = start.as<HostEvent>(), &last = stop.as<HostEvent>();
  expects(first.timed_ && last.timed_, "the time was asked of an event that is not timed");
  expects(first.mark_ && last.mark_, "an event's time was asked before it was recorded");
  return std::chrono::duration<double, std::micro>(last.mark_->wait() - first.mark_->wait())
      .count();
}

void HostStream::copy(std::byte* into, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;
  memory_.owner(into, bytes);
  memory_.owner(from, bytes);
  add([=] { std::memcpy(into, from, bytes); });
}

void HostStream::reduce_all(std::byte* into, std::span<const std::byte* const> from, Count elements,
                            Operand operand) {
  expect_reachable(into, elements, operand.dtype);
  for (const std::byte* its : from) expect_reachable(its, elements, operand.dtype);
  add([=, senders = std::vector(from.begin(), from.end())] {
    for (const std::byte* its : senders) reduce_into(into, its, elements, operand);
  });
}

void HostStream::scale(std::byte* data, Count elements, DType dtype, double divisor) {
  expect_reachable(data, elements, dtype);
  add([=] { arlab::collectives::scale(data, elements, dtype, divisor); });
}

void HostStream::count_different(std::byte* counter, const std::byte* a, const std::byte* b,
                                 Count elements, DType dtype) {
  expect_reachable(counter, 1, DType::int64);
  expect_reachable(a, elements, dtype);
  expect_reachable(b, elements, dtype);
  add([=] {
    Count count;
    std::memcpy(&count, counter, sizeof(count));
    count += different(a, b, elements, dtype);
    std::memcpy(counter, &count, sizeof(count));
  });
}

void HostStream::record(const DeviceEvent& event) {
  auto& its = event.as<HostEvent>();
  expects(&its.device_ == &device_, "an event was recorded on another device's stream");
  its.mark_ = nullptr;
  its.graph_ = nullptr;
  if (is_captured() && its.timed_) {  // each launch records it
    const auto marks = std::make_shared<HostMarks>();
    graph_->at_launch.push_back([event, marks] {
      const auto mark = event.as<HostEvent>().mark_ = std::make_shared<HostMark>();
      marks->push(mark);
    });
    add([marks] { marks->pop()->reach(); });
    return;
  }
  if (is_captured()) {
    add([] {});
    its.graph_ = graph_;
    its.node_ = last_.front();
    return;
  }
  its.mark_ = std::make_shared<HostMark>();
  queue_.push([mark = its.mark_] { mark->reach(); });
}

void HostStream::wait(const DeviceEvent& event) {
  const auto& its = event.as<HostEvent>();
  if (its.graph_) {
    expects(its.graph_->capturing, "work waits for an event of a capture that is over");
    expects(!is_captured() || graph_ == its.graph_, "a stream is in two captures");
    if (!is_captured()) last_.clear();
    graph_ = its.graph_;
    last_.push_back(its.node_);
  } else if (its.mark_) {
    expects(!is_captured(), "captured work waits for work that is not captured");
    queue_.push([mark = its.mark_] { mark->wait(); });
  }
}

bool HostStream::is_done() {
  expects(!is_captured(), "a stream was looked at while it is captured");
  return queue_.is_idle();
}

void HostStream::synchronize() {
  expects(!is_captured(), "a stream was waited for while it is captured");
  queue_.drain();
}

std::unique_ptr<DeviceGraph> HostStream::capture(const std::function<void()>& enqueue) {
  begin_capture();
  try {
    enqueue();
  } catch (...) {
    try {
      end_capture();
    } catch (const std::exception&) {  // unjoined streams
    }
    throw;
  }
  return end_capture();
}

void HostStream::begin_capture() {
  expects(!is_captured(), "a capture began within a capture");
  graph_ = std::make_shared<HostGraph>();
  last_.clear();
  began_ = true;
}

std::unique_ptr<DeviceGraph> HostStream::end_capture() {
  expects(is_captured() && began_, "a capture ended that did not begin on this stream");
  add([] {});
  expects(graph_->joins_all(last_.front()), "a capture ended before all its streams were joined");
  graph_->capturing = began_ = false;
  return std::make_unique<HostCaptured>(std::exchange(graph_, nullptr));
}

void HostStream::launch(DeviceGraph& graph) {
  for (const auto& prepare : dynamic_cast<HostCaptured&>(graph).graph->at_launch) prepare();
  add([captured = dynamic_cast<HostCaptured&>(graph).graph,
       seed = disorder_ == 0 ? 0u : static_cast<std::uint32_t>(random_())] {
    captured->run(seed);
  });
}

/// A capture is over for all its streams when the one that began it ends it.
bool HostStream::is_captured() {
  if (graph_ && !graph_->capturing) graph_ = nullptr;
  return graph_ != nullptr;
}

void HostStream::add(HostQueue::Work work) {
  if (is_captured()) {
    last_ = {graph_->add(std::move(work), std::move(last_))};
  } else if (disorder_ != 0 && random_() % 4 == 0) {
    queue_.push([pause = random_() % 100, work = std::move(work)] {
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
      work();
    });
  } else {
    queue_.push(std::move(work));
  }
}

void HostStream::expect_reachable(const std::byte* data, Count elements, DType dtype) const {
  const Device* owner = memory_.owner(data, bytes_of(elements, dtype));
  expects(!owner || owner == &device_ || device_.reads(*owner),
          "work on memory of a device that is not a peer");
}

}  // namespace arlab::collectives
