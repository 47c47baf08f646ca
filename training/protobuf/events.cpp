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

std::string graph_event(const ModelGraph& graph, double time) {
  tensorboard::GraphDef all;
  constexpr int kProducer = 22;  // a version of the format that TensorBoard knows
  all.mutable_versions()->set_producer(kProducer);
  for (const GraphNode& its : graph) {
    tensorboard::NodeDef& node = *all.add_node();
    node.set_name(its.name);
    node.set_op(its.operation);
    for (const std::string& input : its.inputs) node.add_input(input);
    tensorboard::TensorShapeProto& shape =
        *(*node.mutable_attr())["_output_shapes"].mutable_list()->add_shape();
    for (const Count size : its.shape) shape.add_dim()->set_size(size);
  }
  tensorboard::Event event = event_at(0, time);
  event.set_graph_def(all.SerializeAsString());
  return event.SerializeAsString();
}

}  // namespace arlab::training
