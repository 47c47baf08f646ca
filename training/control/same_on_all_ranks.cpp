#include "training/control/same_on_all_ranks.hpp"

#include <cstring>

#include "algorithms/base/error.hpp"

namespace arlab::training {

std::uint64_t hash(std::span<const std::byte> data, std::uint64_t before) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t h = before ^ 0xcbf29ce484222325;
  std::size_t i = 0;
  for (; i + 8 <= data.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data() + i, 8);
    h = (h ^ word) * kPrime;
    h ^= h >> 32;
  }
  for (; i < data.size(); ++i) h = (h ^ static_cast<std::uint64_t>(data[i])) * kPrime;
  return h;
}

std::uint64_t hash(std::string_view text, std::uint64_t before) {
  return hash(std::as_bytes(std::span(text.data(), text.size())), before);
}

std::vector<Rank> ranks_that_differ(collectives::Communicator& communicator, std::uint64_t value,
                                    bool takes_part) {
  // Integer sums are exact, so a sum with one nonzero term broadcasts it.
  const auto half_of_rank_0 = [&](std::uint64_t half) {
    return communicator.sum(communicator.rank() == 0 ? static_cast<Count>(half) : 0);
  };
  const std::uint64_t low = value & 0xffffffff, high = value >> 32;
  const bool same_low = half_of_rank_0(low) == static_cast<Count>(low);
  const bool same_high = half_of_rank_0(high) == static_cast<Count>(high);
  const bool same = !takes_part || (same_low && same_high);
  std::vector<Rank> differ;
  if (communicator.sum(same ? 0 : 1) == 0) return differ;
  for (Rank r = 0; r < communicator.ranks(); ++r)
    if (communicator.sum(r == communicator.rank() && !same ? 1 : 0) > 0) differ.push_back(r);
  return differ;
}

std::string ranks_text(std::span<const Rank> ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0 ? " " : ", ") + std::to_string(ranks[i]);
  return text;
}

void expect_same(collectives::Communicator& communicator,
                 std::span<const RunParameter> run_parameters) {
  // Compares the number of parameters first, so that all ranks make the same calls.
  const auto check = [&](const std::string& name, const std::string& value) {
    const std::vector<Rank> differ = ranks_that_differ(communicator, hash(name + "=" + value));
    if (!differ.empty())
      fail(Blame::usage, "the ranks disagree: " + ranks_text(differ) + " and rank 0 differ in " +
                             name + ", which is " + value + " on rank " +
                             std::to_string(communicator.rank()) +
                             ": start all ranks with the same program and options");
  };
  check("the number of settings", std::to_string(run_parameters.size()));
  for (const RunParameter& a : run_parameters) check(a.name, a.value);
}

}  // namespace arlab::training
