#include "training/plugins/torch/ranks/shared_group.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::training {

using collectives::DType;
using collectives::Operand;
using collectives::SharedSteps;
using collectives::StepReduction;

namespace {

constexpr auto kShown = SharedSteps::Side::given;
constexpr const char* kJoin = "join";

StepReduction in_steps(const Operand& operand) {
  return {collectives::size_of(operand.dtype), &operand,
          [](const void* what, std::byte* into, const std::byte* from, std::size_t elements) {
            collectives::reduce_into(into, from, static_cast<Count>(elements),
                                     *static_cast<const Operand*>(what));
          }};
}

Count elements_of(std::span<const std::byte> data, Operand operand) {
  return static_cast<Count>(data.size() / collectives::size_of(operand.dtype));
}

// Of a sum that a rank without data can take part in: what is summed.
std::optional<Operand> summed(const Call& call) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"Float", DType::float32},     {"Double", DType::float64}, {"Half", DType::float16},
      {"BFloat16", DType::bfloat16}, {"Int", DType::int32},      {"Long", DType::int64},
      {"Char", DType::int8},         {"Byte", DType::uint8}};
  const auto op = call.op.view();
  if (call.what.view() != "allreduce" || (op != "SUM" && op != "AVG")) return {};
  for (const auto& [name, dtype] : kTypes)
    if (name == call.type.view()) return Operand{dtype, collectives::Op::sum};
  return {};
}

}  // namespace

SharedGroup::SharedGroup(collectives::StepCollectives steps, std::vector<std::string> names)
    : steps_(std::move(steps)),
      names_(std::move(names)),
      joined_(static_cast<std::size_t>(steps_.ranks())) {}

void SharedGroup::show(const Call& call, std::span<const std::byte> along) {
  SharedSteps& steps = steps_.steps();
  ++number_;
  step_ = steps.begin(1);
  std::byte* const room = steps.room(kShown, step_, sizeof call + along.size());
  std::memcpy(room, static_cast<const void*>(&call), sizeof call);
  if (!along.empty()) std::memcpy(room + sizeof call, along.data(), along.size());
  steps.post(kShown, step_);
  given_ += along.size();
}

const std::byte* SharedGroup::shown(Rank rank) {
  SharedSteps& steps = steps_.steps();
  return rank == steps_.me() ? steps.own(kShown, step_, sizeof(Call))
                             : steps.await(rank, kShown, step_, sizeof(Call));
}

Call SharedGroup::call_of(Rank rank) {
  Call call;
  std::memcpy(static_cast<void*>(&call), shown(rank), sizeof call);
  call.rank = rank;
  return call;
}

// What others show remains until this rank leaves.
void SharedGroup::leave() { steps_.steps().done(std::exchange(step_, 0)); }

void SharedGroup::meet(const Call& call, std::span<const std::byte> along) {
  if (step_ == 0) show(call, along);
  compare();
}

// The same on all ranks. Those that have joined may be missing in sums.
void SharedGroup::compare() {
  Call first, other;
  bool all_sums = true, any_joined = false, differ = false;
  const auto add = [&](const Call& its) {
    if (first.what.view().empty()) {
      first = its;
    } else if (!differ && !its.same(first)) {
      other = its;
      differ = true;
    }
  };
  for (Rank rank = 0; rank < steps_.ranks(); ++rank) {
    const Call its = call_of(rank);
    const bool joined = joined_[static_cast<std::size_t>(rank)] = its.what.view() == kJoin;
    any_joined |= joined;
    all_sums &= joined || summed(its).has_value();
    if (!joined) add(its);
  }
  if (any_joined && !all_sums)
    for (Rank rank = 0; rank < steps_.ranks(); ++rank)
      if (joined_[static_cast<std::size_t>(rank)]) add(call_of(rank));
  if (!differ) return;
  leave();
  fail_for_different(first, other, names_);
}

// What travels with the call: scaled if averages need that, and nothing of a long vector.
std::span<const std::byte> SharedGroup::contribution(Memory data, Operand operand) {
  if (!travels_with_its_call(data.size())) return {};
  work_.assign(data.begin(), data.end());
  collectives::divide_before(work_.data(), elements_of(work_, operand), operand, steps_.ranks());
  return work_;
}

// In the order of ranks, from what is `skipped` bytes behind each call.
void SharedGroup::combine_shown(Memory data, std::size_t skipped, Operand operand) {
  bool is_first = true;
  for (Rank rank = 0; rank < steps_.ranks(); ++rank) {
    if (joined_[static_cast<std::size_t>(rank)]) continue;
    const std::byte* const its = shown(rank) + sizeof(Call) + skipped;
    if (!std::exchange(is_first, false))
      collectives::reduce_into(data.data(), its, elements_of(data, operand), operand);
    else if (!data.empty())
      std::memcpy(data.data(), its, data.size());
  }
  collectives::divide_after(data.data(), elements_of(data, operand), operand, steps_.ranks());
}

bool SharedGroup::arrive(const Call& call, Memory data, Operand operand) {
  if (!steps_.steps().has_room()) return false;
  show(call, contribution(data, operand));
  return true;
}

bool SharedGroup::all_here() { return steps_.steps().all_posted(kShown, step_); }

void SharedGroup::check(const Call& call) {
  meet(call, {});
  leave();
}

void SharedGroup::allreduce(const Call& call, Memory data, Operand operand) {
  if (step_ == 0) show(call, contribution(data, operand));
  meet(call, {});
  if (travels_with_its_call(data.size())) {
    combine_shown(data, 0, operand);
    return leave();
  }
  leave();
  allreduce(data, operand);
}

void SharedGroup::allreduce(Memory data, Operand operand) {
  const Count elements = elements_of(data, operand);
  collectives::divide_before(data.data(), elements, operand, steps_.ranks());
  steps_.allreduce(nullptr, data.data(), static_cast<std::size_t>(elements), in_steps(operand));
  collectives::divide_after(data.data(), elements, operand, steps_.ranks());
}

void SharedGroup::broadcast(const Call& call, Memory data) {
  const bool is_root = steps_.me() == call.root;
  if (!travels_with_its_call(data.size())) {
    check(call);
    return steps_.broadcast(call.root, data.data(), data.size());
  }
  meet(call, is_root ? data : Memory{});
  if (!is_root && !data.empty())
    std::memcpy(data.data(), shown(call.root) + sizeof(Call), data.size());
  leave();
}

void SharedGroup::reduce(const Call& call, Memory data, Operand operand) {
  meet(call, contribution(data, operand));
  if (travels_with_its_call(data.size())) {
    if (steps_.me() == call.root) combine_shown(data, 0, operand);
    return leave();
  }
  leave();
  const Count elements = elements_of(data, operand);
  collectives::divide_before(data.data(), elements, operand, steps_.ranks());
  steps_.reduce(call.root, data.data(), data.data(), static_cast<std::size_t>(elements),
                in_steps(operand));
  collectives::divide_after(data.data(), elements, operand, steps_.ranks());
}

void SharedGroup::all_gather(const Call& call, Memory all) {
  const std::size_t each = all.size() / static_cast<std::size_t>(steps_.ranks());
  const auto block = [&](Rank rank) {
    return all.subspan(each * static_cast<std::size_t>(rank), each);
  };
  if (!travels_with_its_call(each)) {
    check(call);
    return steps_.allgather(nullptr, all.data(), each);
  }
  meet(call, block(steps_.me()));
  for (Rank rank = 0; rank < steps_.ranks() && each > 0; ++rank)
    if (rank != steps_.me()) std::memcpy(block(rank).data(), shown(rank) + sizeof(Call), each);
  leave();
}

void SharedGroup::reduce_scatter(const Call& call, Memory all, Operand operand) {
  const auto ranks = static_cast<std::size_t>(steps_.ranks());
  const std::size_t each = all.size() / ranks, at = each * static_cast<std::size_t>(steps_.me());
  meet(call, contribution(all, operand));
  if (travels_with_its_call(all.size())) {
    combine_shown(all.subspan(at, each), at, operand);
    return leave();
  }
  leave();
  const Count elements = elements_of(all.subspan(at, each), operand);
  expects(elements <= std::numeric_limits<int>::max(), "a block is too long for shared memory");
  collectives::divide_before(all.data(), elements_of(all, operand), operand, steps_.ranks());
  work_.resize(each);
  const std::vector<int> counts(ranks, static_cast<int>(elements));
  steps_.reduce_scatter(all.data(), work_.data(), counts, in_steps(operand));
  collectives::divide_after(work_.data(), elements, operand, steps_.ranks());
  std::memcpy(all.data() + at, work_.data(), each);
}

Rank SharedGroup::join() {
  Call call;
  call.what = ShortText<24>(kJoin);
  for (call.elements = 1;; call.elements = 0) {  // 1: just now
    meet(call, {});
    Call theirs;
    Rank last = -1;
    for (Rank rank = 0; rank < steps_.ranks(); ++rank) {
      const Call its = call_of(rank);
      if (!joined_[static_cast<std::size_t>(rank)])
        theirs = its;
      else if (its.elements == 1)
        last = rank;
    }
    leave();
    if (theirs.what.view().empty()) return last;
    add_zeros(theirs);
  }
}

// To what does not travel with the calls.
void SharedGroup::add_zeros(const Call& theirs) {
  const Operand operand = *summed(theirs);
  const auto elements = static_cast<std::size_t>(theirs.elements);
  std::vector<std::byte> zeros(elements * collectives::size_of(operand.dtype));
  if (!travels_with_its_call(zeros.size()))
    steps_.allreduce(nullptr, zeros.data(), elements, in_steps(operand));
}

}  // namespace arlab::training
