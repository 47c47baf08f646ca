// What the program would say: the text and blame of an Error.
#pragma once

#include <string>

#include "algorithms/base/error.hpp"

namespace arlab {

/// "2: <text>" for an Error whose blame has the exit code 2; empty if nothing was thrown.
template <class F>
std::string failure(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return std::to_string(static_cast<int>(e.blame())) + ": " + e.what();
  }
  return "";
}

/// The text alone of a refusal of bad usage; of another Error with its exit code.
template <class F>
std::string refusal(F&& f) {
  const std::string text = failure(f);
  return text.starts_with("2: ") ? text.substr(3) : text;
}

}  // namespace arlab
