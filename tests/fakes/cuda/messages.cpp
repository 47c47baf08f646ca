// Groups of messages on the devices: posted when their streams reach them, ended when all their
// peers came.
#include <cstring>

#include "collectives/reduce/reduce.hpp"
#include "tests/fakes/cuda/comm.hpp"

namespace arlab::fake_cuda {
namespace {

collectives::Operand operand_of(ncclDataType_t type, ncclRedOp_t op) {
  using collectives::DType;
  using collectives::Op;
  constexpr DType kTypes[] = {DType::int8,     DType::uint8,       DType::int32,
                              DType::uint32,   DType::int64,       DType::uint64,
                              DType::float16,  DType::float32,     DType::float64,
                              DType::bfloat16, DType::float8_e4m3, DType::float8_e5m2};
  constexpr Op kOps[] = {Op::sum, Op::prod, Op::max, Op::min, Op::avg};
  return {kTypes[type], kOps[op]};
}

std::size_t bytes_of(const Call& call) { return call.count * size_of(call.type); }

void end_one(Posted& posted) {
  if (--posted.open == 0) finish(*posted.task);
}

bool aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

/// Moves what both ends of a pair have come for.
void match(Clique& clique, std::pair<int, int> pair) {
  auto &sends = clique.sends[pair], &receives = clique.receives[pair];
  Machine& m = machine();
  while (!sends.empty() && !receives.empty()) {
    const Offer send = sends.front(), receive = receives.front();
    sends.pop_front();
    receives.pop_front();
    if (bytes_of(send.call) != bytes_of(receive.call))
      m.complain("the two ends of a message differ in size");
    std::memcpy(receive.call.into, send.call.from,
                std::min(bytes_of(send.call), bytes_of(receive.call)));
    ++m.counted.messages;
    m.counted.messages_aligned += aligned(send.call.from) && aligned(receive.call.into) ? 1 : 0;
    end_one(*send.posted);
    end_one(*receive.posted);
  }
}

/// The threads whose calls a group in progress still needs.
std::vector<std::thread::id> awaited_by(const Clique& clique, const Posted& posted) {
  std::vector<std::thread::id> threads;
  const auto need = [&](int rank) {
    const Comm* const comm = clique.comms[static_cast<std::size_t>(rank)];
    if (comm) threads.push_back(comm->thread);
  };
  for (const auto& [pair, offers] : clique.sends)
    for (const Offer& offer : offers)
      if (offer.posted.get() == &posted) need(pair.second);
  for (const auto& [pair, offers] : clique.receives)
    for (const Offer& offer : offers)
      if (offer.posted.get() == &posted) need(pair.first);
  for (const auto& [number, offers] : clique.collectives)
    for (const Offer& mine : offers)
      if (mine.posted.get() == &posted)
        for (int rank = 0; rank < static_cast<int>(clique.comms.size()); ++rank) {
          bool came = false;
          for (const Offer& offer : offers) came = came || offer.call.comm->rank == rank;
          if (!came) need(rank);
        }
  return threads;
}

void post(const TaskPtr& task, const std::vector<Call>& calls) {
  auto posted = std::make_shared<Posted>();
  posted->task = task;
  posted->open = calls.size();
  Comm& comm = *calls.front().comm;
  const std::shared_ptr<Clique> clique = comm.clique;
  task->awaited = [clique, posted] { return awaited_by(*clique, *posted); };
  for (const Call& call : calls) {
    if (call.kind == Kind::send) {
      clique->sends[{comm.rank, call.peer}].push_back({call, posted});
      match(*clique, {comm.rank, call.peer});
    } else if (call.kind == Kind::receive) {
      clique->receives[{call.peer, comm.rank}].push_back({call, posted});
      match(*clique, {call.peer, comm.rank});
    } else {
      const long number = comm.collectives++;
      auto& came = clique->collectives[number];
      came.push_back({call, posted});
      if (came.size() < clique->comms.size()) continue;
      perform(came);
      const std::vector<Offer> ended = std::move(came);
      clique->collectives.erase(number);
      for (const Offer& offer : ended) end_one(*offer.posted);
    }
  }
}

bool check_buffer(Machine& m, const Call& call, const void* data, std::size_t bytes) {
  if (bytes == 0) return true;
  const Allocation* const block = m.find(data, bytes, "a message");
  if (block && m.reaches(call.comm->device, *block)) return true;
  m.complain("a message is not in memory that its device reaches");
  return false;
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  return collectives::size_of(operand_of(type, ncclSum).dtype);
}

void perform(const std::vector<Offer>& offers) {
  const std::size_t ranks = offers.size();
  std::vector<const Call*> calls(ranks);
  for (const Offer& offer : offers)
    calls[static_cast<std::size_t>(offer.call.comm->rank)] = &offer.call;
  const Call& first = *calls[0];
  for (const Call* call : calls)
    if (call->comm->algorithm != first.comm->algorithm ||
        call->comm->protocol != first.comm->protocol)
      return machine().complain("ranks of an allreduce run different algorithms");
  for (const Call* call : calls)
    if (call->kind != first.kind || call->count != first.count || call->type != first.type ||
        call->op != first.op || call->peer != first.peer)
      return machine().complain("ranks call different collectives");
  const std::size_t bytes = bytes_of(first),
                    all = first.kind == Kind::reduce_scatter ? bytes * ranks : bytes;
  if (first.kind == Kind::all_reduce && in_windows(offers)) ++machine().counted.windowed;
  if (first.kind == Kind::all_gather || first.kind == Kind::broadcast) {
    std::vector<std::vector<std::byte>> sent;
    for (const Call* call : calls) {
      const auto* const data = static_cast<const std::byte*>(call->from);
      sent.emplace_back(data, data + bytes);
    }
    for (const Call* call : calls) {
      auto* const into = static_cast<std::byte*>(call->into);
      if (first.kind == Kind::broadcast)
        std::memcpy(into, sent[static_cast<std::size_t>(first.peer)].data(), bytes);
      else
        for (std::size_t k = 0; k < ranks; ++k)
          std::memcpy(into + k * bytes, sent[k].data(), bytes);
    }
    return;
  }
  const auto* const data = static_cast<const std::byte*>(first.from);
  std::vector<std::byte> sum(data, data + all);
  for (std::size_t k = 1; k < ranks; ++k)
    collectives::reduce_into(sum.data(), static_cast<const std::byte*>(calls[k]->from),
                             static_cast<Count>(all / size_of(first.type)),
                             operand_of(first.type, first.op));
  for (std::size_t k = 0; k < ranks; ++k)
    if (first.kind == Kind::reduce_scatter)
      std::memcpy(calls[k]->into, sum.data() + k * bytes, bytes);
    else if (first.kind == Kind::all_reduce || static_cast<int>(k) == first.peer)
      std::memcpy(calls[k]->into, sum.data(), bytes);
}

void enqueue_group(Comm& comm, const std::vector<Call>& calls) {
  Machine& m = machine();
  Stream& stream = *calls.front().stream;
  for (const Call& call : calls) {
    if (call.stream != &stream) m.complain("a group on several streams is not modeled");
    const std::size_t bytes = bytes_of(call), ranks = comm.clique->comms.size();
    if (call.from)
      check_buffer(m, call, call.from, call.kind == Kind::reduce_scatter ? bytes * ranks : bytes);
    if (call.into)
      check_buffer(m, call, call.into, call.kind == Kind::all_gather ? bytes * ranks : bytes);
    if (call.kind == Kind::all_reduce) log_choice(comm, call);
  }
  const bool captured = stream.capture && stream.capture->open;
  ++m.counted.groups;
  m.counted.captured_groups += captured ? 1 : 0;
  Comm* const its = &comm;
  enqueue(stream, "group", [its, calls](const TaskPtr& task) {
    if (its->is_aborted) return true;
    post(task, calls);
    return task->done;
  });
  if (captured) stream.capture->nodes.back().users = comm.graphs;
}

}  // namespace arlab::fake_cuda
