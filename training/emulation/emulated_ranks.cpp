#include "training/emulation/emulated_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <system_error>
#include <thread>

#include "algorithms/base/error.hpp"
#include "training/emulation/communicator.hpp"
#include "training/emulation/slow_ranks.hpp"

namespace arlab::training {
namespace {

void check(Rank ranks, const EmulationOptions& options) {
  if (ranks < 1 || ranks > kMaxEmulatedRanks)
    fail(Blame::usage,
         std::to_string(ranks) + " emulated ranks: use 1 to " + std::to_string(kMaxEmulatedRanks));
  if (!options.slowdown.empty() && options.slowdown.size() != static_cast<std::size_t>(ranks))
    fail(Blame::usage, std::to_string(options.slowdown.size()) + " slowdown factors for " +
                           std::to_string(ranks) + " emulated ranks: use one per rank");
  for (const double slowdown : options.slowdown)
    if (!(slowdown > 0) || !std::isfinite(slowdown))
      fail(Blame::usage, "the slowdown of an emulated rank is " + std::to_string(slowdown) +
                             ": use a number above 0");
  if (!(options.jitter >= 0) || !std::isfinite(options.jitter))
    fail(Blame::usage, "the jitter of emulated ranks is " + std::to_string(options.jitter) +
                           ": use a number of 0 or more");
}

EmulatedClock::Slowdown slowdown_of(const EmulationOptions& options, Rank rank) {
  return {options.slowdown.empty() ? 1 : options.slowdown[static_cast<std::size_t>(rank)],
          options.jitter, options.seed};
}

}  // namespace

EmulationResult on_emulated_ranks(simulator::Network& network, Rank ranks,
                                  const std::function<void(collectives::Communicator&)>& body,
                                  const EmulationOptions& options) {
  check(ranks, options);
  SlowRanks slow(network, options.slowdown);
  EmulatedWorld world(slow, ranks);
  CooperativeScheduler& scheduler = world.scheduler;
  std::deque<EmulatedCommunicator> communicators;
  for (Rank me = 0; me < ranks; ++me)
    communicators.emplace_back(world, me, slowdown_of(options, me));
  scheduler.round_ended = [&](const simulator::InteractiveSimulation::Ended& round) {
    communicators[static_cast<std::size_t>(round.rank)].round_ended(round.lane);
  };

  std::vector<std::jthread> threads;
  for (EmulatedCommunicator& communicator : communicators) {
    CooperativeScheduler::Actor& actor = scheduler.add_actor(communicator.rank());
    try {
      threads.emplace_back([&] { scheduler.run(actor, [&] { body(communicator); }); });
    } catch (const std::system_error& error) {
      scheduler.cancel(std::make_exception_ptr(
          Error(Blame::environment, "cannot start " + std::to_string(ranks) +
                                        " threads: " + error.what() + "; use fewer ranks")));
      break;
    }
    scheduler.begin(actor, threads.back().get_id());
  }
  scheduler.start();
  threads.clear();

  if (scheduler.failure()) std::rethrow_exception(scheduler.failure());
  const std::string left_over = world.abandoned ? "" : world.in_flight.left_over();
  if (!left_over.empty())
    fail(Blame::check, "the emulated ranks have ended without receiving " + left_over);
  EmulationResult outcome{
      .finish_of = scheduler.finish_of(), .events = scheduler.events(), .turns = scheduler.turns()};
  outcome.finish = *std::max_element(outcome.finish_of.begin(), outcome.finish_of.end());
  return outcome;
}

}  // namespace arlab::training
