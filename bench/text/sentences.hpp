// Sentences: what a command ends with on stdout.
#pragma once

#include <string>
#include <vector>

namespace arlab::bench {

/// Prints each sentence on a line of its own, after an empty line if they follow a table. On a
/// terminal, long ones are wrapped.
void print_sentences(const std::vector<std::string>& sentences, bool after_table);

}  // namespace arlab::bench
