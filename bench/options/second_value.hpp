// A word that follows the value of an option: is it another value of that option, or no value?
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace arlab::bench {

/// Returns what to do about `word`, which follows the value of an option that was written as
/// `given`: write the option again, or remove the word if the option takes one value. Empty if the
/// command has no such option with a value.
std::string advice_on_second_value(const CLI::App& command, const std::string& given,
                                   const std::string& word);

}  // namespace arlab::bench
