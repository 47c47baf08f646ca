// The program arlab-train.
#include "bench/config/process.hpp"
#include "bench/program.hpp"

int main(int argc, char** argv) {
  arlab::bench::exit_at_once(arlab::bench::run_program(argc, argv));
}
