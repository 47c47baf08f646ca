// Choices: one word out of a few on the command line, and what to say about a word that is none of
// them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace arlab::bench {

/// Throws Error(usage) that names the word, the nearest of `names` if one is near, and all of them.
/// `what`: what the word should be, such as "dtype".
[[noreturn]] void unknown(std::string_view what, std::string_view word,
                          std::span<const std::string_view> names);

}  // namespace arlab::bench
