#include "training/plugins/torch/process_group.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "training/plugins/torch/work.hpp"

namespace arlab::training {
namespace {

// Small vectors by few messages, large ones by few bytes.
collectives::SizeRules rules_of_environment(Rank ranks) {
  const char* const text = std::getenv("ARLAB_ALGORITHM");
  return rules_for(collectives::read_rank_rules(text && *text != '\0' ? text : "butterfly@16K,ring",
                                                "ARLAB_ALGORITHM"),
                   ranks);
}

Member this_process(Rank rank) {
  char machine[256] = "";
  gethostname(machine, sizeof machine - 1);
  return {rank, static_cast<int>(getpid()), machine};
}

std::vector<std::uint8_t> bytes_of(const Member& member) {
  const std::string text = concat(member.rank, " ", member.process, " ", member.machine);
  return {text.begin(), text.end()};
}

Member member_of(const std::vector<std::uint8_t>& bytes) {
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  Member member;
  text >> member.rank >> member.process >> member.machine;
  return member;
}

// Returns once all members have come, so that none waits in MPI for one that has not.
std::vector<Member> members_of(Engine& engine, c10d::Store& store, int rank, int size) {
  if (size > engine.world_ranks())
    fail(Blame::usage,
         concat("world_size is ", size, ", but the MPI job has ", engine.world_ranks(),
                " ranks: start the processes with `mpirun -n ", size, " python3 ...`"));
  const auto key = [](int r) { return "arlab/" + std::to_string(r); };
  store.set(key(rank), bytes_of(this_process(engine.world_rank())));
  std::vector<Member> members;
  for (int r = 0; r < size; ++r) members.push_back(member_of(store.get(key(r))));
  return members;
}

}  // namespace

ProcessGroupArlab::ProcessGroupArlab(Engine& engine, const c10::intrusive_ptr<c10d::Store>& store,
                                     int rank, int size, double seconds)
    : ProcessGroup(rank, size),
      engine_(engine),
      group_(engine.add_group(members_of(engine, *store, rank, size), rules_of_environment(size),
                              seconds)) {}

// What a task holds lives as long as its tensors may be in use.
auto ProcessGroupArlab::post(c10d::OpType type, const char* name, const Call& call, Tensors results,
                             Task task) -> Work {
  auto work = c10::make_intrusive<ArlabWork>(type, name, std::move(results));
  group_.post(
      call,
      [task = std::move(task), held = std::make_shared<Held>()](GroupRanks& ranks) {
        const at::NoGradGuard no_grad;
        task(ranks, *held);
      },
      [work](std::exception_ptr error) { work->complete(error); });
  return work;
}

void ProcessGroupArlab::reduce_flat(GroupRanks& ranks, const Call& call, const at::Tensor& flat,
                                    const Reduction& reduction, Held& held) {
  if (!reduction.bits) return ranks.allreduce(call, training::bytes_of(flat), reduction.operand);
  const auto count = ranks.communicator.ranks();
  const at::Tensor all = held.emplace_back(at::empty({count, flat.numel()}, flat.options()));
  all[ranks.communicator.rank()].copy_(flat.view(-1));
  ranks.all_gather(call, training::bytes_of(all));
  at::Tensor combined = all[0];
  for (Rank r = 1; r < count; ++r) combined = combine_bits(combined, all[r], reduction);
  flat.view(-1).copy_(combined);
}

auto ProcessGroupArlab::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) -> Work {
  const at::Tensor tensor = checked_result(the_one(tensors, "allreduce"), "allreduce");
  const Reduction reduction = reduction_of(tensor, options.reduceOp);
  const Call call = call_of("allreduce", tensor, reduction);
  return post(c10d::OpType::ALLREDUCE, "arlab:allreduce", call, tensors,
              [tensor, reduction, call](GroupRanks& ranks, Held& held) {
                const at::Tensor its = flat(tensor, held);
                reduce_flat(ranks, call, its, reduction, held);
                restore(tensor, its);
              });
}

auto ProcessGroupArlab::allreduce_coalesced(Tensors& tensors,
                                            const c10d::AllreduceCoalescedOptions& options)
    -> Work {
  std::vector<std::pair<at::Tensor, Reduction>> all;
  Call call;
  call.what = ShortText<24>("allreduce_coalesced");
  for (const at::Tensor& tensor : tensors) {
    const Reduction reduction =
        reduction_of(checked_result(tensor, "allreduce_coalesced"), options.reduceOp);
    all.emplace_back(tensor, reduction);
    call = call_of("allreduce_coalesced", tensor, reduction);
  }
  call.elements = static_cast<Count>(tensors.size());  // the tensors compare their own sizes
  return post(c10d::OpType::ALLREDUCE_COALESCED, "arlab:allreduce_coalesced", call, tensors,
              [call, all](GroupRanks& ranks, Held& held) {
                ranks.check(call);
                for (const auto& [tensor, reduction] : all) {
                  const at::Tensor its = flat(tensor, held);
                  reduce_flat(ranks, call_of("allreduce_coalesced", tensor, reduction), its,
                              reduction, held);
                  restore(tensor, its);
                }
              });
}

auto ProcessGroupArlab::average(const std::shared_ptr<BucketAverages>& averages,
                                const c10d::GradBucket& bucket) -> Work {
  const at::Tensor buffer = checked_result(bucket.getBuffer(), "a compressed allreduce");
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
  Call call = call_of("compressed allreduce", buffer);
  call.detail = with(with(0, averages->spec()), static_cast<std::uint64_t>(its.index));
  return post(c10d::OpType::ALLREDUCE, "arlab:compressed_allreduce", call, {buffer},
              [averages, its, call](GroupRanks& ranks, Held&) {
                ranks.check(call);
                averages->run(ranks, its);
              });
}

auto ProcessGroupArlab::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) -> Work {
  const at::Tensor tensor = checked_result(the_one(tensors, "broadcast"), "broadcast");
  const Call call = call_of("broadcast", tensor, static_cast<Rank>(options.rootRank));
  return post(c10d::OpType::BROADCAST, "arlab:broadcast", call, tensors,
              [tensor, call](GroupRanks& ranks, Held& held) {
                const at::Tensor its = flat(tensor, held);
                ranks.broadcast(call, training::bytes_of(its));
                restore(tensor, its);
              });
}

// The tensors of other ranks than the root remain what they were.
auto ProcessGroupArlab::reduce(Tensors& tensors, const c10d::ReduceOptions& options) -> Work {
  const at::Tensor tensor = checked_result(the_one(tensors, "reduce"), "reduce");
  const Reduction reduction = reduction_of(tensor, options.reduceOp);
  const Call call = call_of("reduce", tensor, reduction, static_cast<Rank>(options.rootRank));
  return post(c10d::OpType::REDUCE, "arlab:reduce", call, tensors,
              [tensor, reduction, call](GroupRanks& ranks, Held& held) {
                const bool is_root = ranks.communicator.rank() == call.root;
                const at::Tensor its =
                    is_root ? flat(tensor, held)
                            : held.emplace_back(tensor.clone(at::MemoryFormat::Contiguous));
                if (reduction.bits)
                  reduce_flat(ranks, call, its, reduction, held);
                else
                  ranks.reduce(call, training::bytes_of(its), reduction.operand);
                if (is_root) restore(tensor, its);
              });
}

auto ProcessGroupArlab::barrier(const c10d::BarrierOptions&) -> Work {
  Call call;
  call.what = ShortText<24>("barrier");
  return post(c10d::OpType::BARRIER, "arlab:barrier", call, {},
              [call](GroupRanks& ranks, Held&) { ranks.check(call); });
}

auto ProcessGroupArlab::send(Tensors& tensors, int to, int tag) -> Work {
  const at::Tensor tensor = checked(the_one(tensors, "send"), "send");
  auto work = c10::make_intrusive<ArlabWork>(c10d::OpType::SEND, "arlab:send", tensors);
  const auto done = [work](std::exception_ptr error, Rank) { work->complete(error); };
  const auto held = std::make_shared<Held>();
  engine_.messenger().post(
      [this, tensor, to, tag, held, done] {
        const at::NoGradGuard no_grad;
        const at::Tensor its = flat(tensor, *held);
        group_.messages().send(to, tag, {training::bytes_of(its), c10::toString(its.scalar_type())},
                               [its, done](std::exception_ptr error, Rank) { done(error, -1); });
      },
      [done](std::exception_ptr error) { done(error, -1); });
  return work;
}

auto ProcessGroupArlab::receive(c10d::OpType type, Tensors& tensors, Rank from, int tag) -> Work {
  const at::Tensor tensor = checked_result(the_one(tensors, "recv"), "recv");
  auto work = c10::make_intrusive<ArlabWork>(type, "arlab:recv", tensors);
  const auto held = std::make_shared<Held>();
  engine_.messenger().post(
      [this, tensor, from, tag, held, work] {
        const at::NoGradGuard no_grad;
        const at::Tensor its = flat_space(tensor, *held);
        group_.messages().receive(from, tag,
                                  {training::bytes_of(its), c10::toString(its.scalar_type())},
                                  [tensor, its, work](std::exception_ptr error, Rank source) {
                                    const at::NoGradGuard none;
                                    if (!error) restore(tensor, its);
                                    work->complete(error, source);
                                  });
      },
      [work](std::exception_ptr error) { work->complete(error); });
  return work;
}

auto ProcessGroupArlab::recv(Tensors& tensors, int from, int tag) -> Work {
  return receive(c10d::OpType::RECV, tensors, from, tag);
}

auto ProcessGroupArlab::recvAnysource(Tensors& tensors, int tag) -> Work {
  return receive(c10d::OpType::RECVANYSOURCE, tensors, collectives::Messages::kAnyRank, tag);
}

}  // namespace arlab::training
