#include "bench/program.hpp"

int main(int argc, char** argv) { return arlab::bench::run_program(argc, argv); }
