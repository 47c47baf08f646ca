// ChakraNode: a node of a Chakra execution trace (MLCommons), as protobuf encodes it; only
// protobuf/chakra_nodes.cpp includes protobuf.
//
// A file is a sequence of messages, each after its length as a varint: one GlobalMetadata, then a
// Node for each operator of one rank. https://github.com/mlcommons/chakra
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::training {

/// Chakra's NodeType.
enum class ChakraType {
  invalid,
  metadata,
  memory_load,
  memory_store,
  compute,
  send,
  receive,
  collective
};

struct ChakraNode {
  std::uint64_t id = 0;
  std::string name = {};
  ChakraType type = ChakraType::invalid;
  std::vector<std::uint64_t> needs =
      {};  ///< ids of data dependencies, which replay heeds (Chakra's feeder)
  std::uint64_t duration_us = 0;
  std::optional<std::int64_t> collective = {}, bytes = {};  ///< attributes comm_type and comm_size
  std::optional<bool> on_processor = {};                    ///< attribute is_cpu_op
};

/// Returns the nodes in the file's order. Throws Error(usage) that names `file`: for a message that
/// ends early or is no node, and an unknown type of node; Error(environment) in builds without
/// protobuf.
std::vector<ChakraNode> read_chakra(std::string_view bytes, const std::string& file);

/// The same for traces as JSON, which need no protobuf (chakra_json.cpp).
bool is_chakra_json(std::string_view text);
std::vector<ChakraNode> read_chakra_json(std::string_view text, const std::string& file);

}  // namespace arlab::training
