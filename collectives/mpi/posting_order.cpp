#include "collectives/mpi/posting_order.hpp"

#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "collectives/mpi/check.hpp"

namespace arlab::collectives {

std::vector<bool> ranks_of_this_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
  int ranks = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(machine, &here), "MPI_Comm_group");
  std::vector<int> numbers(static_cast<std::size_t>(ranks)), found(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  check_mpi(MPI_Group_translate_ranks(all, ranks, numbers.data(), here, found.data()),
            "MPI_Group_translate_ranks");
  check_mpi(MPI_Group_free(&all), "MPI_Group_free");
  check_mpi(MPI_Group_free(&here), "MPI_Group_free");
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  std::vector<bool> near(numbers.size());
  for (std::size_t r = 0; r < near.size(); ++r) near[r] = found[r] != MPI_UNDEFINED;
  return near;
}

PostingOrder::PostingOrder(std::vector<bool> near)
    : near_(std::move(near)),
      all_near_(std::find(near_.begin(), near_.end(), false) == near_.end()),
      last_round_to_(near_.size()) {}

bool PostingOrder::sends_first(std::span<const Transfer> round) {
  if (all_near_) return false;
  ++round_;
  for (const Transfer& t : round)
    if (t.kind == ActionKind::send && !near_[static_cast<std::size_t>(t.peer)])
      last_round_to_[static_cast<std::size_t>(t.peer)] = round_;
  return std::any_of(round.begin(), round.end(), [&](const Transfer& t) {
    return t.kind != ActionKind::send && last_round_to_[static_cast<std::size_t>(t.peer)] == round_;
  });
}

}  // namespace arlab::collectives
