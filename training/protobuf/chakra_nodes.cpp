#include "training/profiles/chakra_nodes.hpp"

#include <google/protobuf/io/coded_stream.h>

#include <limits>

#include "algorithms/base/error.hpp"
#include "training/protobuf/chakra.pb.h"

namespace arlab::training {
namespace {

std::optional<std::int64_t> number(const chakra::Attribute& a) {
  switch (a.value_case()) {
    case chakra::Attribute::kInt32Val:
      return a.int32_val();
    case chakra::Attribute::kInt64Val:
      return a.int64_val();
    case chakra::Attribute::kUint32Val:
      return a.uint32_val();
    case chakra::Attribute::kUint64Val:
      return static_cast<std::int64_t>(a.uint64_val());
    case chakra::Attribute::kBoolVal:
      return a.bool_val() ? 1 : 0;
    case chakra::Attribute::VALUE_NOT_SET:
      break;
  }
  return {};
}

ChakraNode node_of(const chakra::Node& message) {
  ChakraNode node{.id = message.id(),
                  .name = message.name(),
                  .type = static_cast<ChakraType>(message.type()),
                  .duration_us = message.duration_micros()};
  node.needs.assign(message.data_deps().begin(), message.data_deps().end());
  for (const chakra::Attribute& a : message.attr()) {
    if (a.name() == "comm_type") node.collective = number(a);
    if (a.name() == "comm_size") node.bytes = number(a);
    if (a.name() == "is_cpu_op")
      if (const auto value = number(a)) node.on_processor = *value != 0;
  }
  return node;
}

}  // namespace

std::vector<ChakraNode> read_chakra(std::string_view bytes, const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    fail(Blame::usage, "trace " + file + ": " + what);
  };
  if (bytes.starts_with("\x1f\x8b")) refuse("it is compressed: gunzip it first");
  if (bytes.size() > std::numeric_limits<int>::max())
    refuse("it has " + std::to_string(bytes.size()) +
           " bytes, and at most 2 GiB can be read: record fewer steps");
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  std::vector<ChakraNode> nodes;
  for (std::size_t message = 0; static_cast<std::size_t>(in.CurrentPosition()) < bytes.size();
       ++message) {
    const std::size_t at = static_cast<std::size_t>(in.CurrentPosition());
    std::uint32_t length = 0;
    const bool has_length = in.ReadVarint32(&length);
    const auto begin = static_cast<std::size_t>(in.CurrentPosition());
    if (!has_length || length > bytes.size() - begin)
      refuse("the message at byte " + std::to_string(at) +
             " is longer than the file: copy the whole file, which is one rank's NAME.RANK.et");
    in.Skip(static_cast<int>(length));
    if (message == 0) continue;  // the metadata
    chakra::Node node;
    if (!node.ParseFromArray(bytes.data() + begin, static_cast<int>(length)))
      refuse("the message at byte " + std::to_string(at) +
             " is not a node of a Chakra trace: give a file of chakra_converter");
    if (node.type() < 1 || node.type() > static_cast<int>(ChakraType::collective))
      refuse("node " + std::to_string(node.id()) + " (" + node.name() +
             ") is of the unknown type " + std::to_string(node.type()) +
             ": known are 1 to 7 of Chakra's NodeType");
    nodes.push_back(node_of(node));
  }
  return nodes;
}

}  // namespace arlab::training
