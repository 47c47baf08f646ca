// ProcessGroupArlab: a backend of torch.distributed whose collectives are algorithms of the catalog.
#pragma once

#include <ATen/core/ivalue.h>  // first: clang needs the type before ATen's lists of it

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "training/plugins/torch/bucket_averages.hpp"
#include "training/plugins/torch/engine.hpp"

namespace arlab::training {

class ProcessGroupArlab final : public c10d::ProcessGroup {
 public:
  /// All members call it together, in the same order of groups. Throws Error that names what to change if
  /// the job that mpirun started has other ranks than the group.
  ProcessGroupArlab(Engine& engine, const c10::intrusive_ptr<c10d::Store>& store, int rank,
                    int size);

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
  Work reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                      const c10d::ReduceScatterOptions& options) override;
  Work _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                            const c10d::ReduceScatterOptions& options) override;
  Work send(Tensors& tensors, int to, int tag) override;
  Work recv(Tensors& tensors, int from, int tag) override;
  Work barrier(const c10d::BarrierOptions& options) override;

  /// Averages a bucket of DistributedDataParallel in place. The averages belong to one model.
  Work average(const std::shared_ptr<BucketAverages>& averages, const c10d::GradBucket& bucket);

  /// What this rank has sent in this group's collectives before this call; without what the library's own
  /// allreduce sends, which it does not report.
  Count bytes_sent();

 private:
  Work post(c10d::OpType type, const char* name, Tensors results, Engine::Task task);
  void all_gather_now(at::Tensor output, const at::Tensor& input);
  void reduce_scatter_now(at::Tensor output, const at::Tensor& input, collectives::Operand operand);
  void transfer_now(ActionKind kind, const at::Tensor& tensor, Rank peer);

  Engine& engine_;
  GroupRanks& ranks_;
};

}  // namespace arlab::training
