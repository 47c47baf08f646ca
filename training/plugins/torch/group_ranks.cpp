#include "training/plugins/torch/group_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/verify/verify.hpp"
#include "collectives/patience.hpp"

namespace arlab::training {

using collectives::DType;
using collectives::Op;
using collectives::Operand;

namespace {

constexpr Operand kBytes{DType::byte, Op::sum};
constexpr Operand kEither{DType::uint8, Op::max};  // of bytes that are zeros on all ranks but one

void copy(std::span<std::byte> into, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(into.data(), from.data(), from.size());
}

bool travels_along(std::size_t bytes) { return bytes <= Agreement::kMostBytes; }

}  // namespace

GroupRanks::GroupRanks(std::unique_ptr<collectives::Communicator> its, collectives::SizeRules rules,
                       std::vector<std::string> names)
    : link(std::move(its)),
      communicator(*link),
      rules_(std::move(rules)),
      machines_(groups_by_machine(communicator)),
      plans_(communicator.rank()),
      agreement_(communicator, std::move(names)),
      butterfly_(&find_algorithm("butterfly")) {}

Problem GroupRanks::problem(Collective collective, Count elements, Rank root) const {
  return {.collective = collective,
          .ranks = communicator.ranks(),
          .elements = elements,
          .root = root,
          .groups = machines_.get()};
}

const Algorithm* GroupRanks::algorithm(Memory data, Operand operand) const {
  const auto bytes = static_cast<Bytes>(data.size());
  const Algorithm* const its = chosen(rules_, bytes);
  const Problem problem_ =
      problem(Collective::allreduce, bytes / static_cast<Bytes>(size_of(operand.dtype)));
  return its && unsupported(*its, problem_).empty() ? its : nullptr;
}

void GroupRanks::allreduce(Memory data, Operand operand) {
  const auto elements = static_cast<Count>(data.size() / size_of(operand.dtype));
  if (const Algorithm* const its = algorithm(data, operand))
    plans_.get(*its, problem(Collective::allreduce, elements), operand).run(communicator, data);
  else
    communicator.native_allreduce(data.data(), elements, operand);
}

void GroupRanks::allreduce(const Call& call, Memory data, Operand operand) {
  const Algorithm* const its = algorithm(data, operand);
  const std::string_view name = its ? std::string_view(its->name) : "native";
  if (name != named_) named_detail_ = with(0, named_ = name);
  Call all = call;
  all.detail = with(all.detail, named_detail_);
  if (its == butterfly_ && travels_along(data.size()))
    return agreement_.allreduce(all, data, operand);
  check(all);
  allreduce(data, operand);
}

// Short vectors travel with the calls. That takes as many rounds as the algorithm would.
void GroupRanks::broadcast(const Call& call, Memory data) {
  if (travels_along(data.size())) {
    const Memory all = zeros(data.size());
    if (communicator.rank() == call.root) copy(all, data);
    agreement_.allreduce(call, all, kEither);
    return copy(data, all);
  }
  check(call);
  const auto bytes = static_cast<Count>(data.size());
  plans_.get(find_algorithm("tree"), problem(Collective::broadcast, bytes, call.root), kBytes)
      .run(communicator, data);
}

void GroupRanks::reduce(const Call& call, Memory data, Operand operand) {
  if (travels_along(data.size())) return agreement_.allreduce(call, data, operand);
  check(call);
  const auto elements = static_cast<Count>(data.size() / size_of(operand.dtype));
  plans_.get(find_algorithm("tree"), problem(Collective::reduce, elements, call.root), operand)
      .run(communicator, data);
}

void GroupRanks::all_gather(const Call& call, Memory all) {
  if (travels_along(all.size())) {
    const Memory blocks = zeros(all.size());
    copy(block(blocks, communicator.rank()), block(all, communicator.rank()));
    agreement_.allreduce(call, blocks, kEither);
    return copy(all, blocks);
  }
  check(call);
  const auto bytes = static_cast<Count>(all.size());
  plans_.get(find_algorithm("ring"), problem(Collective::all_gather, bytes), kBytes)
      .run(communicator, all);
}

void GroupRanks::reduce_scatter(const Call& call, Memory all, Operand operand) {
  if (travels_along(all.size())) return agreement_.allreduce(call, all, operand);
  check(call);
  const auto elements = static_cast<Count>(all.size() / size_of(operand.dtype));
  plans_.get(find_algorithm("ring"), problem(Collective::reduce_scatter, elements), operand)
      .run(communicator, all);
}

void GroupRanks::gather(const Call& call, Memory mine, Memory all) {
  const auto ranks = static_cast<std::size_t>(communicator.ranks());
  const bool is_root = communicator.rank() == call.root;
  if (travels_along(mine.size() * ranks)) {
    const Memory blocks = zeros(mine.size() * ranks);
    copy(block(blocks, communicator.rank()), mine);
    agreement_.allreduce(call, blocks, kEither);
    return is_root ? copy(all, blocks) : void();
  }
  check(call);
  std::vector<Memory> from(ranks), into(ranks);
  from[static_cast<std::size_t>(call.root)] = mine;
  for (Rank r = 0; is_root && r < communicator.ranks(); ++r)
    into[static_cast<std::size_t>(r)] = block(all, r);
  exchange(from, into, "gather");
}

void GroupRanks::scatter(const Call& call, Memory all, Memory mine) {
  const auto ranks = static_cast<std::size_t>(communicator.ranks());
  const bool is_root = communicator.rank() == call.root;
  if (travels_along(mine.size() * ranks)) {
    const Memory blocks = zeros(mine.size() * ranks);
    if (is_root) copy(blocks, all);
    agreement_.allreduce(call, blocks, kEither);
    return copy(mine, block(blocks, communicator.rank()));
  }
  check(call);
  std::vector<Memory> from(ranks), into(ranks);
  into[static_cast<std::size_t>(call.root)] = mine;
  for (Rank r = 0; is_root && r < communicator.ranks(); ++r)
    from[static_cast<std::size_t>(r)] = block(all, r);
  exchange(from, into, "scatter");
}

// Two ranks that disagree on a part are an error of all: they agree once more on whether all parts
// fit.
void GroupRanks::all_to_all(const Call& call, std::span<const Memory> from,
                            std::span<const Memory> into) {
  check(call);
  const std::size_t ranks = from.size();
  sizes_.assign(2 * ranks, 0);
  std::vector<Memory> sent(ranks), received(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    sizes_[r] = static_cast<Count>(from[r].size());
    sent[r] = std::as_writable_bytes(std::span(sizes_).subspan(r, 1));
    received[r] = std::as_writable_bytes(std::span(sizes_).subspan(ranks + r, 1));
  }
  exchange(sent, received, "sizes of an all-to-all");
  std::byte differs{0};
  for (std::size_t r = 0; r < ranks; ++r)
    if (sizes_[ranks + r] != static_cast<Count>(into[r].size())) differs = std::byte{1};
  agreement_.allreduce(call, {&differs, 1}, kEither);
  if (differs != std::byte{0})
    fail(
        Blame::usage,
        "all_to_all: a rank receives other sizes than are sent to it: give each output the size of "
        "the input that it comes from");
  exchange(from, into, "messages of an all-to-all");
}

// One round of messages, of each pair of ranks that has one.
void GroupRanks::exchange(std::span<const Memory> from, std::span<const Memory> into,
                          const char* what) {
  const auto me = static_cast<std::size_t>(communicator.rank());
  if (!into[me].empty()) copy(into[me], from[me]);
  std::vector<collectives::Transfer> round;
  for (std::size_t r = 0; r < from.size(); ++r) {
    if (r == me) continue;
    const auto add = [&](ActionKind kind, Memory part) {
      if (!part.empty())
        round.push_back({kind, static_cast<Rank>(r), part.data(), static_cast<Count>(part.size())});
    };
    add(ActionKind::replace, into[r]);
    add(ActionKind::send, from[r]);
  }
  if (round.empty()) return;
  collectives::naming([&] { communicator.exchange(0, round, kBytes); },
                      [&] { return std::string(what); });
}

auto GroupRanks::block(Memory all, Rank rank) const -> Memory {
  const std::size_t size = all.size() / static_cast<std::size_t>(communicator.ranks());
  return all.subspan(size * static_cast<std::size_t>(rank), size);
}

auto GroupRanks::zeros(std::size_t bytes) -> Memory {
  scratch_.assign(bytes, std::byte{});
  return scratch_;
}

const Algorithm& GroupRanks::code_algorithm(Bytes bytes) const {
  const Algorithm* const algorithm = chosen(rules_, bytes);
  const Problem its = problem(Collective::allreduce, communicator.ranks());
  const bool fits = algorithm && unsupported(*algorithm, its).empty() &&
                    verify(*algorithm, its).same_on_all_ranks;
  return fits ? *algorithm : find_algorithm("ring");
}

}  // namespace arlab::training
