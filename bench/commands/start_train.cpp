// arlab train, in arlab itself: replaces the process by the program arlab-train beside it, which
// links LibTorch.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/run/child.hpp"
#include "bench/text/listing.hpp"

namespace arlab::bench {
namespace {

// ARLAB_TRAIN_TARGET is the command that builds arlab-train, where the build found LibTorch.
#ifdef ARLAB_TRAIN_TARGET
constexpr std::string_view kMissing =
    "needs the program arlab-train beside arlab: build it with `" ARLAB_TRAIN_TARGET "`";
#elif defined(__EMSCRIPTEN__)
constexpr std::string_view kMissing =
    "needs LibTorch, which WebAssembly lacks: use the native program";
#else
constexpr std::string_view kMissing =
    "needs LibTorch, which the build did not find: apt install libtorch-dev libopenblas0-pthread, "
    "then configure again and build the target arlab_train";
#endif

// Under a limit of the address space, the loader and the libraries may end arlab-train before it
// can say why. OpenBLAS starts threads when it is loaded; arlab-train sets their number itself.
void check_memory(const std::string& program) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  const int status = run_child({program, "--version"});
  if (status != 0)
    fail(Blame::environment,
         fmt::format("out of memory: {} does not start in {} MiB of address space (status {}): "
                     "raise the limit (ulimit -v)",
                     program, limit.rlim_cur >> 20, status));
}

constexpr std::string_view kBrokenTrainer = "build or install it again";

}  // namespace

void add_train(CLI::App& command, Session& session) {
  command.set_help_flag();  // arlab-train has the options
  command.prefix_command();
  command.callback([&session] {
    const std::string found = trainer_program();
    if (found.empty()) fail(Blame::environment, fmt::format("train {}", kMissing));
    check_memory(found);
    replace_process(found, session.command, kBrokenTrainer);
  });
}

void hand_over_to_train(const std::vector<std::string>& words) {
  if (const std::string found = trainer_program(); !found.empty())
    replace_process(found, words, kBrokenTrainer);
}

void list_architectures(const Listing& listing) {
  const std::string found = trainer_program();
  if (found.empty()) {
    listing.note(fmt::format("none: `arlab train` {}\n", kMissing));
    return;
  }
  std::fflush(stdout);
  check_memory(found);
  std::vector<std::string> words{found, "list", "architectures"};
  if (listing.json()) words.emplace_back("--json");
  const int status = run_child(words, {}, ChildOutput::shown);
  if (status != 0)
    fail(Blame::environment,
         fmt::format("{} ended with status {}: see `arlab train --help`", found, status));
}

}  // namespace arlab::bench
