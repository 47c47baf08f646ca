// Printable text: names of files, records and arguments, as they may be shown to a person.
//
// A terminal obeys control characters, and other programs reorder or hide characters. What came
// from outside is printed through these functions, so that it shows what it is.
#pragma once

#include <string>
#include <string_view>

namespace arlab {

/// Returns the text on one line: control characters, characters that have no width or reverse the
/// direction of writing, and bytes that are not UTF-8 as escapes: "\n", "\x1b", "\u{202e}".
std::string printable(std::string_view text);

/// The same, but keeps newlines that an indented line or the end follows: those of our own
/// messages.
std::string printable_message(std::string_view text);

/// The same, but keeps all newlines.
std::string printable_lines(std::string_view text);

}  // namespace arlab
