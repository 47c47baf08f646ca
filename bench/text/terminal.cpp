#include "bench/text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "bench/text/table.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {
namespace {

constexpr int kFewestColumns = 20, kMostColumns = 10'000;

std::string_view environment_text(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// 0: nobody knows. A launcher such as mpirun reads its processes from terminals without size, and
// passes on to a file or to a real one.
int columns_of_stdout() {
  const std::string_view given = environment_text("COLUMNS");
  int columns = 0;
  std::from_chars(given.data(), given.data() + given.size(), columns);
  winsize size{};
  if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  if (columns <= 0) return 0;
  return columns < kFewestColumns ? kFewestColumns
         : columns > kMostColumns ? kMostColumns
                                  : columns;
}

}  // namespace

Terminal stdout_terminal() {
  if (!isatty(STDOUT_FILENO)) return {};
  const int columns = columns_of_stdout();
  return {columns, columns > 0 && environment_text("NO_COLOR").empty() &&
                       environment_text("TERM") != "dumb"};
}

std::string wrapped(std::string_view text, int columns) {
  constexpr std::string_view kIndent = "  ";
  if (columns <= 0) return std::string(text);
  std::string all;
  std::size_t used = 0;
  for (const std::string_view word : words_of(text)) {
    const std::size_t width = text_width(word);
    if (used > 0 && used + 1 + width > static_cast<std::size_t>(columns)) {
      all += '\n';
      all += kIndent;
      used = kIndent.size();
    } else if (used > 0) {
      all += ' ';
      ++used;
    }
    all += word;
    used += width;
  }
  return all;
}

}  // namespace arlab::bench
