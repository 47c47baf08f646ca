// buckets: sends gradients in fixed buckets of a given size, last layer first.
//
// The first bucket is small, so that communication starts early. Li et al., PyTorch Distributed,
// VLDB 13(12), 2020.
#include "training/schedulers/fixed_order.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost&, const Values& values) {
  const auto first = static_cast<Bytes>(values.at("first_bucket"));
  const auto cap = static_cast<Bytes>(values.at("bucket"));
  return follow(buckets_of(profile, first, cap), profile);
}

}  // namespace

SchedulerKind buckets() {
  return {
      .name = "buckets",
      .summary = "sends gradients in fixed buckets as they fill",
      .source = "Li et al., PyTorch Distributed, VLDB 13(12), 2020",
      .parameters = {{"first_bucket", Parameter::Unit::bytes, "1 MiB", "size of the first bucket",
                      kGradientBytes},
                     {"bucket", Parameter::Unit::bytes, "25 MiB", "size of the other buckets",
                      kGradientBytes}},
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
