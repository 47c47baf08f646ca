#include "training/schedulers/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace arlab::training {
namespace {

// A message: waits for the link, uses it, and then takes its latency.
struct Flight {
  Bundle bundle;
  int step;
  Time begin;
  double left = 0;                   // remaining picoseconds on an otherwise idle link
  Time arrives = simulator::kNever;  // set when it leaves the link
};

class Worker {
 public:
  Worker(const Study& study, int number)
      : study_(study),
        number_(number),
        scheduler_(make_scheduler(*study.kind, study.profile, study.link, study.values)),
        forwarded_(study.profile.size()),
        missing_(study.profile.size()),
        barrier_(study.barrier.value_or(study.kind->barrier)) {
    if (study.kind->offset)
      free_ = study.kind->offset(study.profile, study.link, number, study.workers);
  }

  bool finished() const { return step_ == study_.steps; }
  bool wants_link() const { return on_link() != flights_.end(); }
  const std::vector<Time>& starts() const { return starts_; }

  // Does everything that can be done at this time.
  void act(Time now, Timeline& timeline) {
    while (true) {
      deliver(now, timeline);
      if (send(now)) continue;
      if (!compute(now, timeline)) return;
    }
  }

  // Returns the time of the next event, except those of the link.
  Time next_event(Time now) const {
    Time next = computing_ || free_ > now ? free_ : simulator::kNever;
    for (const Flight& flight : flights_) next = std::min(next, flight.arrives);
    if (under_way() < scheduler_->limit()) next = std::min(next, scheduler_->wake(now));
    return next;
  }

  Time off_link(Time now, double rate) const {
    return now + Time{static_cast<std::int64_t>(std::ceil(on_link()->left / rate - 1e-6))};
  }

  void use_link(Time now, Time elapsed, double rate) {
    Flight& flight = *on_link();
    flight.left -= picoseconds(elapsed) * rate;
    if (flight.left < 0.5) flight.arrives = now + elapsed + study_.link.latency;
  }

 private:
  using Flights = std::deque<Flight>;

  const Layer& layer(int l) const { return study_.profile[static_cast<std::size_t>(l)]; }
  int layers() const { return static_cast<int>(study_.profile.size()); }
  int under_way() const { return static_cast<int>(flights_.size()); }

  Flights::iterator on_link() {
    return std::find_if(flights_.begin(), flights_.end(),
                        [](const Flight& f) { return f.arrives == simulator::kNever; });
  }
  Flights::const_iterator on_link() const { return const_cast<Worker*>(this)->on_link(); }

  void deliver(Time now, Timeline& timeline) {
    while (!flights_.empty() && flights_.front().arrives <= now) {
      const Flight flight = std::move(flights_.front());
      flights_.pop_front();
      land(flight.bundle, now);
      timeline.works.push_back({Work::Kind::message, number_, flight.step,
                                flight.bundle.slices.front().layer, flight.bundle.collective,
                                flight.bundle.bytes(), flight.begin, now});
      ++timeline.messages;
    }
  }

  void land(const Bundle& bundle, Time now) {
    if (bundle.collective != Collective::reduce_scatter)
      for (const Slice& slice : bundle.slices)
        if (slice.elements > 0 &&
            (missing_[static_cast<std::size_t>(slice.layer)] -= slice.elements) == 0)
          --incomplete_;
    scheduler_->done(bundle, now);
  }

  bool send(Time now) {
    if (under_way() >= scheduler_->limit()) return false;
    std::optional<Bundle> bundle = scheduler_->next(now);
    if (!bundle) return false;
    if (bundle->elements() == 0) {  // empty messages are dropped
      land(*bundle, now);
      return true;
    }
    const double holds =
        picoseconds(study_.holds ? study_.holds(*bundle)
                                 : study_.link.holds(bundle->bytes(), bundle->collective));
    flights_.push_back({std::move(*bundle), ready_step_, now, holds});
    if (holds == 0) flights_.back().arrives = now + study_.link.latency;
    return true;
  }

  // Ends the computation that is due, or begins the next one. Returns false if neither is possible.
  bool compute(Time now, Timeline& timeline) {
    if (free_ > now || finished()) return false;
    if (computing_) {
      computing_ = false;
      finish(now, timeline);
      return true;
    }
    const int l = backward_ ? next_backward_ : next_forward();
    if (l < 0) return false;
    computing_ = true;
    current_ = {
        backward_ ? Work::Kind::backward : Work::Kind::forward,  number_, step_, l, {}, 0, now,
        now + (backward_ ? layer(l).backward : layer(l).forward)};
    free_ = current_.end;
    if (!backward_ && begun_++ == 0) starts_.push_back(now);
    return true;
  }

  void finish(Time now, Timeline& timeline) {
    timeline.works.push_back(current_);
    const auto l = static_cast<std::size_t>(current_.layer);
    if (!backward_) {
      forwarded_[l] = true;
      while (first_ < layers() && forwarded_[static_cast<std::size_t>(first_)]) ++first_;
      if (begun_ < layers()) return;
      backward_ = true;
      next_backward_ = layers() - 1;
      return;
    }
    missing_[l] = layer(current_.layer).elements;
    if (missing_[l] > 0) ++incomplete_;
    ready_step_ = step_;
    scheduler_->ready(current_.layer, now);
    if (--next_backward_ >= 0) return;
    backward_ = false;
    begun_ = 0;
    forwarded_.assign(forwarded_.size(), false);
    first_ = 0;
    ++step_;
  }

  // Returns the first layer that can be computed, or -1.
  int next_forward() const {
    if (barrier_ && incomplete_ > 0) return -1;
    for (int l = first_; l < layers(); ++l)
      if (!forwarded_[static_cast<std::size_t>(l)] && missing_[static_cast<std::size_t>(l)] == 0 &&
          has_inputs(l))
        return l;
    return -1;
  }

  bool has_inputs(int l) const {
    const auto is_there = [&](int need) { return forwarded_[static_cast<std::size_t>(need)]; };
    if (layer(l).needs.empty()) return l == 0 || is_there(l - 1);
    return std::all_of(layer(l).needs.begin(), layer(l).needs.end(), is_there);
  }

  const Study& study_;
  int number_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<bool> forwarded_;  // layers whose forward pass is done
  std::vector<Count> missing_;   // elements of each layer's gradient that are not exchanged yet
  std::vector<Time> starts_;     // begin of each step
  Flights flights_;              // in order of their starts
  Work current_;
  Time free_{};  // until then the worker computes or has not started
  bool barrier_, computing_ = false, backward_ = false;
  int step_ = 0, ready_step_ = 0, begun_ = 0, next_backward_ = 0;
  int first_ = 0;       // all layers before it are forwarded
  int incomplete_ = 0;  // layers whose gradient is not exchanged yet
};

}  // namespace

Timeline simulate(const Study& study) {
  if (study.steps < 2) fail(Blame::usage, "the study has too few steps: use at least 2");
  if (study.workers < 1) fail(Blame::usage, "the study has 0 workers: use at least 1");
  if (!(study.link_share > 0))
    fail(Blame::usage, "the capacity of the shared link is not positive: use a value above 0");
  expects(study.kind != nullptr, "the study has no scheduler");
  std::vector<Worker> workers;
  workers.reserve(static_cast<std::size_t>(study.workers));
  for (int w = 0; w < study.workers; ++w) workers.emplace_back(study, w);

  Timeline timeline;
  for (const Layer& layer : study.profile) timeline.computation += layer.forward + layer.backward;
  Time now{}, crowded{};
  while (true) {
    int senders = 0;
    for (Worker& worker : workers) {
      worker.act(now, timeline);
      senders += worker.wants_link() ? 1 : 0;
    }
    const double rate = senders == 0 ? 0 : std::min(1.0, study.link_share / senders);
    Time next = simulator::kNever;
    for (const Worker& worker : workers) {
      next = std::min(next, worker.next_event(now));
      if (worker.wants_link()) next = std::min(next, worker.off_link(now, rate));
    }
    if (next == simulator::kNever) break;
    in_calendar(next);
    if (senders > study.link_share) crowded += next - now;
    for (Worker& worker : workers)
      if (worker.wants_link()) worker.use_link(now, next - now, rate);
    now = next;
  }
  const std::vector<Time>& starts = workers.front().starts();
  const std::size_t half = starts.size() / 2, last = starts.size() - 1;
  expects(workers.front().finished(), "the scheduler did not send all gradients");
  timeline.period = picoseconds(starts[last] - starts[half]) / static_cast<double>(last - half);
  timeline.oversubscribed = now > Time{} ? picoseconds(crowded) / picoseconds(now) : 0;
  return timeline;
}

}  // namespace arlab::training
