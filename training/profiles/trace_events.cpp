#include "training/profiles/trace_events.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "algorithms/base/error.hpp"
#include "training/profiles/trace_reader.hpp"

namespace arlab::training {
namespace {

using Operators = std::vector<RawTrace::Operator>;

constexpr double kForever = 1e300;  // us

bool is_mark(const RawTrace::Operator& op) { return op.what.name.starts_with(kStepMark); }

// Operators within one that communicates do so, too.
void mark_communication(Operators& all) {
  std::unordered_map<std::string_view, double> until;  // by thread
  for (auto& [op, id] : all) {
    double& end = until.try_emplace(op.thread, op.begin - 1).first->second;
    if (op.communicates)
      end = std::max(end, op.end);
    else
      op.communicates = op.begin < end && op.end <= end;
  }
}

// What a marked step holds, by which complete steps are told from others.
struct TracedStep {
  TraceOperator mark;
  std::size_t gradients = 0, kernels = 0;
  bool has_optimizer = false;
};

bool is_gradient(const TraceOperator& op) { return op.name == "torch::autograd::AccumulateGrad"; }

bool is_optimizer(const TraceOperator& op) { return op.name.starts_with("Optimizer.step"); }

TracedStep step_from(double begin) {
  TracedStep step;
  step.mark.begin = begin;
  step.mark.end = kForever;
  return step;
}

// Where no step is marked, one ends with the optimizer, if gradients follow.
std::vector<TracedStep> steps_by_optimizer(const Operators& all) {
  std::vector<TracedStep> steps{step_from(-kForever)};
  const TraceOperator* optimizer = nullptr;  // since the last gradient
  for (const auto& [op, id] : all) {
    if (is_optimizer(op)) optimizer = &op;
    if (!optimizer || !is_gradient(op)) continue;
    steps.back().mark.end = optimizer->end;
    steps.push_back(step_from(optimizer->end));
    optimizer = nullptr;
  }
  return steps;
}

std::vector<TracedStep> find_steps(const Operators& all,
                                   const std::vector<std::size_t>& kernels_of) {
  std::vector<TracedStep> steps;
  for (const auto& op : all)
    if (is_mark(op)) steps.push_back({.mark = op.what});
  if (steps.empty()) steps = steps_by_optimizer(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TraceOperator& op = all[i].what;
    const auto next =
        std::upper_bound(steps.begin(), steps.end(), op.begin,
                         [](double t, const TracedStep& s) { return t < s.mark.begin; });
    if (next == steps.begin() || op.begin >= std::prev(next)->mark.end) continue;
    TracedStep& step = *std::prev(next);
    step.gradients += is_gradient(op) ? 1 : 0;
    step.kernels += kernels_of[i];
    step.has_optimizer |= is_optimizer(op);
  }
  return steps;
}

// The end of a recording cuts the last step off, or loses its kernels.
const TracedStep* last_complete(const std::vector<TracedStep>& steps) {
  std::size_t gradients = 0;
  bool has_optimizer = false;
  for (const TracedStep& step : steps) gradients = std::max(gradients, step.gradients);
  for (const TracedStep& step : steps)
    has_optimizer |= step.gradients == gradients && step.has_optimizer;
  const TracedStep *complete = nullptr, *before = nullptr;
  for (const TracedStep& step : steps) {
    if (step.gradients < gradients || step.has_optimizer != has_optimizer) continue;
    const bool lost = before && step.kernels * 10 < before->kernels * 9 && &step == &steps.back();
    if (!lost) complete = &step;
    before = &step;
  }
  return complete;
}

using Launchers = std::unordered_map<std::int64_t, std::size_t>;

// The operators by their ids, which the profiler gives once: copies in a file, or another process's
// operators, would get one another's kernels.
Launchers launchers_of(const Operators& all, const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    fail(Blame::usage, "trace " + file + ": " + what +
                           ": it holds a recording more than once, or several processes; give the "
                           "file that the profiler wrote for one process");
  };
  Launchers by_id;
  std::unordered_set<std::string_view> marks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [op, id] = all[i];
    if (is_mark(all[i]) && !marks.insert(op.name).second)
      refuse("its step '" + std::string(op.name) + "' is there twice");
    if (id == kNoId || by_id.emplace(id, i).second) continue;
    if (id > 0)
      refuse("its operators '" + std::string(all[by_id[id]].what.name) + "' and '" +
             std::string(op.name) + "' have the same External id " + std::to_string(id));
    by_id[id] = i;  // what has no id may have 0
  }
  return by_id;
}

}  // namespace

TraceOperators read_trace(std::string_view json, const std::string& file) {
  RawTrace raw = read_raw_trace(json, file);
  Operators& all = raw.operators;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.what.begin < b.what.begin; });
  mark_communication(all);
  const Launchers launched_by = launchers_of(all, file);

  TraceOperators trace;
  trace.batch = raw.batch;
  std::vector<std::size_t> kernels_of(all.size());
  for (const RawTrace::Kernel& kernel : raw.kernels) {
    const auto launch = launched_by.find(kernel.id);
    if (kernel.id == kNoId || launch == launched_by.end()) continue;
    trace.device = raw.device_name.empty() ? "GPU" : raw.device_name;
    const TraceOperator& op = all[launch->second].what;
    if (kernel.communicates || op.communicates) continue;
    trace.kernels[op.thread].push_back({op.begin, kernel.duration});
    ++kernels_of[launch->second];
  }
  for (auto& [thread, kernels] : trace.kernels) std::stable_sort(kernels.begin(), kernels.end());

  const std::vector<TracedStep> steps = find_steps(all, kernels_of);
  const TracedStep* const step = last_complete(steps);
  if (step) {
    trace.step = step->mark.name;
    trace.step_thread = step->mark.thread;
  }
  for (RawTrace::Operator& op : all) {
    const bool inside =
        !step || (op.what.begin >= step->mark.begin && op.what.begin < step->mark.end);
    if (!inside || is_mark(op)) continue;
    trace.of_thread[op.what.thread].push_back(trace.all.size());
    trace.all.push_back(std::move(op.what));
  }
  trace.texts = std::move(raw.texts);
  return trace;
}

double TraceOperators::work(std::string_view thread, double begin, double end) const {
  double sum = 0;
  if (!device.empty()) {
    const auto launched = kernels.find(thread);
    if (launched == kernels.end()) return 0;
    for (auto k = std::lower_bound(launched->second.begin(), launched->second.end(), Kernel{begin});
         k != launched->second.end() && k->launched < end; ++k)
      sum += k->duration;
    return sum;
  }
  const auto own = of_thread.find(thread);
  if (own == of_thread.end()) return 0;
  // Operators within another one do not count again, and communication within it is taken off.
  double done = begin, communicated = begin;
  for (auto i = std::lower_bound(own->second.begin(), own->second.end(), begin,
                                 [&](std::size_t a, double t) { return all[a].begin < t; });
       i != own->second.end() && (all[*i].begin < end || all[*i].begin < done); ++i) {
    const TraceOperator& op = all[*i];
    if (op.communicates) {
      if (op.begin < communicated) continue;
      if (op.begin < done) sum -= std::min(op.end, done) - op.begin;
      communicated = op.end;
    } else if (op.is_operator() && op.begin >= std::max(done, communicated) && op.begin < end) {
      sum += op.end - op.begin;
      done = op.end;
    }
  }
  return sum;
}

}  // namespace arlab::training
