#include "training/telemetry/events.hpp"

#include "training/io/protobuf.hpp"
#include "training/protobuf/event.pb.h"

namespace arlab::training {
namespace {

tensorboard::Event event_at(Count step, double time) {
  tensorboard::Event event;
  event.set_wall_time(time);
  event.set_step(step);
  return event;
}

tensorboard::Summary::Value& value_in(tensorboard::Event& event, std::string_view tag) {
  tensorboard::Summary::Value& value = *event.mutable_summary()->add_value();
  value.set_tag(std::string(tag));
  return value;
}

}  // namespace

bool has_protobuf() { return true; }

std::string version_event(double time) {
  tensorboard::Event event = event_at(0, time);
  event.set_file_version("brain.Event:2");
  return event.SerializeAsString();
}

std::string scalar_event(std::string_view tag, double value, Count step, double time) {
  tensorboard::Event event = event_at(step, time);
  value_in(event, tag).set_simple_value(static_cast<float>(value));
  return event.SerializeAsString();
}

std::string histogram_event(std::string_view tag, const Histogram& h, Count step, double time) {
  tensorboard::Event event = event_at(step, time);
  tensorboard::HistogramProto& histogram = *value_in(event, tag).mutable_histo();
  histogram.set_min(h.min);
  histogram.set_max(h.max);
  histogram.set_num(static_cast<double>(h.finite));
  histogram.set_sum(h.sum);
  histogram.set_sum_squares(h.sum_squares);
  histogram.mutable_bucket_limit()->Add(h.limits.begin(), h.limits.end());
  histogram.mutable_bucket()->Add(h.counts.begin(), h.counts.end());
  return event.SerializeAsString();
}

}  // namespace arlab::training
