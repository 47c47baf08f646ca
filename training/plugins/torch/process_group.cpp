#include "training/plugins/torch/process_group.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "training/plugins/torch/work.hpp"

namespace arlab::training {
namespace {

constexpr const char* kVariable = "ARLAB_ALGORITHM";
constexpr Rank kMostSharing = 128;

// Shared memory within a machine. Between machines, small vectors by few messages, and large ones
// by few bytes.
collectives::SizeRules rules_of_environment(Rank ranks) {
  const char* const value = std::getenv(kVariable);
  const std::string text = value ? value : "";
  if (!text.empty() && text != "auto" && text != "shared")
    return rules_for(collectives::read_rank_rules(text, kVariable, true), ranks);
  auto rules = collectives::parse_size_rules("butterfly@16K,ring", kVariable);
  for (auto& rule : rules) rule.shared = collectives::SharedUse::always;
  return rules;
}

bool any_shared(const collectives::SizeRules& rules) {
  return std::any_of(rules.begin(), rules.end(), [](const collectives::SizeRule& rule) {
    return rule.shared != collectives::SharedUse::never;
  });
}

// Returns once all members have come, so that none waits in MPI for one that has not.
std::vector<Member> members_of(const Engine& engine, c10d::Store& store, int rank, int size,
                               bool wants_sharing) {
  if (size > engine.world_ranks())
    fail(Blame::usage,
         concat("world_size is ", size, ", but the MPI job has ", engine.world_ranks(),
                " ranks: start the processes with `mpirun -n ", size, " python3 ...`"));
  const auto key = [](int r) { return "arlab/" + std::to_string(r); };
  // Without MPI, groups are not told which ranks of the job they have.
  const Rank named = engine.has_mpi() ? engine.world_rank() : rank;
  const std::string mine = packed(this_process(named, wants_sharing));
  store.set(key(rank), std::vector<std::uint8_t>(mine.begin(), mine.end()));
  std::vector<Member> members;
  for (int r = 0; r < size; ++r) {
    const std::vector<std::uint8_t> its = store.get(key(r));
    members.push_back(unpacked_member({reinterpret_cast<const char*>(its.data()), its.size()}));
  }
  return members;
}

// Returns null if the members do not share memory; without MPI they must.
std::unique_ptr<GroupMemory> memory_of(const Engine& engine, c10d::Store& store, Rank me,
                                       const std::vector<Member>& members) {
  const auto size = static_cast<Rank>(members.size());
  const char* const start = ": start the processes with mpirun instead of torchrun";
  if (!are_on_one_machine(members) || size > kMostSharing) {
    if (engine.has_mpi()) return nullptr;
    fail(Blame::usage, concat("without MPI, a group is of up to ", kMostSharing,
                              " processes of one machine, but this one has ", size, " of ",
                              members.front().machine, " to ", members.back().machine, start));
  }
  const bool all_want = std::all_of(members.begin(), members.end(),
                                    [](const Member& member) { return member.wants_sharing; });
  if (engine.has_mpi() && !all_want) return nullptr;
  auto memory =
      std::make_unique<GroupMemory>(store, me, size, Group::shared_bytes(size, engine.has_mpi()));
  if (memory->why_not().empty()) return memory;
  if (!engine.has_mpi())
    fail(Blame::environment,
         concat("the processes cannot share memory: ", memory->why_not(), start));
  if (me == 0)
    std::fprintf(stderr, "arlab: note: %d ranks use MPI, as they cannot share memory: %s\n", size,
                 memory->why_not().c_str());
  return nullptr;
}

Group& new_group(Engine& engine, c10d::Store& store, int rank, int size, double seconds) {
  GroupParts parts{.me = rank, .rules = rules_of_environment(size), .seconds = seconds};
  parts.members = members_of(engine, store, rank, size, any_shared(parts.rules));
  parts.memory = memory_of(engine, store, rank, parts.members);
  return engine.add_group(std::move(parts));
}

}  // namespace

ProcessGroupArlab::ProcessGroupArlab(Engine& engine, const c10::intrusive_ptr<c10d::Store>& store,
                                     int rank, int size, double seconds)
    : TorchBackend(rank, size),
      engine_(engine),
      group_(new_group(engine, *store, rank, size, seconds)) {}

// The thread that ends may need Python's lock, to free what its last task held.
ProcessGroupArlab::~ProcessGroupArlab() {
  std::optional<pybind11::gil_scoped_release> others_run;
  if (Py_IsInitialized() != 0 && PyGILState_Check() != 0) others_run.emplace();
  group_.retire();
}

// What a task holds lives as long as its tensors may be in use.
auto ProcessGroupArlab::post(c10d::OpType type, const char* name, const Call& call, Tensors results,
                             Task task, TaskQueue::Needs needs, const Group::Arrive& arrive)
    -> Work {
  auto work = c10::make_intrusive<ArlabWork>(type, name, std::move(results));
  group_.post(
      call,
      [task = std::move(task), held = std::make_shared<Held>(),
       mode = CallersMode()](GroupRanks& ranks) {
        const CallersMode::Guard as_called = mode.enter();
        task(ranks, *held);
      },
      [work](std::exception_ptr error) { work->complete(error); }, needs, arrive);
  return work;
}

// Several collectives by one call. No tensor changes unless all ranks ask for the same ones.
auto ProcessGroupArlab::post_all(c10d::OpType type, const char* name, const Call& call,
                                 Tensors results, std::vector<Part> parts) -> Work {
  Call all = call;
  for (const Part& part : parts) all.detail = with(all.detail, part.call);
  return post(type, name, all, std::move(results),
              [all, parts = std::move(parts)](GroupRanks& ranks, Held& held) {
                ranks.check(all);
                for (const Part& part : parts) part.task(ranks, held);
              });
}

auto ProcessGroupArlab::needs_for(std::size_t bytes) const -> TaskQueue::Needs {
  return group_.shares(bytes) ? TaskQueue::Needs::nothing : TaskQueue::Needs::turn;
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
  const auto needs = reduction.bits ? TaskQueue::Needs::turn : needs_for(tensor.nbytes());
  Group::Arrive arrive;
  if (needs == TaskQueue::Needs::nothing && is_flat(tensor))
    arrive = [&, looks = group_.looks_for(tensor.nbytes())](GroupRanks& ranks) {
      return looks > 0 && ranks.arrive(call, training::bytes_of(tensor), reduction.operand, looks);
    };
  return post(
      c10d::OpType::ALLREDUCE, "arlab:allreduce", call, tensors,
      [tensor, reduction, call](GroupRanks& ranks, Held& held) {
        const at::Tensor its = flat(tensor, held);
        reduce_flat(ranks, call, its, reduction, held);
        restore(tensor, its);
      },
      needs, arrive);
}

auto ProcessGroupArlab::allreduce_coalesced(Tensors& tensors,
                                            const c10d::AllreduceCoalescedOptions& options)
    -> Work {
  std::vector<Part> parts;
  Call call;
  call.what = ShortText<24>("allreduce_coalesced");
  for (const at::Tensor& tensor : tensors) {
    const Reduction reduction =
        reduction_of(checked_result(tensor, "allreduce_coalesced"), options.reduceOp);
    call = call_of("allreduce_coalesced", tensor, reduction);
    parts.push_back({call, [tensor, reduction, call](GroupRanks& ranks, Held& held) {
                       const at::Tensor its = flat(tensor, held);
                       reduce_flat(ranks, call, its, reduction, held);
                       restore(tensor, its);
                     }});
  }
  call.elements = static_cast<Count>(tensors.size());
  return post_all(c10d::OpType::ALLREDUCE_COALESCED, "arlab:allreduce_coalesced", call, tensors,
                  std::move(parts));
}

auto ProcessGroupArlab::average(const std::shared_ptr<BucketAverages>& averages,
                                const Bucket& bucket) -> Work {
  const at::Tensor buffer = checked_result(bucket.gradients, "a compressed allreduce");
  if (buffer.scalar_type() != at::kFloat)
    fail(Blame::usage, concat("compressors encode float32, but a bucket's gradients are ",
                              c10::toString(buffer.scalar_type()),
                              ": train in float32, or leave the compressor out"));
  GradientBucket its{
      .index = static_cast<Count>(bucket.index),
      .last = bucket.last,
      .gradients = {buffer.data_ptr<float>(), static_cast<std::size_t>(buffer.numel())},
      .layout = {}};
  for (const at::Tensor& tensor : bucket.tensors) its.layout.push_back(matrix_of(tensor));
  Call call = call_of("compressed allreduce", buffer);
  call.detail = with(with(0, averages->spec()), static_cast<std::uint64_t>(its.index));
  return post(c10d::OpType::ALLREDUCE, "arlab:compressed_allreduce", call, {buffer},
              [averages, its, call, buffer](GroupRanks& ranks, Held&) {  // which keeps its memory
                ranks.check(call);
                averages->run(ranks, its);
              });
}

auto ProcessGroupArlab::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) -> Work {
  const at::Tensor tensor = checked_result(the_one(tensors, "broadcast"), "broadcast");
  const Call call = call_of("broadcast", tensor, checked_root(options.rootRank, getSize()));
  return post(
      c10d::OpType::BROADCAST, "arlab:broadcast", call, tensors,
      [tensor, call](GroupRanks& ranks, Held& held) {
        const at::Tensor its = flat(tensor, held);
        ranks.broadcast(call, training::bytes_of(its));
        restore(tensor, its);
      },
      needs_for(tensor.nbytes()));
}

// The tensors of other ranks than the root remain what they were.
auto ProcessGroupArlab::reduce(Tensors& tensors, const c10d::ReduceOptions& options) -> Work {
  const at::Tensor tensor = checked_result(the_one(tensors, "reduce"), "reduce");
  const Reduction reduction = reduction_of(tensor, options.reduceOp);
  const Call call = call_of("reduce", tensor, reduction, checked_root(options.rootRank, getSize()));
  return post(
      c10d::OpType::REDUCE, "arlab:reduce", call, tensors,
      [tensor, reduction, call](GroupRanks& ranks, Held& held) {
        const bool is_root = ranks.communicator.rank() == call.root;
        const at::Tensor its = is_root
                                   ? flat(tensor, held)
                                   : held.emplace_back(tensor.clone(at::MemoryFormat::Contiguous));
        if (reduction.bits)
          reduce_flat(ranks, call, its, reduction, held);
        else
          ranks.reduce(call, training::bytes_of(its), reduction.operand);
        if (is_root) restore(tensor, its);
      },
      reduction.bits ? TaskQueue::Needs::turn : needs_for(tensor.nbytes()));
}

Rank ProcessGroupArlab::join() {
  Call call;
  call.what = ShortText<24>("join");
  const auto last = std::make_shared<Rank>(-1);
  post(
      c10d::OpType::UNKNOWN, "arlab:join", call, {},
      [last](GroupRanks& ranks, Held&) { *last = ranks.join(); }, TaskQueue::Needs::nothing)
      ->wait();
  return *last;
}

auto ProcessGroupArlab::barrier(const c10d::BarrierOptions&) -> Work {
  Call call;
  call.what = ShortText<24>("barrier");
  return post(
      c10d::OpType::BARRIER, "arlab:barrier", call, {},
      [call](GroupRanks& ranks, Held&) { ranks.check(call); },
      group_.shares_calls() ? TaskQueue::Needs::nothing : TaskQueue::Needs::turn);
}

collectives::Messages& ProcessGroupArlab::messages() const {
  if (collectives::Messages* const its = group_.messages()) return *its;
  fail(Blame::usage, "send and recv need MPI: start the processes with mpirun instead of torchrun");
}

auto ProcessGroupArlab::send(Tensors& tensors, int to, int tag) -> Work {
  const at::Tensor tensor = checked(the_one(tensors, "send"), "send");
  auto work = c10::make_intrusive<ArlabWork>(c10d::OpType::SEND, "arlab:send", tensors);
  const auto done = [work](std::exception_ptr error, Rank) { work->complete(error); };
  const auto held = std::make_shared<Held>();
  collectives::Messages& all = messages();
  engine_.messenger().post(
      [&all, tensor, to, tag, held, done, mode = CallersMode()] {
        const CallersMode::Guard as_called = mode.enter();
        const at::Tensor its = flat(tensor, *held);
        all.send(to, tag, {training::bytes_of(its), c10::toString(its.scalar_type())},
                 [its, done](std::exception_ptr error, Rank) { done(error, -1); });
      },
      [done](std::exception_ptr error) { done(error, -1); });
  return work;
}

auto ProcessGroupArlab::receive(c10d::OpType type, Tensors& tensors, Rank from, int tag) -> Work {
  const at::Tensor tensor = checked_result(the_one(tensors, "recv"), "recv");
  auto work = c10::make_intrusive<ArlabWork>(type, "arlab:recv", tensors);
  const auto held = std::make_shared<Held>();
  collectives::Messages& all = messages();
  engine_.messenger().post(
      [&all, tensor, from, tag, held, work, mode = CallersMode()] {
        const CallersMode::Guard as_called = mode.enter();
        const at::Tensor its = flat_space(tensor, *held);
        all.receive(from, tag, {training::bytes_of(its), c10::toString(its.scalar_type())},
                    [tensor, its, work, mode](std::exception_ptr error, Rank source) {
                      const CallersMode::Guard ends_as_called = mode.enter();
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
