// arlab verify: proves for any data that every rank ends with every contribution exactly once.
#include "algorithms/verify/verify.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "algorithms/verify/count.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/sweep/sweep.hpp"

namespace arlab::bench {
namespace {

void prove(const Config& config, Record& r) {
  const Proof proof = verify(*config.algorithm, config.problem, config.segments);
  r.wrong = proof ? 0 : 1;
  if (proof) {
    r.sent = count(*config.algorithm, config.problem, config.segments).all;
    r.body =
        VerifyBody{.bracketing = proof.bracketing, .same_on_all_ranks = proof.same_on_all_ranks};
  } else {
    r.body = VerifyBody{.fault = proof.fault.text};
  }
}

Estimate estimate_proof(const Config& config, const Record& r) {
  const auto ranks = static_cast<double>(config.problem.ranks);
  const auto elements = static_cast<double>(std::max<Count>(1, config.problem.elements));
  const double chunks_moved = static_cast<double>(r.claimed->elements) / elements * ranks;
  return {.messages = static_cast<double>(r.claimed->messages),
          .memory = ranks * ranks * (4 + ranks / 8),
          .seconds = std::max(chunks_moved * 5e-9 + static_cast<double>(r.claimed->messages) * 2e-7,
                              rounds_of_all(config, r) * 3e-8)};
}

}  // namespace

void add_verify(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab verify all -p 1..64+1\n  arlab verify tree -p 6 --root 2\n"
      "The proof holds for any number of elements. All sends are rendezvous, the strictest case.");
  const auto options = std::make_shared<SweepOptions>();
  options->add_axes(command, false);
  options->add_outputs(command);
  options->add_jobs(command, false);
  make_rare(command, {"--layout", "--limit", "--jobs", "--resume", "--dry-run"});
  command.callback([options, &session] {
    options->command = session.command;
    options->caller = session.caller;
    options->any_switches = true;
    options->progress = session.progress;
    options->take_defaults("2..16");
    if (options->elements.empty() && options->sizes.empty()) options->elements = {"1M"};
    session.exit_code = sweep(
        *options, options->configs(), [](const Config&) { return VerifyBody{}; }, estimate_proof,
        prove);
  });
}

}  // namespace arlab::bench
