// The terminal that stdout is, if it is one: how wide it is, and whether it takes colors.
#pragma once

#include <string>
#include <string_view>

namespace arlab::bench {

struct Terminal {
  int columns = 0;  ///< 0: not a terminal of known width, so that nothing is shortened
  bool colors = false;
};

/// Returns what stdout is. On a terminal, COLUMNS replaces the width that the system reports, and
/// NO_COLOR turns colors off (no-color.org). One of unknown width is taken for none.
Terminal stdout_terminal();

/// Returns text with a newline after each line of at most `columns` characters, broken at blanks; a
/// longer word keeps a line of its own. 0 columns: as it is. Later lines are indented.
std::string wrapped(std::string_view text, int columns);

}  // namespace arlab::bench
