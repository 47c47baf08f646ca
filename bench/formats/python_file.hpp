// Algorithms in Python files: file:mine.py on the command line.
//
// A Python process loads the file, and yields the rounds that it is asked for. It needs nothing but
// Python: this program holds the part of the package arlab that such a file imports.
#pragma once

#include <memory>
#include <string>

#include "algorithms/algorithm.hpp"

namespace arlab::bench {

/// Whether the name, without "file:", is of a Python file: "mine.py", or "mine.py:ring" if it has
/// several algorithms.
bool is_python_file(const std::string& name);

/// Loads the file, which runs it. Throws Error(usage) for a file without an algorithm, or one that
/// fails, and Error(environment) without Python.
std::shared_ptr<const Algorithm> python_algorithm(const std::string& name);

}  // namespace arlab::bench
