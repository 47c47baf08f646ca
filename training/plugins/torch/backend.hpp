// What a backend of torch.distributed is: since PyTorch 2, a group of processes has one for each
// kind of device; before, it was the group.
#pragma once

#include <ATen/core/ivalue.h>  // first: clang needs the type before ATen's lists of it
#include <torch/version.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace arlab::training {

#if TORCH_VERSION_MAJOR >= 2
using TorchBackend = c10d::Backend;
/// Throws what PyTorch throws if the group has none for processors.
inline c10::intrusive_ptr<TorchBackend> backend_of(
    const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
  return group->getBackend(c10::DeviceType::CPU);
}
#else
using TorchBackend = c10d::ProcessGroup;
inline c10::intrusive_ptr<TorchBackend> backend_of(
    const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
  return group;
}
#endif

}  // namespace arlab::training
