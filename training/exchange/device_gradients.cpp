#include "training/exchange/device_gradients.hpp"

#include "collectives/gpu/device.hpp"

namespace arlab::training {
namespace {

bool are_neighbors(std::span<const std::span<float>> parts) {
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].data() != parts[i - 1].data() + parts[i - 1].size()) return false;
  return true;
}

std::byte* bytes_of(std::span<float> floats) { return std::as_writable_bytes(floats).data(); }

}  // namespace

DeviceGradients::DeviceGradients(DeviceVectors& vectors, std::size_t variables,
                                 collectives::Communicator& control)
    : vectors_(vectors),
      control_(control),
      packed_(vectors.math()->device->make_event()),
      copies_(vectors.math()->device->make_stream()) {
  for (std::size_t v = 0; v < variables; ++v)
    completed_.push_back(vectors.math()->device->make_event());
}

// Copies may be in progress, on memory that is about to be freed.
DeviceGradients::~DeviceGradients() { copies_->settle(); }

void DeviceGradients::complete(std::size_t variable) {
  math().stream->record(completed_[variable]);
}

void DeviceGradients::wait() const { math().stream->synchronize(); }

void DeviceGradients::run(std::span<const std::span<float>> parts,
                          std::span<const std::size_t> variables, const Run& run) {
  std::vector<collectives::DeviceEvent> after;
  for (const std::size_t v : variables) after.push_back(completed_[v]);
  std::size_t elements = 0;
  for (const std::span<float> part : parts) elements += part.size();
  if (are_neighbors(parts)) return run({parts.front().data(), elements}, after);
  if (copy_.size() < elements * sizeof(float)) {
    copy_ = {};
    copy_ = math().device->allocate(all().size_bytes());
    control_.barrier();  // a peer's stream may wait for this rank, which allocating may wait for
  }
  const std::span<float> copy(reinterpret_cast<float*>(copy_.data()), elements);
  for (const collectives::DeviceEvent& event : after) copies_->wait(event);
  const auto for_each = [&](auto use) {
    for (std::size_t i = 0, at = 0; i < parts.size(); at += parts[i++].size())
      use(bytes_of(parts[i]), bytes_of(copy.subspan(at, parts[i].size())), parts[i].size_bytes());
  };
  for_each([&](std::byte* part, std::byte* its, std::size_t n) { copies_->copy(its, part, n); });
  copies_->record(packed_);
  run(copy, {&packed_, 1});
  for_each([&](std::byte* part, std::byte* its, std::size_t n) { copies_->copy(part, its, n); });
  copies_->synchronize();
}

}  // namespace arlab::training
