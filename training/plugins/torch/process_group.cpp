#include "training/plugins/torch/process_group.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "training/plugins/torch/tensors.hpp"

namespace arlab::training {
namespace {

using collectives::DType;
using collectives::Op;
using collectives::Operand;

// Small vectors by few messages, large ones by few bytes.
collectives::SizeRules rules_of_environment(Rank ranks) {
  const char* const text = std::getenv("ARLAB_ALGORITHM");
  return rules_for(collectives::read_rank_rules(text && *text != '\0' ? text : "butterfly@16K,ring",
                                                "ARLAB_ALGORITHM"),
                   ranks);
}

std::vector<Rank> members_of(Engine& engine, c10d::Store& store, int rank, int size) {
  if (size > engine.world_ranks())
    fail(Blame::usage,
         concat("world_size is ", size, ", but the MPI job has ", engine.world_ranks(),
                " ranks: start the processes with `mpirun -n ", size, " python3 ...`"));
  const auto key = [](int r) { return "arlab/" + std::to_string(r); };
  const std::string mine = std::to_string(engine.world_rank());
  store.set(key(rank), {mine.begin(), mine.end()});
  std::vector<Rank> members;
  for (int r = 0; r < size; ++r) {
    const std::vector<std::uint8_t> its = store.get(key(r));
    members.push_back(std::stoi(std::string(its.begin(), its.end())));
  }
  return members;
}

// Completed by the engine's thread.
class ArlabWork final : public c10d::Work {
 public:
  ArlabWork(c10d::OpType type, const char* name, std::vector<at::Tensor> results)
      : Work(-1, type, name),
        results_(std::move(results)),
        future_(c10::make_intrusive<c10::ivalue::Future>(
            c10::ListType::create(c10::TensorType::get()))) {}

  std::vector<at::Tensor> result() override { return results_; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return future_; }

  void complete(std::exception_ptr error) {
    if (error)
      future_->setError(error);
    else
      future_->markCompleted(at::IValue(results_));
    finish(error);
  }

 private:
  std::vector<at::Tensor> results_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

// Python shows std::runtime_error with its text.
std::exception_ptr for_python(std::exception_ptr error) {
  if (!error) return nullptr;
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return std::make_exception_ptr(std::runtime_error(concat("arlab: ", e.what())));
  } catch (...) {
    return error;
  }
}

}  // namespace

ProcessGroupArlab::ProcessGroupArlab(Engine& engine, const c10::intrusive_ptr<c10d::Store>& store,
                                     int rank, int size)
    : ProcessGroup(rank, size),
      engine_(engine),
      ranks_(engine.add_group(members_of(engine, *store, rank, size), rules_of_environment(size))) {
}

auto ProcessGroupArlab::post(c10d::OpType type, const char* name, Tensors results,
                             Engine::Task task) -> Work {
  auto work = c10::make_intrusive<ArlabWork>(type, name, std::move(results));
  engine_.post(std::move(task),
               [work](std::exception_ptr error) { work->complete(for_python(error)); });
  return work;
}

auto ProcessGroupArlab::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) -> Work {
  const at::Tensor tensor = checked(the_one(tensors, "allreduce"), "allreduce");
  const Operand operand{dtype_of(tensor), op_of(options.reduceOp)};
  return post(c10d::OpType::ALLREDUCE, "arlab:allreduce", tensors,
              [this, tensor, operand] { ranks_.allreduce(bytes_of(tensor), operand); });
}

auto ProcessGroupArlab::average(const std::shared_ptr<BucketAverages>& averages,
                                const c10d::GradBucket& bucket) -> Work {
  const at::Tensor buffer = checked(bucket.getBuffer(), "a compressed allreduce");
  if (buffer.scalar_type() != at::kFloat)
    fail(Blame::usage, concat("compressors encode float32, but a bucket's gradients are ",
                              c10::toString(buffer.scalar_type()),
                              ": train in float32, or leave the compressor out"));
  GradientBucket its{
      .index = static_cast<Count>(bucket.getIndex()),
      .last = bucket.isLast(),
      .gradients = {buffer.data_ptr<float>(), static_cast<std::size_t>(buffer.numel())},
      .layout = {}};
  for (const at::Tensor& tensor : bucket.getGradients()) its.layout.push_back(matrix_of(tensor));
  return post(c10d::OpType::ALLREDUCE, "arlab:compressed_allreduce", {buffer},
              [this, averages, its] { averages->run(ranks_, its); });
}

Count ProcessGroupArlab::bytes_sent() {
  Count bytes = 0;
  engine_.run_alone([&] { bytes = ranks_.communicator.sent().bytes; });
  return bytes;
}

auto ProcessGroupArlab::allreduce_coalesced(Tensors& tensors,
                                            const c10d::AllreduceCoalescedOptions& options)
    -> Work {
  std::vector<std::pair<at::Tensor, Operand>> all;
  for (const at::Tensor& tensor : tensors)
    all.emplace_back(checked(tensor, "allreduce_coalesced"),
                     Operand{dtype_of(tensor), op_of(options.reduceOp)});
  return post(c10d::OpType::ALLREDUCE_COALESCED, "arlab:allreduce_coalesced", tensors, [this, all] {
    for (const auto& [tensor, operand] : all) ranks_.allreduce(bytes_of(tensor), operand);
  });
}

auto ProcessGroupArlab::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) -> Work {
  const at::Tensor tensor = checked(the_one(tensors, "broadcast"), "broadcast");
  const auto root = static_cast<Rank>(options.rootRank);
  return post(c10d::OpType::BROADCAST, "arlab:broadcast", tensors, [this, tensor, root] {
    const auto data = bytes_of(tensor);
    const Problem problem =
        ranks_.problem(Collective::broadcast, static_cast<Count>(data.size()), root);
    ranks_.plans.get(find_algorithm("tree"), problem, {DType::byte, Op::sum})
        .run(ranks_.communicator, data);
  });
}

// The tensors of other ranks than the root remain what they were.
auto ProcessGroupArlab::reduce(Tensors& tensors, const c10d::ReduceOptions& options) -> Work {
  const at::Tensor tensor = checked(the_one(tensors, "reduce"), "reduce");
  const Operand operand{dtype_of(tensor), op_of(options.reduceOp)};
  const auto root = static_cast<Rank>(options.rootRank);
  return post(c10d::OpType::REDUCE, "arlab:reduce", tensors, [this, tensor, operand, root] {
    const at::Tensor data = root == getRank() ? tensor : tensor.clone();
    const Problem problem = ranks_.problem(Collective::reduce, tensor.numel(), root);
    ranks_.plans.get(find_algorithm("tree"), problem, operand)
        .run(ranks_.communicator, bytes_of(data));
  });
}

void ProcessGroupArlab::all_gather_now(at::Tensor output, const at::Tensor& input) {
  const auto all = bytes_of(output), mine = bytes_of(input);
  if (!mine.empty())
    std::memcpy(all.data() + mine.size() * static_cast<std::size_t>(getRank()), mine.data(),
                mine.size());
  const Problem problem = ranks_.problem(Collective::all_gather, static_cast<Count>(all.size()));
  ranks_.plans.get(find_algorithm("ring"), problem, {DType::byte, Op::sum})
      .run(ranks_.communicator, all);
}

auto ProcessGroupArlab::_allgather_base(at::Tensor& output, at::Tensor& input,
                                        const c10d::AllgatherOptions&) -> Work {
  const at::Tensor to = checked(output, "all_gather"), from = checked(input, "all_gather");
  if (to.nbytes() != from.nbytes() * static_cast<std::size_t>(getSize()))
    fail(Blame::usage,
         concat("all_gather into ", to.nbytes(), " bytes of ", getSize(), " tensors of ",
                from.nbytes(), ": give an output of their size together"));
  return post(c10d::OpType::_ALLGATHER_BASE, "arlab:all_gather", {to},
              [this, to, from] { all_gather_now(to, from); });
}

auto ProcessGroupArlab::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                  const c10d::AllgatherOptions&) -> Work {
  const at::Tensor from = checked(the_one(inputs, "all_gather"), "all_gather");
  if (outputs.size() != 1 || outputs[0].size() != static_cast<std::size_t>(getSize()))
    fail(Blame::usage, concat("all_gather needs one output per rank, ", getSize(), " in all"));
  for (const at::Tensor& to : outputs[0])
    if (to.nbytes() != from.nbytes())
      fail(Blame::usage, concat("all_gather of ", from.nbytes(), " bytes into an output of ",
                                to.nbytes(), ": give outputs of the input's shape and type"));
  const Tensors to = outputs[0];
  return post(c10d::OpType::ALLGATHER, "arlab:all_gather", to, [this, to, from] {
    const at::Tensor all = at::empty({getSize(), from.numel()}, from.options());
    all_gather_now(all, from);
    for (std::size_t r = 0; r < to.size(); ++r)
      to[r].view(-1).copy_(all[static_cast<std::int64_t>(r)]);
  });
}

void ProcessGroupArlab::reduce_scatter_now(at::Tensor output, const at::Tensor& input,
                                           Operand operand) {
  const at::Tensor all = input.clone();
  const Problem problem = ranks_.problem(Collective::reduce_scatter, all.numel());
  ranks_.plans.get(find_algorithm("ring"), problem, operand)
      .run(ranks_.communicator, bytes_of(all));
  const auto mine = bytes_of(output);
  if (!mine.empty())
    std::memcpy(mine.data(),
                bytes_of(all).data() + mine.size() * static_cast<std::size_t>(getRank()),
                mine.size());
}

auto ProcessGroupArlab::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                             const c10d::ReduceScatterOptions& options) -> Work {
  const at::Tensor to = checked(output, "reduce_scatter"), from = checked(input, "reduce_scatter");
  if (from.numel() != to.numel() * getSize() || from.scalar_type() != to.scalar_type())
    fail(Blame::usage,
         concat("reduce_scatter of ", from.numel(), " elements into ", to.numel(), " on ",
                getSize(), " ranks: give an input of one output per rank, of its type"));
  const Operand operand{dtype_of(from), op_of(options.reduceOp)};
  return post(c10d::OpType::_REDUCE_SCATTER_BASE, "arlab:reduce_scatter", {to},
              [this, to, from, operand] { reduce_scatter_now(to, from, operand); });
}

auto ProcessGroupArlab::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                       const c10d::ReduceScatterOptions& options) -> Work {
  at::Tensor to = the_one(outputs, "reduce_scatter");
  if (inputs.size() != 1 || inputs[0].size() != static_cast<std::size_t>(getSize()))
    fail(Blame::usage, concat("reduce_scatter needs one input per rank, ", getSize(), " in all"));
  for (const at::Tensor& from : inputs[0])
    if (from.numel() != to.numel())
      fail(Blame::usage, concat("reduce_scatter of an input of ", from.numel(),
                                " elements into an output of ", to.numel(), ": make them equal"));
  at::Tensor all = at::stack(inputs[0]);
  return _reduce_scatter_base(to, all, options);
}

// A message is a round of its own lane, so that collectives and messages do not mix.
void ProcessGroupArlab::transfer_now(ActionKind kind, const at::Tensor& tensor, Rank peer) {
  constexpr int kLane = 4095;
  const auto data = bytes_of(tensor);
  if (data.empty()) return;
  const collectives::Transfer transfer{kind, peer, data.data(), static_cast<Count>(data.size())};
  ranks_.communicator.start(kLane, std::span(&transfer, 1), {DType::byte, Op::sum});
  ranks_.communicator.wait();
}

auto ProcessGroupArlab::send(Tensors& tensors, int to, int tag) -> Work {
  const at::Tensor tensor = checked(the_one(tensors, "send"), "send");
  if (tag != 0) fail(Blame::usage, "arlab sends without tags: leave the tag out");
  return post(c10d::OpType::SEND, "arlab:send", tensors,
              [this, tensor, to] { transfer_now(ActionKind::send, tensor, to); });
}

auto ProcessGroupArlab::recv(Tensors& tensors, int from, int tag) -> Work {
  const at::Tensor tensor = checked(the_one(tensors, "recv"), "recv");
  if (tag != 0) fail(Blame::usage, "arlab receives without tags: leave the tag out");
  return post(c10d::OpType::RECV, "arlab:recv", tensors,
              [this, tensor, from] { transfer_now(ActionKind::replace, tensor, from); });
}

auto ProcessGroupArlab::barrier(const c10d::BarrierOptions&) -> Work {
  return post(c10d::OpType::BARRIER, "arlab:barrier", {},
              [this] { ranks_.communicator.barrier(); });
}

}  // namespace arlab::training
