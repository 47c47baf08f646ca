// run_tests: Catch2's command line. Its implementation is compiled once for all test programs.
#pragma once

/// Runs the test cases that the arguments select. Returns the number of failed ones, at most 255.
int run_tests(int argc, char** argv);
