// arlab: the program. Parses the command line, runs one command and maps errors to exit codes.
#pragma once

namespace arlab::bench {

/// Runs the program `arlab`, or one of the perf programs if argv[0] names it. Returns the exit
/// code.
int run_program(int argc, char** argv);

}  // namespace arlab::bench
