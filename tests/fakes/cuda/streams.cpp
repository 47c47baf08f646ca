#include "tests/fakes/cuda/streams.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace arlab::fake_cuda;

namespace arlab::fake_cuda {
namespace {

/// The time, later with each call.
double now() {
  static double last = 0;
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  last = std::max(last + 1, std::chrono::duration<double, std::nano>(since).count());
  return last;
}

bool is_captured(Stream& stream) {
  if (stream.capture && !stream.capture->open) stream.capture = nullptr;
  return stream.capture != nullptr;
}

/// For calls that wait, which a capture forbids.
bool refused(Stream& stream, const char* call) {
  if (!is_captured(stream)) return false;
  machine().complain(std::string(call) + " of a stream that is captured");
  return true;
}

bool dead(Event* event, const char* call) {
  if (event && event->is_alive) return false;
  machine().complain(std::string(call) + " of an event that was destroyed");
  return true;
}

}  // namespace

Stream* find_stream(cudaStream_t handle, const char* call) {
  static std::vector<std::unique_ptr<Stream>> defaults(64);
  Machine& m = machine();
  if (!handle) {
    auto& own = defaults[static_cast<std::size_t>(current_device())];
    if (!own) own = std::make_unique<Stream>();
    own->device = current_device();
    m.contexts.insert(current_device());
    return own.get();
  }
  if (!handle->is_alive) {
    m.complain(std::string(call) + " of a stream that was destroyed");
    return nullptr;
  }
  if (!handle->held_by.empty())
    m.complain(std::string(call) + " on a stream where " + handle->held_by +
               " is still in progress");
  return handle;
}

void enqueue(Stream& stream, const std::string& kind, Work work, Event* marks) {
  if (is_captured(stream)) {
    stream.capture->nodes.push_back(
        {stream.device, std::move(work), stream.captured_after, marks, kind, nullptr});
    stream.captured_after = {stream.capture->nodes.size() - 1};
    return;
  }
  ++machine().counted.launches;
  stream.after = {add_task(stream.device, stream.after, std::move(work))};
  run_some();
}

/// What records an event when it runs.
Work marking(const std::shared_ptr<Mark>& mark) {
  return [mark](const TaskPtr&) {
    mark->when = now();
    ++machine().counted.records;
    return true;
  };
}

}  // namespace arlab::fake_cuda

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (flags != cudaStreamNonBlocking)
    m.complain("streams that wait for the default stream are not modeled");
  *stream = made<Stream>("streams");
  (*stream)->device = current_device();
  m.contexts.insert(current_device());
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(machine().mutex);
  if (stream && stream->is_alive && is_captured(*stream))
    machine().complain("a stream was destroyed while captured");
  return unmade(stream, "streams") ? cudaSuccess : returned(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (m.broken) return returned(cudaErrorLaunchFailure);
  Stream* const stream = find_stream(handle, "cudaStreamQuery");
  if (!stream) return returned(cudaErrorInvalidResourceHandle);
  if (refused(*stream, "cudaStreamQuery")) return returned(cudaErrorStreamCaptureUnsupported);
  for (auto count = 1 + m.random() % 16; count > 0 && run_any(is_still()); --count) {
  }
  return all_done(stream->after) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  Machine& m = machine();
  std::unique_lock lock(m.mutex);
  Stream* const stream = find_stream(handle, "cudaStreamSynchronize");
  if (!stream) return returned(cudaErrorInvalidResourceHandle);
  if (refused(*stream, "cudaStreamSynchronize")) return returned(cudaErrorStreamCaptureUnsupported);
  const bool done = wait_until(
      lock, [&] { return all_done(stream->after); }, "cudaStreamSynchronize");
  return done ? cudaSuccess : returned(cudaErrorLaunchFailure);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  Stream* const stream = find_stream(handle, "cudaStreamWaitEvent");
  if (!stream || dead(event, "cudaStreamWaitEvent"))
    return returned(cudaErrorInvalidResourceHandle);
  ++m.counted.waits;
  if (event->capture) {
    if (!event->capture->open) {
      m.complain("a stream waits for an event of a capture that is over");
      return returned(cudaErrorStreamCaptureUnmatched);
    }
    if (is_captured(*stream) && stream->capture != event->capture)
      return returned(cudaErrorStreamCaptureMerge);
    if (!is_captured(*stream)) stream->captured_after.clear();
    stream->capture = event->capture;
    auto& after = stream->captured_after;
    after.insert(after.end(), event->captured_after.begin(), event->captured_after.end());
  } else if (event->mark) {
    if (is_captured(*stream)) {
      m.complain("captured work waits for work that is not captured");
      return returned(cudaErrorStreamCaptureIsolation);
    }
    for (const TaskPtr& task : event->mark->after)
      if (!task->done) stream->after.push_back(task);
  }
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  *event = made<Event>("events");
  (*event)->device = current_device();
  (*event)->is_timed = flags == cudaEventDefault;
  m.contexts.insert(current_device());
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard lock(machine().mutex);
  return unmade(event, "events") ? cudaSuccess : returned(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  Stream* const stream = find_stream(handle, "cudaEventRecord");
  if (!stream || dead(event, "cudaEventRecord")) return returned(cudaErrorInvalidResourceHandle);
  if (event->device != stream->device) {
    m.complain("an event was recorded on another device's stream");
    return returned(cudaErrorInvalidResourceHandle);
  }
  if (is_captured(*stream)) {
    if (flags == cudaEventRecordExternal) {  // a node: each launch records the event
      enqueue(*stream, "record", nullptr, event);
      return cudaSuccess;
    }
    event->mark = nullptr;
    event->capture = stream->capture;
    event->captured_after = stream->captured_after;
    return cudaSuccess;
  }
  if (flags != cudaEventRecordDefault) return returned(cudaErrorIllegalState);
  event->capture = nullptr;
  event->mark = std::make_shared<Mark>();
  if (event->is_timed) {
    enqueue(*stream, "record", marking(event->mark));
  } else {
    ++m.counted.records;
    ++m.counted.launches;
  }
  event->mark->after = stream->after;
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  std::unique_lock lock(machine().mutex);
  if (dead(event, "cudaEventSynchronize")) return returned(cudaErrorInvalidResourceHandle);
  if (event->capture) return returned(cudaErrorStreamCaptureUnsupported);
  if (!event->mark) return cudaSuccess;
  const auto mark = event->mark;
  const bool done = wait_until(
      lock, [&] { return all_done(mark->after); }, "cudaEventSynchronize");
  return done ? cudaSuccess : returned(cudaErrorLaunchFailure);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (dead(start, "cudaEventElapsedTime") || dead(stop, "cudaEventElapsedTime"))
    return returned(cudaErrorInvalidResourceHandle);
  if (!start->is_timed || !stop->is_timed || !start->mark || !stop->mark ||
      start->device != stop->device) {
    m.complain("the time between events that were not recorded, are not timed, or of two devices");
    return returned(cudaErrorInvalidResourceHandle);
  }
  if (!all_done(start->mark->after) || !all_done(stop->mark->after)) return cudaErrorNotReady;
  *milliseconds = static_cast<float>((stop->mark->when - start->mark->when) / 1e6);
  return cudaSuccess;
}
