#include "training/trainer/trainer.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "training/control/same_on_all_ranks.hpp"

namespace arlab::training {
namespace {

Route route_of(const TrainerOptions& learning, collectives::Communicator& communicator) {
  const std::string_view word =
      learning.route.empty() ? find_strategy(learning.strategy).route : learning.route;
  // Before "auto" tries algorithms: ranks that try different ones would deadlock.
  const RunParameter asked[] = {
      {"the algorithm asked for", std::string(word) + ", " + std::to_string(learning.segments) +
                                      " segments, groups of " +
                                      std::to_string(learning.route_options.group_size)}};
  expect_same(communicator, asked);
  constexpr Count kTried = 1 << 18;  // elements: a bucket of 1 MiB
  return find_route(word, learning.segments, communicator, kTried, learning.route_options);
}

// Updates by parts of a gradient decay the weights by these parts.
OptimizerOptions optimizer_of(const TrainerOptions& learning, const StrategyKind& kind,
                              Rank workers) {
  OptimizerOptions options = learning.optimizer;
  if (kind.each_push) options.weight_decay /= static_cast<float>(workers);
  return options;
}

std::string to_string(std::span<const Variable> variables) {
  std::string text;
  for (const Variable& v : variables) {
    text += v.name;
    for (const Count n : v.shape) text += ' ' + std::to_string(n);
    text += ';';
  }
  return std::to_string(variables.size()) + " variables, hash " + std::to_string(hash(text));
}

}  // namespace

bool passes_multiple(Count begin, Count end, Count every) {
  return every > 0 && end / every > begin / every;
}

Rank Trainer::workers_of(const TrainerOptions& learning, Rank ranks) {
  const Rank servers = servers_of(learning);
  if (!find_strategy(learning.strategy).has_servers) return ranks;
  if (servers < 1 || servers >= ranks)
    fail(Blame::usage, std::to_string(servers) + " parameter servers on " + std::to_string(ranks) +
                           " ranks: use at least 1 server and leave at least 1 worker");
  return ranks - servers;
}

Trainer::Trainer(collectives::Communicator& communicator, const TrainerOptions& learning,
                 const MakeReplica& make, std::vector<RunParameter> run_parameters)
    : communicator_(communicator),
      learning_(learning),
      kind_(find_strategy(learning.strategy)),
      workers_(workers_of(learning, communicator.ranks())),
      exchange_(communicator, route_of(learning, communicator), learning.overlap),
      run_parameters_(std::move(run_parameters)) {
  check(learning_.rate);
  check(learning_.optimizer);
  replica_ = make([this](std::span<float> data) {
    exchange_.sum({steps_done_, sums_++, 0, Phase::statistics}, data);
  });
  const DeviceVectors* const device = replica_->on_device();
  optimizer_ = std::make_unique<Optimizer>(optimizer_of(learning_, kind_, workers_),
                                           static_cast<Count>(replica_->weights().size()),
                                           device ? device->math() : nullptr);
  const std::vector<PassTime>& passes = learning_.passes;
  expects(passes.empty() || passes.size() == replica_->variables().size(),
          "a replay needs the times of each variable");
  if (passes.empty())
    compute_model_.emplace(communicator.clock(), replica_->variables(), learning_.speed);
  else
    compute_model_.emplace(communicator.clock(), passes);
  agree();
  StrategyOptions options = learning_.options;
  options.check_every = kind_.equal_replicas ? learning_.check_every : 0;
  strategy_ = make_strategy(kind_, {*replica_, *optimizer_, exchange_, communicator_.rank(),
                                    workers_, communicator_.ranks(), options});
  share_state();
}

void Trainer::agree() {
  run_parameters_.push_back({"the model", to_string(replica_->variables())});
  for (RunParameter& a : make_run_parameters(learning_)) run_parameters_.push_back(std::move(a));
  run_parameters_.push_back({"the algorithm", exchange_.route().name(communicator_) + ", " +
                                                  std::to_string(exchange_.route().segments) +
                                                  " segments"});
  if (learning_.micro_batches < 1)
    fail(Blame::usage, std::to_string(learning_.micro_batches) + " micro-batches: use at least 1");
  expect_same(communicator_, run_parameters_);
}

void Trainer::broadcast(std::span<float> data, int which) {
  const Exchange::Task task{{&find_algorithm("tree")}, Collective::broadcast, 0};
  exchange_.wait(exchange_.start({0, which, 0, Phase::weights}, data, task));
}

// max() preserves integers up to 2^53.
void Trainer::share_state() {
  const bool first = communicator_.rank() == 0;
  steps_done_ = static_cast<Count>(communicator_.max(first ? static_cast<double>(steps_done_) : 0));
  broadcast(replica_->weights(), 0);
  broadcast(replica_->statistics(), 1);
  replica_->give();
  if (kind_.own_moments) return;
  const auto steps =
      static_cast<Count>(communicator_.max(first ? static_cast<double>(optimizer_->steps()) : 0));
  optimizer_->set_steps(steps);
  if (steps == 0) return;  // they are 0 everywhere
  broadcast(optimizer_->moments(), 2);
  optimizer_->give();
}

// Each micro-batch adds its gradient to the sum; only the last one completes it.
BatchResult Trainer::learn(const Batch& batch) {
  // Gradients that are still in progress are cleared on arrival. A replay sets them, and a sharded
  // strategy clears them.
  if (strategy_->is_whole() && learning_.passes.empty() && !kind_.sharded) {
    GradientParts parts(*replica_, *optimizer_);
    parts.clear(0, parts.elements());
  }
  // The last batch may be short and leave this worker few samples or none.
  const auto count = std::min<Count>(learning_.micro_batches, batch.samples);
  for (Count part = count; part < learning_.micro_batches; ++part)
    pass_without_samples(count == 0 && part + 1 == learning_.micro_batches);
  if (count == 0) return {};
  const Count divisor = kind_.local_batch ? batch.samples : batch.global;
  const auto scale = 1 / static_cast<float>(divisor);
  const Blocks parts(batch.samples, count);
  const std::size_t values = batch.values.size() / static_cast<std::size_t>(batch.samples);
  BatchResult outcome;
  for (Count part = 0; part < count; ++part) {
    const auto first = static_cast<std::size_t>(parts.begin(part));
    const auto size = static_cast<std::size_t>(parts.size(part));
    listen(part == 0, part == count - 1);
    compute_model_->begin(parts.size(part), kind_.gathers);
    outcome += replica_->learn({std::span(batch.values).subspan(first * values, size * values),
                                std::span(batch.labels).subspan(first, size)},
                               scale);
  }
  return outcome;
}

// Takes part in what the other workers exchange during a micro-batch.
void Trainer::pass_without_samples(bool last) {
  const std::size_t variables = replica_->variables().size();
  for (std::size_t v = 0; v < variables && kind_.gathers; ++v) strategy_->use(v, Pass::forward);
  for (std::size_t v = variables; v-- > 0;) {
    if (kind_.gathers) strategy_->use(v, Pass::backward);
    if (last) strategy_->ready(v);
  }
}

// Notifies the strategy of the first micro-batch's needs and of the last one's completed gradients.
void Trainer::listen(bool first, bool last) {
  replica_->on_need([this, first](std::size_t v) {
    compute_model_->need(v, [&] {
      if (first) strategy_->need(v);
      if (kind_.gathers) strategy_->use(v, Pass::forward);
    });
  });
  if (kind_.gathers)
    replica_->on_need_backward([this](std::size_t v) {
      compute_model_->need_backward(v, [&] { strategy_->use(v, Pass::backward); });
    });
  replica_->on_ready([this, last](std::size_t v) {
    compute_model_->ready(v, [&] {
      if (last) strategy_->ready(v);
    });
  });
}

// After `stop` steps all ranks settle. What they do to hold the same weights is part of the step.
StepReport Trainer::train_step(const TrainingData& data, Count steps_of_epoch, Count stop) {
  const double begin = clock().now();
  const Exchange::Usage before = exchange_.usage();
  StepReport r;
  r.begin = begin;
  r.step = {steps_done_, rate_at(learning_.rate, steps_done_, steps_of_epoch)};
  r.position = {steps_done_ / steps_of_epoch, steps_done_ % steps_of_epoch};
  sums_ = 0;
  strategy_->start_step(r.step);
  if (is_worker()) {
    const double asked = clock().now();
    const Batch batch = data.train->next();
    r.input = clock().now() - asked;
    r.outcome = learn(batch);
    r.step.samples = batch.samples;
    r.step.global = batch.global;
  }
  strategy_->finish_step(r.step);
  ++steps_done_;
  share_.add(r.step);
  if (steps_done_ == stop)
    settle();
  else if (compares())
    strategy_->flush();
  const Exchange::Usage used = exchange_.usage() - before;
  r.seconds = clock().now() - begin;
  r.exposed = used.exposed;
  r.communication = used.seconds;
  r.codec = used.codec;
  r.bytes_sent = used.bytes;
  return r;
}

void Trainer::settle() {
  strategy_->settle();
  average_statistics();
}

bool Trainer::compares() const {
  return kind_.equal_replicas && learning_.check_every > 0 &&
         steps_done_ % learning_.check_every == 0;
}

void Trainer::compare_replicas() {
  replica_->fetch();
  const std::span<const float> weights = replica_->weights();
  const std::uint64_t own = hash(std::as_bytes(weights));
  const std::vector<Rank> differ = ranks_that_differ(communicator_, own, is_worker());
  diverged_ = !differ.empty();
  if (diverged_)
    fail(
        Blame::check,
        "the replicas have diverged: after step " + std::to_string(steps_done_ - 1) +
            " the weights of " + ranks_text(differ) +
            " differ from those of rank 0: resume from the last checkpoint, and look for code that "
            "changes weights on one rank only, or for faulty memory");
}

// If replicas are identical, rank 0 checkpoints the last good step, unless the failure struck
// mid-update: then the optimizer is one step ahead. Reports the first error.
void Trainer::run(const TrainingData& data, Count steps_of_epoch, const Observer& observer) {
  try {
    run_all(data, steps_of_epoch, observer);
  } catch (const std::exception& error) {
    rescue(error.what(), &error);
    throw;
  } catch (...) {  // another rank has failed and reports the reason
    rescue("another rank has failed", nullptr);
    throw;
  }
}

void Trainer::rescue(const std::string& why, const std::exception* error) {
  const bool whole =
      optimizer_->steps() == steps_done_ && strategy_->is_whole() && !averaging_ &&
      !learning_.options.gradients.compressor;  // whose residuals differ between ranks
  if (!rescue_ || diverged_ || communicator_.rank() != 0 || kind_.own_moments || kind_.sharded ||
      !whole)
    return;
  try {
    replica_->fetch();
    optimizer_->fetch();
    rescue_();
  } catch (const Error& another) {
    const auto* known = dynamic_cast<const Error*>(error);
    fail(known ? known->blame() : Blame::environment,
         why + "; also, the state before it could not be saved: " + another.what());
  }
}

// Returns after which step all ranks settle next, at most `end`. All are settled now.
Count Trainer::next_stop(Count end) const {
  const Count phase = std::max<Count>(1, steps_to_settle(kind_, learning_.options.values));
  for (const Count every : {settle_every_, learning_.report_every}) {
    if (every == 0) continue;
    const Count asked = every - steps_done_ % every;
    end = std::min(end, steps_done_ + (asked + phase - 1) / phase * phase);
  }
  return end;
}

void Trainer::run_all(const TrainingData& data, Count steps_of_epoch, const Observer& observer) {
  expects(is_worker() == (data.train != nullptr), "workers must have data, and servers must not");
  exchange_.observe(observer.collective);
  if (steps_of_epoch < 1) fail(Blame::usage, "an epoch has 0 steps: use a smaller batch");
  Count end = learning_.epochs * steps_of_epoch;
  if (learning_.max_steps > 0) end = std::min(end, learning_.max_steps);
  if (is_worker() && steps_done_ < end)
    data.train->seek({steps_done_ / steps_of_epoch, steps_done_ % steps_of_epoch});
  Costs since_report{.before = exchange_.usage()};
  const Count warm = steps_done_ + observer.leave_out;
  bool enough = false;
  while (steps_done_ < end && !enough) {
    // Runs to the next point where all ranks settle.
    const Count epoch = steps_done_ / steps_of_epoch;
    const Count begin = steps_done_, stop = next_stop(std::min(end, (epoch + 1) * steps_of_epoch));
    strategy_->start_epoch(steps_done_, stop - steps_done_);
    while (steps_done_ < stop) {
      const StepReport r = train_step(data, steps_of_epoch, stop);
      since_report.add(r, exchange_.usage(), steps_done_ <= warm);
      if (observer.step) observer.step(r);
      if (steps_done_ < stop && compares()) compare_replicas();
    }
    optimizer_->fetch();
    compare_replicas();
    const bool whole = stop == end || stop % steps_of_epoch == 0 ||
                       passes_multiple(begin, stop, learning_.report_every);
    EpochReport report;
    if (whole) {
      report = report_of(since_report, epoch);
      report.validation = evaluate(data.validation);
      if (observer.epoch) observer.epoch(report);
      enough = observer.enough && observer.enough(report);
    }
    if (settled_) settled_(whole ? &report : nullptr);
    if (whole) since_report = {.before = exchange_.usage()};
    communicator_.barrier();  // no rank's next step waits for what another one writes here
  }
}

void Trainer::Costs::add(const StepReport& r, const Exchange::Usage& now, bool is_cold) {
  ++own.steps;
  own.samples += r.outcome.samples;
  own.seconds += r.seconds;
  own.input += r.input;
  own.used = now - before;
  learned += r.outcome;
  if (is_cold) cold = own;
}

EpochReport Trainer::report_of(const Costs& costs, Count epoch) {
  EpochReport report;
  static_cast<StepCosts&>(report) = combine(communicator_, costs.own, is_worker());
  report.epoch = epoch;
  report.train = sum(communicator_, costs.learned);
  report.timed =
      costs.cold.steps == 0 ? report : combine(communicator_, costs.own - costs.cold, is_worker());
  return report;
}

BatchResult Trainer::evaluate(Pipeline* pipeline) {
  BatchResult own;
  if (pipeline) {
    pipeline->seek({});
    for (Count step = 0; step < pipeline->steps(); ++step) {
      const Batch batch = pipeline->next();
      if (batch.samples > 0) own += replica_->evaluate({batch.values, batch.labels});
    }
  }
  return sum(communicator_, own);
}

void Trainer::average_statistics() {
  if (replica_->statistics().empty()) return;
  averaging_ = true;
  replica_->fetch();
  average({*replica_, *optimizer_, exchange_, communicator_.rank(), workers_, communicator_.ranks(),
           learning_.options},
          {steps_done_, 1, 0, Phase::statistics}, replica_->statistics(), share_);
  replica_->give();
  share_ = {};
  averaging_ = false;
}

}  // namespace arlab::training
