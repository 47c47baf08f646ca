#include "training/exchange/gradient_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/base/error.hpp"
#include "training/exchange/code_units.hpp"
#include "training/replica/finite.hpp"

namespace arlab::training {
namespace {

constexpr int kProfiledSteps = 3;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

Profile profile_of(std::span<const Variable> variables) {
  Profile profile;
  for (const Variable& v : variables) profile.push_back({v.name, Time{}, Time{}, v.elements, {}});
  return profile;
}

}  // namespace

GradientExchange::GradientExchange(Exchange& exchange, Parameters& parameters,
                                   const GradientOptions& options)
    : exchange_(exchange),
      parameters_(parameters),
      options_(options),
      kind_(find_scheduler(options.scheduler)),
      whole_bundles_(kind_.same_everywhere && !kind_.needs_times) {
  collectives::Communicator& c = exchange.communicator();
  const Profile profile = profile_of(parameters.variables());
  make_scheduler(kind_, profile, {}, options.scheduling);  // or throws
  const std::string scheduler = "scheduler " + std::string(kind_.name);
  if (kind_.halves)
    expect_collectives(exchange, c.ranks(), scheduler,
                       {Collective::reduce_scatter, Collective::all_gather});
  if (DeviceVectors* const there = parameters.on_device()) {
    collectives::Executor* const executor = exchange.route().executor;
    if (options_.compressor && !kernels_of(*options_.compressor)->device)
      fail(Blame::usage, "gradients lie in a device's memory, and the codes of compressor " +
                             std::string(options_.compressor->kind->name) +
                             " are made on the host: use gradients on the host, or no compressor");
    if (c.ranks() > 1 && (!executor || !executor->device()))
      fail(Blame::usage,
           "gradients lie in a device's memory, and this backend reduces vectors on the host: use "
           "the backend nccl or mpi-cuda, or gradients on the host");
    on_device_.emplace(*there, parameters.variables().size(), c);
  }
  if (options_.compressor) {
    if (kind_.halves)
      fail(Blame::usage, scheduler +
                             " splits an allreduce into halves, and a compressor's codes "
                             "cannot be split: use scheduler buckets or no compressor");
    codes_.emplace(exchange, options_, code_units(options_, parameters.variables()));
  }
  step_of_.resize(profile.size());
  slices_of_.resize(profile.size());
  if (kind_.needs_times) profiler_.emplace(exchange.clock(), profile.size());
  begin(profiler_ ? find_scheduler("fifo") : kind_, profile, {},
        profiler_ ? Values{} : options_.scheduling);
}

void GradientExchange::begin(const SchedulerKind& kind, const Profile& profile,
                             const LinkCost& link, const Values& values) {
  exchange_.schedule(kind, profile, link, values, [this](const Bundle& b) { transmit(b); });
}

void GradientExchange::start_step(Count step) {
  step_ = step;
  if (!profiler_) return;
  if (profiler_->steps() < kProfiledSteps) return profiler_->start_step();
  collectives::Communicator& c = exchange_.communicator();
  Profile profile = profile_of(parameters_.variables());
  profiler_->agree(c, profile);
  profiler_.reset();
  begin(kind_, profile,
        measured_link(c, exchange_.route(), on_device_ ? &on_device_->math() : nullptr),
        options_.scheduling);
}

void GradientExchange::need(std::size_t variable) {
  if (!profiler_) return;
  if (on_device_) on_device_->wait();
  profiler_->need(variable);
}

void GradientExchange::ready(std::size_t variable) {
  if (on_device_) on_device_->complete(variable);
  if (profiler_ && on_device_) on_device_->wait();  // what it measures is done
  if (profiler_) profiler_->ready(variable);
  step_of_[variable] = step_;
  slices_of_[variable] = 0;
  exchange_.ready(static_cast<int>(variable));
  if (profiler_) profiler_->resume();
}

std::span<float> GradientExchange::part(const Slice& slice) const {
  const Variable& v = parameters_.variables()[index(slice.layer)];
  const std::span<float> all = on_device_ ? on_device_->all() : parameters_.gradients();
  return all.subspan(static_cast<std::size_t>(v.offset + slice.first),
                     static_cast<std::size_t>(slice.elements));
}

void GradientExchange::run_on_device(std::span<const Slice> slices,
                                     const DeviceGradients::Run& run) {
  std::vector<std::span<float>> parts;
  std::vector<std::size_t> variables;
  for (const Slice& s : slices) {
    parts.push_back(part(s));
    variables.push_back(index(s.layer));
  }
  on_device_->run(parts, variables, run);
}

// Sends neighbors in place, and copies other variables into one buffer first.
void GradientExchange::transmit(const Bundle& bundle) {
  std::vector<Slice> slices;
  for (const Slice& s : bundle.slices)
    if (s.elements > 0) slices.push_back(s);
  std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::pair(a.layer, a.first) < std::pair(b.layer, b.first);
  });
  const int layer = slices.front().layer;
  const CollectiveId id{
      step_of_[index(layer)], layer, slices_of_[index(layer)]++,
      bundle.collective == Collective::all_gather ? Phase::weights : Phase::gradient};
  if (options_.compressor && !whole_bundles_) {
    for (const Slice& s : slices) {
      CollectiveId own = id;
      own.bucket = s.layer;
      if (s.layer != layer) own.slice = slices_of_[index(s.layer)]++;
      if (on_device_)
        compress_on_device(own, {&s, 1});
      else
        compress(own, {&s, 1}, part(s));
    }
    return;
  }
  const Exchange::Task task{exchange_.route(), bundle.collective, 0};
  if (on_device_ && options_.compressor) return compress_on_device(id, slices);
  if (on_device_)
    return run_on_device(slices, [&](std::span<float> there, DeviceGradients::Events after) {
      exchange_.run_on_device(id, task, there, after);
    });
  std::size_t elements = 0;
  float* const begin = part(slices.front()).data();
  bool adjacent = true;
  for (const Slice& s : slices) {
    adjacent &= part(s).data() == begin + elements;
    elements += static_cast<std::size_t>(s.elements);
  }
  std::span<float> data(begin, elements);
  if (!adjacent) {
    packed_.resize(elements);
    data = packed_;
    auto to = data.begin();
    for (const Slice& s : slices) to = std::copy_n(part(s).begin(), s.elements, to);
  }
  if (options_.compressor)
    compress(id, slices, data);
  else
    exchange_.run(id, task, data);
  if (adjacent) return;
  auto from = data.begin();
  for (const Slice& s : slices) {
    std::copy_n(from, s.elements, part(s).begin());
    from += s.elements;
  }
}

GradientExchange::Unit& GradientExchange::unit_of(std::span<const Slice> slices, int slice,
                                                  collectives::Communicator& c) {
  const std::pair key(slices.front().layer, slice);
  Unit& unit = units_[key];
  if (unit.aggregator.run) {
    expects(std::equal(slices.begin(), slices.end(), unit.slices.begin(), unit.slices.end()),
            "a compressed bundle changed its shape");
    return unit;
  }
  const std::span<const Variable> variables = parameters_.variables();
  TensorShapes layout;
  for (const Slice& s : slices)
    layout.push_back(matrix_of(variables[index(s.layer)], s.first, s.elements));
  unit.slices.assign(slices.begin(), slices.end());
  unit.aggregator = codes_->make(layout, c);
  if (const auto saved = restored_.find(name_of(key)); saved != restored_.end()) {
    restore_state(unit.aggregator.visit_state, saved->second);
    restored_.erase(saved);
  }
  return unit;
}

void GradientExchange::compress(const CollectiveId& id, std::span<const Slice> slices,
                                std::span<float> data) {
  exchange_.run(id, [&](collectives::CountingCommunicator& c) {
    const std::span<const Variable> variables = parameters_.variables();
    for (const Slice& s : slices)
      expect_finite(variables, variables[index(s.layer)].offset + s.first, part(s), id.step);
    Unit& unit = unit_of(slices, id.slice, c);
    const auto ranks = static_cast<float>(c.ranks());
    for (float& x : data) x *= ranks;
    codes_->run(c, unit.aggregator, id, data);
  });
}

void GradientExchange::compress_on_device(const CollectiveId& id, std::span<const Slice> slices) {
  run_on_device(slices, [&](std::span<float> there, DeviceGradients::Events after) {
    exchange_.run(id, [&](collectives::CountingCommunicator& c) {
      codes_->wait_for(after);
      expect_finite_on_device(slices, there, id.step);
      Unit& unit = unit_of(slices, id.slice, c);
      codes_->kernels().multiply(there.data(), static_cast<Count>(there.size()),
                                 static_cast<float>(c.ranks()));
      codes_->run_on_device(c, unit.aggregator, id, there);
    });
  });
}

// The device looks for such values; the host looks at a copy to say which one it is.
void GradientExchange::expect_finite_on_device(std::span<const Slice> slices,
                                               std::span<const float> there, Count step) const {
  if (codes_->kernels().is_finite(there.data(), static_cast<Count>(there.size()))) return;
  std::vector<float> here(there.size());
  on_device_->math().copy(here, there);
  std::size_t at = 0;
  for (const Slice& s : slices) {
    const std::span<const Variable> variables = parameters_.variables();
    const auto elements = static_cast<std::size_t>(s.elements);
    expect_finite(variables, variables[index(s.layer)].offset + s.first,
                  std::span(here).subspan(at, elements), step);
    at += elements;
  }
}

std::string GradientExchange::name_of(const UnitKey& key) const {
  return parameters_.variables()[index(key.first)].name + "/" + std::to_string(key.second);
}

GradientExchange::State GradientExchange::state() {
  State all = restored_;  // state of units that do not exist yet
  for (auto& [key, unit] : units_) all[name_of(key)] = save_state(unit.aggregator.visit_state);
  return all;
}

}  // namespace arlab::training
