// DeviceGradients: gradients in a device's memory on their way: when each is complete there, and
// bundles of gradients that are not neighbors.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "training/exchange/collective_queue.hpp"
#include "training/replica/device_math.hpp"

namespace arlab::training {

class DeviceGradients {
 public:
  using Events = std::span<const collectives::DeviceEvent>;

  /// `variables`: how many there are. `control`: all ranks. Vectors and communicator must outlive
  /// this.
  DeviceGradients(DeviceVectors& vectors, std::size_t variables,
                  collectives::Communicator& control);

  ~DeviceGradients();
  DeviceGradients(const DeviceGradients&) = delete;
  DeviceGradients& operator=(const DeviceGradients&) = delete;

  std::span<float> all() const { return vectors_.gradients(); }
  const DeviceMath& math() const { return *vectors_.math(); }
  /// Notes that what the framework has enqueued by now completes the variable's gradient.
  void complete(std::size_t variable);
  /// Waits until the framework has done what it has enqueued.
  void wait() const;

  /// What runs a collective on a vector of the device, once the events are done. Returns when it
  /// is.
  using Run = std::function<void(std::span<float> there, Events after)>;
  /// Runs it on these parts of the gradients, of these variables, as one vector: in place if they
  /// are neighbors, else on a copy. All ranks call it together.
  void run(std::span<const std::span<float>> parts, std::span<const std::size_t> variables,
           const Run& run);

 private:
  DeviceVectors& vectors_;
  collectives::Communicator& control_;
  std::vector<collectives::DeviceEvent> completed_;  // by variable
  collectives::DeviceEvent packed_;
  collectives::DeviceMemory copy_;
  std::unique_ptr<collectives::DeviceStream> copies_;
};

}  // namespace arlab::training
