// The ranks of a process group over MPI, and their messages: what the PyTorch backend runs,
// sanitized and without PyTorch.
#include "training/plugins/torch/ranks/group_ranks.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <random>
#include <utility>

#include "collectives/mpi/messages/messages.hpp"
#include "collectives/mpi/messages/roll_call.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/mpi_main.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

using Memory = std::vector<std::byte>;

GroupRanks group_of(const char* rules) {
  return {std::make_unique<CountingCommunicator>(*world), parse_size_rules(rules, "rules")};
}

// What one rank asks for: a kind, floats per rank, a root.
struct Asked {
  int kind = 0;
  std::size_t size = 1;
  Rank root = 0;
};
constexpr const char* kKinds[] = {"allreduce", "broadcast",      "reduce", "all_gather",
                                  "gather",    "reduce_scatter", "scatter"};

// Vectors of floats, each in memory of exactly its size. Returns whether the results are right.
bool run(GroupRanks& group, const Asked& asked, std::vector<float>& mine) {
  const Rank ranks = world->ranks(), me = world->rank();
  const auto all_size = asked.size * static_cast<std::size_t>(ranks);
  Call call;
  call.what = ShortText<24>(kKinds[asked.kind]);
  call.type = ShortText<16>("Float");
  call.elements = static_cast<Count>(asked.size);
  call.root = asked.kind == 0 || asked.kind == 3 || asked.kind == 5 ? -1 : asked.root;
  const bool is_root = me == asked.root;
  const auto value = static_cast<float>(me + 1);
  const auto sum = static_cast<float>(ranks * (ranks + 1) / 2);
  mine.assign(asked.size, value);
  std::vector<float> all(all_size, value);
  const auto bytes = [](std::vector<float>& x) { return std::as_writable_bytes(std::span(x)); };
  const auto is = [](std::span<const float> x, float wanted) {
    return std::all_of(x.begin(), x.end(), [&](float each) { return each == wanted; });
  };
  const auto block = [&](Rank r) {
    return std::span(all).subspan(asked.size * static_cast<std::size_t>(r), asked.size);
  };
  const auto gathered = [&] {
    for (Rank r = 0; r < ranks; ++r)
      if (!is(block(r), static_cast<float>(r + 1))) return false;
    return true;
  };
  const Operand sums{DType::float32, Op::sum};
  switch (asked.kind) {
    case 0:
      group.allreduce(call, bytes(mine), sums);
      return is(mine, sum);
    case 1:
      group.broadcast(call, bytes(mine));
      return is(mine, static_cast<float>(asked.root + 1));
    case 2:
      group.reduce(call, bytes(mine), sums);
      return !is_root || is(mine, sum);
    case 3:
      group.all_gather(call, bytes(all));
      return gathered();
    case 4:
      group.gather(call, bytes(mine), is_root ? bytes(all) : GroupRanks::Memory{});
      return !is_root || gathered();
    case 5:
      group.reduce_scatter(call, bytes(all), sums);
      return is(block(me), sum);
    default:
      group.scatter(call, is_root ? bytes(all) : GroupRanks::Memory{}, bytes(mine));
      return is(mine, static_cast<float>(asked.root + 1));
  }
}

Asked draw(std::mt19937& random) {
  constexpr std::size_t kSizes[] = {1, 2, 237, 238, 949, 950, 951, 5000, 40'000};
  return {static_cast<int>(random() % std::size(kKinds)), kSizes[random() % std::size(kSizes)],
          static_cast<Rank>(random() % static_cast<unsigned>(world->ranks()))};
}

}  // namespace

TEST_CASE("collectives that all ranks call alike are right") {
  GroupRanks group = group_of("butterfly@16K,ring");
  std::mt19937 random(1);
  std::vector<float> mine;
  for (int i = 0; i < 100; ++i) {
    const Asked asked = draw(random);
    INFO(kKinds[asked.kind] << " of " << asked.size << " with root " << asked.root);
    CHECK(run(group, asked, mine));
  }
}

TEST_CASE("a rank that asks for something else is an error on every rank, and then all goes on") {
  if (world->ranks() == 1) return;
  GroupRanks group = group_of("butterfly@16K,ring");
  std::mt19937 random(2);
  std::vector<float> mine;
  for (int i = 0; i < 200; ++i) {
    const Asked asked = draw(random);
    Asked other = draw(random);
    other.kind = asked.kind;
    if (random() % 2 == 0) other.kind = (asked.kind + 1) % static_cast<int>(std::size(kKinds));
    if (other.kind == asked.kind && other.size == asked.size) other.size += 1;
    const auto deviant = static_cast<Rank>(random() % static_cast<unsigned>(world->ranks()));
    const std::string text =
        refusal([&] { run(group, world->rank() == deviant ? other : asked, mine); });
    INFO(text);
    CHECK_THAT(text, contains(std::string(kKinds[asked.kind]) + " of " +
                              std::to_string(asked.size) + " Float"));
    CHECK_THAT(text, contains(std::string(kKinds[other.kind]) + " of " +
                              std::to_string(other.size) + " Float"));
    CHECK_THAT(text, contains("rank " + std::to_string(deviant) + " calls " + kKinds[other.kind]));
    CHECK(mine == std::vector<float>(mine.size(), static_cast<float>(world->rank() + 1)));
    CHECK(run(group, {0, 3, 0}, mine));
  }
}

TEST_CASE("a root is one of the ranks, whose number is compared before it is narrowed") {
  CHECK(checked_root(0, 2) == 0);
  CHECK(checked_root(1, 2) == 1);
  for (const std::int64_t root : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{1} << 32})
    CHECK(failure([&] { checked_root(root, 2); }) ==
          "2: root is " + std::to_string(root) + ", but the ranks are 0 to 1: choose one of those");
}

TEST_CASE("ranks with different algorithms get an error") {
  if (world->ranks() == 1) return;
  GroupRanks group = group_of(world->rank() == 0 ? "ring" : "butterfly");
  std::vector<float> mine;
  CHECK_THAT(refusal([&] { run(group, {0, 3, 0}, mine); }), contains("ARLAB_ALGORITHM"));
}

TEST_CASE("an allreduce that carries its call counts the bytes of the vector only") {
  GroupRanks group = group_of("butterfly");
  std::vector<float> mine;
  CHECK(run(group, {0, 10, 0}, mine));
  const auto sent = group.communicator.sent();
  CHECK(sent.bytes == 40 * sent.messages);
}

TEST_CASE("parts of different sizes go to all ranks, and wrong ones are an error on each") {
  GroupRanks group = group_of("ring");
  const Rank ranks = world->ranks(), me = world->rank();
  for (const std::size_t wrong : {0, 1}) {
    std::vector<Memory> from, into;
    for (Rank r = 0; r < ranks; ++r) {
      from.emplace_back(static_cast<std::size_t>(me + 2 * r), std::byte(10 * me + r));
      into.emplace_back(static_cast<std::size_t>(r + 2 * me) + (me == 0 && r == 0 ? wrong : 0));
    }
    const std::vector<GroupRanks::Memory> sent(from.begin(), from.end()),
        received(into.begin(), into.end());
    Call call;
    call.what = ShortText<24>("all_to_all");
    const std::string text = refusal([&] { group.all_to_all(call, sent, received); });
    CHECK(text.starts_with("all_to_all: a rank receives other sizes") == (wrong > 0));
    for (Rank r = 0; r < ranks && wrong == 0; ++r)
      CHECK(into[index(r)] == Memory(into[index(r)].size(), std::byte(10 * r + me)));
  }
}

TEST_CASE("messages go between all pairs in any order, and only into memory of their size") {
  const Rank ranks = world->ranks(), me = world->rank();
  if (ranks == 1) return;
  std::vector<std::string> names;
  for (Rank r = 0; r < ranks; ++r) names.push_back("rank " + std::to_string(r));
  Messages messages(*world, 20, names);
  std::vector<Messages::Finished> finished;
  const auto move_all = [&] {
    while (messages.open() > 0) messages.poll(finished);
    for (const auto& call : std::exchange(finished, {})) call();
  };
  std::mt19937 random(static_cast<unsigned>(me));
  for (const bool fits : {true, false}) {
    std::deque<Memory> memory;
    std::vector<std::function<void()>> calls;
    int right = 0, refused = 0, wrong = 0;
    for (Rank r = 0; r < ranks; ++r) {
      for (int tag = 0; tag < 6; ++tag) {
        if (r == me) continue;
        const std::size_t size = tag % 3 == 0 ? 10 : tag % 3 == 1 ? 8192 : 100'000;
        const std::size_t expected = fits ? size : tag % 2 == 0 ? size - 1 : size + 1;
        Memory& from = memory.emplace_back(size, std::byte(10 * me + tag));
        Memory& into = memory.emplace_back(expected);
        const Memory wanted(expected, std::byte(fits ? 10 * r + tag : 0));
        calls.push_back([&, r, tag] {
          messages.send(r, tag, {from, "Byte"},
                        [&](std::exception_ptr error, Rank) { ++(error ? refused : right); });
        });
        calls.push_back([&, r, tag, wanted] {
          messages.receive(r, tag, {into, "Byte"},
                           [&, r, wanted](std::exception_ptr error, Rank source) {
                             if (source != r || into != wanted) ++wrong;
                             ++(error ? refused : right);
                           });
        });
      }
    }
    std::shuffle(calls.begin(), calls.end(), random);
    for (const auto& call : calls) call();
    move_all();
    const int pairs = ranks - 1;
    CHECK(wrong == 0);
    CHECK(right == (fits ? 12 * pairs : 4 * pairs));  // a short message has left before
    CHECK(refused == (fits ? 0 : 8 * pairs));
  }
  std::string text;
  Memory memory(4);
  const auto keep = [&](std::exception_ptr error, Rank) {
    text = refusal([&] {
      if (error) std::rethrow_exception(error);
    });
  };
  if (me == 0) messages.send(1, 7, {memory, "Int"}, keep);
  if (me == 1) messages.receive(Messages::kAnyRank, 7, {memory, "Float"}, keep);
  move_all();
  CHECK(text == (me == 1 ? "rank 0 has sent 4 bytes of Int with tag 7, but this rank receives 4 "
                           "bytes of Float: give both the same"
                         : ""));
  world->barrier();
}

TEST_CASE("those who answer a roll call are heard by all, and nobody else") {
  RollCall roll(*world);
  const Rank me = world->rank();
  for (int times = 0; me != 0 && times < 2; ++times) roll.answer();
  std::vector<unsigned> wanted(index(world->ranks()), 2);
  wanted[0] = wanted[index(me)] = 0;
  while (roll.answers() != wanted) {
  }
  world->barrier();
  CHECK(roll.answers() == wanted);
  if (me == 0) roll.leave(7);
  std::vector<std::uint64_t> left(index(world->ranks()), RollCall::kStays);
  if (me != 0) left[0] = 7;
  while (roll.left() != left) {
  }
  world->barrier();
}
