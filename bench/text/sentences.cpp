#include "bench/text/sentences.hpp"

#include "algorithms/base/printable.hpp"
#include "bench/text/say.hpp"
#include "bench/text/terminal.hpp"

namespace arlab::bench {

void print_sentences(const std::vector<std::string>& sentences, bool after_table) {
  if (sentences.empty()) return;
  if (after_table) print("\n");
  const int columns = stdout_terminal().columns;
  for (const std::string& sentence : sentences)
    print("{}\n", Lines{wrapped(printable(sentence), columns)});
}

}  // namespace arlab::bench
