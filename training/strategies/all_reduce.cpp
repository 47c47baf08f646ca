#include "training/strategies/all_reduce.hpp"

#include <vector>

namespace arlab {
namespace {

class AllReduce final : public Strategy {
 public:
  explicit AllReduce(const Station& station)
      : s_(station), counter_(buckets_of(s_.parameters.variables(), s_.options.buckets)) {}

  void start_step(const Step& step) override {
    step_ = step.number;
    counter_.start_step();
    tickets_.clear();
  }

  void ready(std::size_t variable) override {
    counter_.ready(variable);
    for (int b = counter_.next(); b >= 0; b = counter_.next())
      tickets_.push_back(s_.exchange.start({step_, b}, gradients_of(bucket(b))));
  }

  // All have arrived and are finite before any is applied: a bad step leaves the weights alone.
  void finish_step(const Step& step) override {
    const auto variables = s_.parameters.variables();
    for (std::size_t b = 0; b < tickets_.size(); ++b) {
      s_.exchange.wait(tickets_[b]);
      const Bucket& its = bucket(static_cast<int>(b));
      expect_finite(variables, its.offset, gradients_of(its), step.number);
    }
    s_.optimizer.start_step(step.learning_rate);
    s_.optimizer.apply(0, s_.parameters.weights(), s_.parameters.gradients());
  }

 private:
  const Bucket& bucket(int b) const { return counter_.buckets()[static_cast<std::size_t>(b)]; }
  std::span<float> gradients_of(const Bucket& b) {
    return s_.parameters.gradients().subspan(static_cast<std::size_t>(b.offset),
                                             static_cast<std::size_t>(b.elements));
  }

  Station s_;
  BucketCounter counter_;
  Count step_ = 0;
  std::vector<Exchange::Ticket> tickets_;  // of the buckets started in this step
};

}  // namespace

std::unique_ptr<Strategy> make_all_reduce(const Station& station) {
  return std::make_unique<AllReduce>(station);
}

}  // namespace arlab
