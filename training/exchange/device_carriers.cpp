#include "training/exchange/device_carriers.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/gpu/device_transport.hpp"

namespace arlab::training {
namespace {

/// Parts of equal size, which begin at multiples of 16 bytes.
std::vector<Count> equal_parts(std::span<const Count> sizes) {
  constexpr Count kBoundary = 16;
  const Count largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  const Count each = (largest + kBoundary - 1) / kBoundary * kBoundary;
  std::vector<Count> begins;
  for (std::size_t r = 0; r <= sizes.size(); ++r) begins.push_back(static_cast<Count>(r) * each);
  return begins;
}

class OverDevices {
 public:
  OverDevices(const VectorKernels& kernels, collectives::Executor& executor, const Routes& routes)
      : kernels_(kernels),
        executor_(executor),
        routes_(routes),
        ranks_(executor.control().ranks()),
        made_(kernels.device->make_event()) {}

  void allreduce(std::span<std::byte> code, collectives::Operand operand);
  void all_gather(std::span<const Count> begins, std::span<std::byte> all);
  void exchange(std::span<const collectives::ByteMessage> messages);
  CodeCarrier::Carried take_carried() { return std::exchange(carried_, {}); }

 private:
  void run(const Algorithm& algorithm, const Problem& problem, std::span<std::byte> data,
           collectives::Operand operand);

  const VectorKernels& kernels_;
  collectives::Executor& executor_;
  Routes routes_;
  Rank ranks_;
  collectives::DeviceEvent made_;  // the codes
  CodeCarrier::Carried carried_;
};

void OverDevices::run(const Algorithm& algorithm, const Problem& problem, std::span<std::byte> data,
                      collectives::Operand operand) {
  if (ranks_ == 1) return;
  kernels_.stream->record(made_);
  const auto done =
      executor_.expect_device().execute(&algorithm, problem, data.data(), operand, 1, {&made_, 1});
  carried_.sent.messages += done.sent.messages;
  carried_.sent.bytes +=
      done.sent.elements * static_cast<Count>(collectives::size_of(operand.dtype));
  carried_.seconds += done.seconds;
}

void OverDevices::allreduce(std::span<std::byte> code, collectives::Operand operand) {
  const auto elements = static_cast<Count>(code.size() / collectives::size_of(operand.dtype));
  run(*routes_.allreduce, {.ranks = ranks_, .elements = elements, .root = routes_.root}, code,
      operand);
}

void OverDevices::all_gather(std::span<const Count> begins, std::span<std::byte> all) {
  run(*routes_.all_gather,
      {.collective = Collective::all_gather, .ranks = ranks_, .elements = begins.back()}, all,
      {collectives::DType::byte, collectives::Op::sum});
}

void OverDevices::exchange(std::span<const collectives::ByteMessage> messages) {
  std::vector<collectives::SendRecv> calls;
  for (const collectives::ByteMessage& m : messages) {
    if (m.bytes.empty()) continue;
    const bool sends = m.kind == ActionKind::send;
    calls.push_back({sends, m.peer, m.bytes.data(), m.bytes.size()});
    if (!sends) continue;
    ++carried_.sent.messages;
    carried_.sent.bytes += static_cast<Count>(m.bytes.size());
  }
  kernels_.stream->record(made_);
  carried_.seconds += executor_.expect_device().exchange(calls, made_);
}

class OverHosts {
 public:
  OverHosts(const VectorKernels& kernels, collectives::Communicator& communicator,
            const Routes& routes)
      : kernels_(kernels),
        counted_(communicator),
        routes_(routes),
        host_(host_carrier(counted_, routes_)) {}

  void allreduce(std::span<std::byte> code, collectives::Operand operand);
  void all_gather(std::span<const Count> begins, std::span<std::byte> all);
  void exchange(std::span<const collectives::ByteMessage> messages);
  CodeCarrier::Carried take_carried();

 private:
  void reserve(std::size_t bytes);

  const VectorKernels& kernels_;
  collectives::CountingCommunicator counted_;
  CodeCarrier::Carried taken_;
  Routes routes_;
  CodeCarrier host_;
  collectives::DeviceMemory here_;
};

void OverHosts::reserve(std::size_t bytes) {
  if (here_.size() >= bytes) return;
  here_ = {};
  here_ = kernels_.device->allocate(bytes, collectives::MemoryKind::pinned);
}

void OverHosts::allreduce(std::span<std::byte> code, collectives::Operand operand) {
  reserve(code.size());
  const std::span<std::byte> here(here_.data(), code.size());
  kernels_.copy(here.data(), code.data(), code.size());
  kernels_.wait();
  host_.allreduce(here, operand);
  kernels_.copy(code.data(), here.data(), here.size());
}

void OverHosts::all_gather(std::span<const Count> begins, std::span<std::byte> all) {
  const auto me = static_cast<std::size_t>(counted_.rank());
  const auto first = static_cast<std::size_t>(begins[me]);
  const std::size_t bytes = static_cast<std::size_t>(begins[me + 1]) - first;
  reserve(all.size());
  kernels_.copy(here_.data() + first, all.data() + first, bytes);
  kernels_.wait();
  const std::span<std::byte> here(here_.data(), all.size());
  host_.all_gather(begins, here);
  kernels_.copy(all.data(), here.data(), here.size());
}

void OverHosts::exchange(std::span<const collectives::ByteMessage> messages) {
  std::size_t bytes = 0;
  for (const collectives::ByteMessage& m : messages) bytes += m.bytes.size();
  kernels_.wait();  // what was copied from here is there
  reserve(bytes);
  std::vector<collectives::ByteMessage> here(messages.begin(), messages.end());
  bytes = 0;
  for (collectives::ByteMessage& m : here) {
    const std::span<std::byte> there = m.bytes;
    m.bytes = {here_.data() + bytes, there.size()};
    bytes += there.size();
    if (m.kind == ActionKind::send) kernels_.copy(m.bytes.data(), there.data(), there.size());
  }
  kernels_.wait();
  host_.exchange(here);
  for (std::size_t i = 0; i < here.size(); ++i)
    if (here[i].kind != ActionKind::send)
      kernels_.copy(messages[i].bytes.data(), here[i].bytes.data(), here[i].bytes.size());
}

CodeCarrier::Carried OverHosts::take_carried() {
  const CodeCarrier::Carried now{counted_.sent(), counted_.seconds()};
  const CodeCarrier::Carried its{now.sent - taken_.sent, now.seconds - taken_.seconds};
  taken_ = now;
  return its;
}

template <class T>
CodeCarrier carrier_by(std::shared_ptr<T> its) {
  return {.allreduce = [its](std::span<std::byte> code,
                             collectives::Operand operand) { its->allreduce(code, operand); },
          .begins = equal_parts,
          .all_gather = [its](std::span<const Count> begins,
                              std::span<std::byte> all) { its->all_gather(begins, all); },
          .exchange = [its](std::span<const collectives::ByteMessage> m) { its->exchange(m); },
          .take_carried = [its] { return its->take_carried(); }};
}

}  // namespace

CodeCarrier device_carrier(const VectorKernels& kernels, collectives::Executor& executor,
                           const Routes& routes) {
  return carrier_by(std::make_shared<OverDevices>(kernels, executor, routes));
}

CodeCarrier staged_carrier(const VectorKernels& kernels, collectives::Communicator& communicator,
                           const Routes& routes) {
  return carrier_by(std::make_shared<OverHosts>(kernels, communicator, routes));
}

}  // namespace arlab::training
