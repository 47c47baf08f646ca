// The ranks of a process group without MPI: processes of one machine, here threads.
#include <functional>
#include <memory>
#include <thread>

#include "collectives/shm/local_communicator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/zero_pages.hpp"
#include "training/plugins/torch/ranks/group_ranks.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

void on_local_ranks(Rank ranks, const char* rules,
                    const std::function<void(GroupRanks&, Rank)>& body) {
  const ZeroPages steps(SharedSteps::bytes_for(ranks)), slots(local_communicator_bytes(ranks));
  const StepWaiting waiting{8, [](void*, unsigned) { std::this_thread::yield(); }};
  std::vector<std::jthread> threads;
  for (Rank me = 0; me < ranks; ++me)
    threads.emplace_back([&, me] {
      GroupRanks group(
          local_communicator(slots.data, me, ranks,
                             [](int, std::size_t) { std::this_thread::yield(); }),
          parse_size_rules(rules, "rules", true), {},
          std::make_unique<SharedGroup>(StepCollectives({steps.data, me, ranks, waiting}, {}),
                                        std::vector<std::string>{}));
      body(group, me);
    });
}

Call asked(const char* what, std::size_t elements, Rank root = -1) {
  Call call;
  call.what = ShortText<24>(what);
  call.type = ShortText<16>("Float");
  call.elements = static_cast<Count>(elements);
  call.root = root;
  return call;
}

auto memory_of(std::vector<float>& x) { return std::as_writable_bytes(std::span(x)); }

}  // namespace

TEST_CASE("ranks without MPI gather, scatter, exchange, and run algorithms by messages") {
  const Rank ranks = GENERATE(1, 2, 3);
  const char* const rules = GENERATE("shared", "shared@8K,ring", "butterfly@16K,ring");
  const auto all = static_cast<std::size_t>(ranks);
  const float total = static_cast<float>(ranks * (ranks + 1)) / 2;
  std::vector<int> wrong(all);
  on_local_ranks(ranks, rules, [&](GroupRanks& group, Rank me) {
    const auto expect = [&](bool right) { wrong[static_cast<std::size_t>(me)] += right ? 0 : 1; };
    const auto mine = static_cast<float>(me + 1);
    for (const std::size_t size : {std::size_t{1}, std::size_t{900}, std::size_t{60'000}}) {
      std::vector<float> x(size, mine), blocks(size * all), part(size);
      group.allreduce(asked("allreduce", size), memory_of(x), {DType::float32, Op::sum});
      expect(x == std::vector<float>(size, total));
      x.assign(size, mine);
      for (Rank root = 0; root < ranks; ++root) {
        group.gather(asked("gather", size, root), memory_of(x), memory_of(blocks));
        for (std::size_t i = 0; i < blocks.size() && me == root; ++i)
          expect(blocks[i] == static_cast<float>(i / size + 1));
        if (me == root)
          for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<float>(i / size);
        group.scatter(asked("scatter", size, root), memory_of(blocks), memory_of(part));
        expect(part == std::vector<float>(size, static_cast<float>(me)));
      }
      std::vector<std::vector<float>> to(all, x), from(all, part);
      std::vector<GroupRanks::Memory> sent, received;
      for (std::size_t r = 0; r < all; ++r) {
        sent.push_back(memory_of(to[r]));
        received.push_back(memory_of(from[r]));
      }
      group.all_to_all(asked("all_to_all", size), sent, received);
      for (std::size_t r = 0; r < all; ++r)
        expect(from[r] == std::vector<float>(size, static_cast<float>(r + 1)));
    }
    expect(group.communicator.sum(me + 1) == static_cast<Count>(total));
    expect(group.communicator.max(static_cast<double>(me)) == static_cast<double>(ranks - 1));
  });
  CHECK(wrong == std::vector<int>(all));
}
