#include "training/compressors/code_carrier.hpp"

#include "collectives/host/execute.hpp"

namespace arlab::training {

CodeCarrier host_carrier(collectives::Communicator& communicator, const Routes& routes) {
  CodeCarrier its;
  its.allreduce = [&](std::span<std::byte> code, collectives::Operand operand) {
    const Problem problem{
        .ranks = communicator.ranks(),
        .elements = static_cast<Count>(code.size() / collectives::size_of(operand.dtype)),
        .root = routes.root};
    collectives::execute(communicator, *routes.allreduce, problem, code, operand);
  };
  its.begins = collectives::offsets;
  its.all_gather = [&](std::span<const Count> begins, std::span<std::byte> all) {
    collectives::gather_parts(communicator, *routes.all_gather, begins, all);
  };
  its.exchange = [&](std::span<const collectives::ByteMessage> messages) {
    collectives::transmit(communicator, messages);
  };
  its.take_carried = [] { return CodeCarrier::Carried{}; };
  return its;
}

}  // namespace arlab::training
