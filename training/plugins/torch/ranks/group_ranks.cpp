#include "training/plugins/torch/ranks/group_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/verify/verify.hpp"
#include "collectives/patience.hpp"
#include "collectives/relax.hpp"

namespace arlab::training {

using collectives::DType;
using collectives::Op;
using collectives::Operand;

namespace {

constexpr Operand kBytes{DType::byte, Op::sum};
constexpr Operand kEither{DType::uint8, Op::max};  // of bytes that are zeros on all ranks but one
constexpr std::string_view kShared = "shared";

void copy(std::span<std::byte> into, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(into.data(), from.data(), from.size());
}

}  // namespace

GroupRanks::GroupRanks(std::unique_ptr<collectives::Communicator> its, collectives::SizeRules rules,
                       std::vector<std::string> names, std::unique_ptr<SharedGroup> shared)
    : link(std::move(its)),
      communicator(*link),
      rules_(std::move(rules)),
      machines_(groups_by_machine(communicator)),
      plans_(communicator.rank()),
      agreement_(communicator, std::move(names)),
      shared_(std::move(shared)),
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

// What else must be equal: the way that the vectors take.
Call GroupRanks::named(const Call& call, std::string_view way) {
  if (way != named_) named_detail_ = with(0, named_ = way);
  Call all = call;
  all.detail = with(all.detail, named_detail_);
  return all;
}

template <class Use>
void GroupRanks::in_shared(Use use) {
  const std::size_t before = shared_->bytes_given();
  use();
  const auto given = static_cast<Count>(shared_->bytes_given() - before);
  if (given > 0) communicator.add({1, given}, 0);
}

bool GroupRanks::shares_blocks(Memory all, Operand operand) const {
  const std::size_t elements = all.size() / size_of(operand.dtype);
  return shares(all.size()) && elements <= std::numeric_limits<int>::max();
}

bool GroupRanks::arrive(const Call& call, Memory data, Operand operand, int looks) {
  bool begun = false;
  in_shared([&] { begun = shared_->arrive(named(call, kShared), data, operand); });
  if (!begun) return false;
  for (int look = 0; look < looks && !shared_->all_here(); ++look) collectives::relax();
  return shared_->all_here();
}

Rank GroupRanks::join() {
  const bool all_shared =
      shared_ && std::ranges::none_of(rules_, [](const collectives::SizeRule& rule) {
        return rule.shared == collectives::SharedUse::never;
      });
  if (!all_shared)
    fail(Blame::usage,
         "join() needs ranks of one machine that share memory, and no algorithm in "
         "ARLAB_ALGORITHM: leave the variable out, or give all ranks as many batches");
  return shared_->join();
}

void GroupRanks::check(const Call& call) {
  shared_ ? shared_->check(call) : agreement_.check(call);
}

void GroupRanks::agree(const Call& call, Memory data, Operand operand) {
  if (shared_)
    in_shared([&] { shared_->allreduce(call, data, operand); });
  else
    agreement_.allreduce(call, data, operand);
}

void GroupRanks::allreduce(Memory data, Operand operand) {
  if (shares(data.size())) return in_shared([&] { shared_->allreduce(data, operand); });
  const auto elements = static_cast<Count>(data.size() / size_of(operand.dtype));
  if (const Algorithm* const its = algorithm(data, operand))
    plans_.get(*its, problem(Collective::allreduce, elements), operand).run(communicator, data);
  else
    communicator.native_allreduce(data.data(), elements, operand);
}

void GroupRanks::allreduce(const Call& call, Memory data, Operand operand) {
  if (shares(data.size()))
    return in_shared([&] { shared_->allreduce(named(call, kShared), data, operand); });
  const Algorithm* const its = algorithm(data, operand);
  const Call all = named(call, its ? std::string_view(its->name) : "native");
  if (its == butterfly_ && travels_with_its_call(data.size())) return agree(all, data, operand);
  check(all);
  allreduce(data, operand);
}

// Short vectors travel with the calls. That takes as many rounds as the algorithm would.
void GroupRanks::broadcast(const Call& call, Memory data) {
  if (shares(data.size()))
    return in_shared([&] { shared_->broadcast(named(call, kShared), data); });
  if (travels_with_its_call(data.size())) {
    const Memory all = zeros(data.size());
    if (communicator.rank() == call.root) copy(all, data);
    agree(call, all, kEither);
    return copy(data, all);
  }
  check(call);
  const auto bytes = static_cast<Count>(data.size());
  plans_.get(find_algorithm("tree"), problem(Collective::broadcast, bytes, call.root), kBytes)
      .run(communicator, data);
}

void GroupRanks::reduce(const Call& call, Memory data, Operand operand) {
  if (shares(data.size()))
    return in_shared([&] { shared_->reduce(named(call, kShared), data, operand); });
  if (travels_with_its_call(data.size())) return agree(call, data, operand);
  check(call);
  const auto elements = static_cast<Count>(data.size() / size_of(operand.dtype));
  plans_.get(find_algorithm("tree"), problem(Collective::reduce, elements, call.root), operand)
      .run(communicator, data);
}

void GroupRanks::all_gather(const Call& call, Memory all) {
  if (shares(all.size())) return in_shared([&] { shared_->all_gather(named(call, kShared), all); });
  if (travels_with_its_call(all.size())) {
    const Memory blocks = zeros(all.size());
    copy(block(blocks, communicator.rank()), block(all, communicator.rank()));
    agree(call, blocks, kEither);
    return copy(all, blocks);
  }
  check(call);
  const auto bytes = static_cast<Count>(all.size());
  plans_.get(find_algorithm("ring"), problem(Collective::all_gather, bytes), kBytes)
      .run(communicator, all);
}

void GroupRanks::reduce_scatter(const Call& call, Memory all, Operand operand) {
  if (shares_blocks(all, operand))
    return in_shared([&] { shared_->reduce_scatter(named(call, kShared), all, operand); });
  if (travels_with_its_call(all.size())) return agree(call, all, operand);
  check(call);
  const auto elements = static_cast<Count>(all.size() / size_of(operand.dtype));
  plans_.get(find_algorithm("ring"), problem(Collective::reduce_scatter, elements), operand)
      .run(communicator, all);
}

void GroupRanks::gather(const Call& call, Memory mine, Memory all) {
  const auto ranks = static_cast<std::size_t>(communicator.ranks());
  const bool is_root = communicator.rank() == call.root;
  if (travels_with_its_call(mine.size() * ranks)) {
    const Memory blocks = zeros(mine.size() * ranks);
    copy(block(blocks, communicator.rank()), mine);
    agree(call, blocks, kEither);
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
  if (travels_with_its_call(mine.size() * ranks)) {
    const Memory blocks = zeros(mine.size() * ranks);
    if (is_root) copy(blocks, all);
    agree(call, blocks, kEither);
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
  agree(call, {&differs, 1}, kEither);
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
