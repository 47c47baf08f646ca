// Fragments: parts of a model that a periodic strategy synchronizes at different steps.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::training {

/// Neighboring variables [first, end).
struct VariableRange {
  std::size_t first = 0, end = 0;
};

/// Cuts variables of these sizes into neighbors of about equal size, at least one variable each.
/// `fragments`: at most the number of variables.
std::vector<VariableRange> cut_into_fragments(std::span<const Count> elements, Count fragments);

/// Returns whether a fragment is synchronized after the given number of steps: every `every` steps,
/// the fragments one after another, the last one at multiples of `every`.
bool is_due(Count steps, Count fragment, Count fragments, Count every);

/// Returns why fragments cannot be synchronized like that; empty if they can. `delay`: steps
/// between the start of a synchronization and its use.
std::string refuse_fragments(Count fragments, Count variables, Count delay, Count every);

}  // namespace arlab::training
