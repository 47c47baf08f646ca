// The main of a test program that needs nothing before its test cases.
#include "tests/support/run_tests.hpp"

int main(int argc, char** argv) { return run_tests(argc, argv); }
