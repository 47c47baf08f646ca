// ProcessGroupArlab: a backend of torch.distributed whose collectives are algorithms of the
// catalog.
#pragma once

#include <ATen/core/ivalue.h>  // first: clang needs the type before ATen's lists of it

#include <functional>
#include <memory>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "training/plugins/torch/backend.hpp"
#include "training/plugins/torch/bucket_averages.hpp"
#include "training/plugins/torch/engine.hpp"
#include "training/plugins/torch/tensors.hpp"

namespace arlab::training {

class ProcessGroupArlab final : public TorchBackend {
 public:
  /// All members call it together, in the same order of groups. A wait may take `seconds`. Throws
  /// Error that names what to change if the job that mpirun started has other ranks than the group.
  ProcessGroupArlab(Engine& engine, const c10::intrusive_ptr<c10d::Store>& store, int rank,
                    int size, double seconds);
  ~ProcessGroupArlab() override;

  const std::string getBackendName() const override { return "arlab"; }

  using Work = c10::intrusive_ptr<c10d::Work>;
  using Tensors = std::vector<at::Tensor>;
  Work allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
  Work allreduce_coalesced(Tensors& tensors,
                           const c10d::AllreduceCoalescedOptions& options) override;
  Work broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
  Work reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
  Work allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                 const c10d::AllgatherOptions& options) override;
  Work _allgather_base(at::Tensor& output, at::Tensor& input,
                       const c10d::AllgatherOptions& options) override;
  Work allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                           const c10d::AllgatherOptions& options) override;
#if TORCH_VERSION_MAJOR >= 2
  Work allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                       const c10d::AllgatherOptions& options) override;
  Work reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                       const c10d::ReduceScatterOptions& options) override;
#endif
  Work gather(std::vector<Tensors>& outputs, Tensors& inputs,
              const c10d::GatherOptions& options) override;
  Work scatter(Tensors& outputs, std::vector<Tensors>& inputs,
               const c10d::ScatterOptions& options) override;
  Work reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                      const c10d::ReduceScatterOptions& options) override;
  Work _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                            const c10d::ReduceScatterOptions& options) override;
  Work alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& output_sizes,
                     std::vector<std::int64_t>& input_sizes,
                     const c10d::AllToAllOptions& options) override;
  Work alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override;
  Work send(Tensors& tensors, int to, int tag) override;
  Work recv(Tensors& tensors, int from, int tag) override;
  Work recvAnysource(Tensors& tensors, int tag) override;
  Work barrier(const c10d::BarrierOptions& options) override;

  /// The gradients of `tensors`, in this order without gaps.
  struct Bucket {
    std::size_t index = 0;
    bool last = false;  ///< of the step
    at::Tensor gradients;
    Tensors tensors;
  };
  /// Averages a bucket in place. The averages belong to one model.
  Work average(const std::shared_ptr<BucketAverages>& averages, const Bucket& bucket);

  /// Takes part in the sums of the others, with zeros, until all ranks have joined. Returns the
  /// last one that did.
  Rank join();

  /// What this rank has sent in this group's collectives before this call; without what the
  /// library's own allreduce sends, which it does not report, and without what makes sure that all
  /// call the same.
  Count bytes_sent() { return group_.bytes_sent(); }

 private:
  using Task = std::function<void(GroupRanks&, Held&)>;
  struct Part {  // of several collectives by one call
    Call call;
    Task task;
  };
  Work post(c10d::OpType type, const char* name, const Call& call, Tensors results, Task task,
            TaskQueue::Needs needs = TaskQueue::Needs::turn, const Group::Arrive& arrive = {});
  TaskQueue::Needs needs_for(std::size_t bytes) const;
  TaskQueue::Needs needs_for_blocks(std::size_t bytes, const Reduction& reduction) const;
  collectives::Messages& messages() const;
  Work receive(c10d::OpType type, Tensors& tensors, Rank from, int tag);
  Work post_all(c10d::OpType type, const char* name, const Call& call, Tensors results,
                std::vector<Part> parts);
  Task gathering(const Call& call, const Tensors& to, const at::Tensor& from);
  Task scattering_sums(const Call& call, const at::Tensor& to, const Tensors& from,
                       const Reduction& reduction);
  static void reduce_flat(GroupRanks& ranks, const Call& call, const at::Tensor& flat,
                          const Reduction& reduction, Held& held);

  Engine& engine_;
  Group& group_;
};

}  // namespace arlab::training
