#include "training/exchange/collective_queue.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/patience.hpp"

namespace arlab::training {
namespace {

// Every backend has at least this many lanes; MPI has 32767.
constexpr int kLanes = 4096;

// Separates two consecutive steps, to detect a rank that is one step ahead.
int first_lane(const CollectiveId& id, int lanes) {
  const Count each = Count{id.bucket} * 64 + id.slice;
  const Count which = (each * 3 + static_cast<Count>(id.phase)) * 2 + id.step % 2;
  return static_cast<int>(which % std::max(1, kLanes / lanes)) * lanes;
}

// The leader's message: the number of slices, their collective, then three numbers per slice. If
// the slices do not fit, a second message holds the rest.
constexpr std::size_t kHead = 2, kSlices = 8;
constexpr Count kJob = -1;

void broadcast(collectives::Communicator& communicator, std::span<Count> words) {
  const Problem problem{.collective = Collective::broadcast,
                        .ranks = communicator.ranks(),
                        .elements = static_cast<Count>(words.size())};
  collectives::execute(communicator, find_algorithm("tree"), problem, std::as_writable_bytes(words),
                       {collectives::DType::int64, collectives::Op::sum});
}

}  // namespace

std::string name(const CollectiveId& id) {
  constexpr const char* kPhases[] = {"gradient", "weights", "statistics"};
  return "step " + std::to_string(id.step) + " bucket " + std::to_string(id.bucket) + " slice " +
         std::to_string(id.slice) + " " + kPhases[static_cast<int>(id.phase)];
}

Exchange::Exchange(collectives::Communicator& communicator, Route route, bool overlap)
    : communicator_(communicator),
      route_(std::move(route)),
      dispatcher_(communicator.clock(), overlap && communicator.ranks() > 1) {}

Exchange::Ticket Exchange::start(const CollectiveId& id, std::span<float> data, const Task& task) {
  return dispatcher_.start([this, id, data, task] { run(id, task, data); });
}

Exchange::Ticket Exchange::start(const CollectiveId& id, Codes codes) {
  return dispatcher_.start([this, id, codes = std::move(codes)] { run(id, codes); });
}

template <class Wait>
void Exchange::exposed(Wait wait) {
  const double begin = clock().now();
  const auto count = [&] {
    const std::lock_guard lock(mutex_);
    usage_.exposed += clock().now() - begin;
  };
  try {
    wait();
  } catch (...) {
    count();
    throw;
  }
  count();
}

void Exchange::wait(Ticket ticket) {
  exposed([&] { dispatcher_.wait(ticket); });
}
void Exchange::wait_for(int layer) {
  exposed([&] { dispatcher_.wait_for(layer); });
}
void Exchange::wait_for_all() {
  exposed([&] { dispatcher_.wait_for_all(); });
}

void Exchange::schedule(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
                        const Values& values, Dispatcher::Transmit transmit) {
  Dispatcher::Role role;
  if (communicator_.ranks() > 1 && communicator_.rank() == 0)
    role.broadcast_next = [this](const Bundle* bundle) { broadcast_next(bundle); };
  else if (communicator_.ranks() > 1)
    role.receive_next = [this] { return receive_next(); };
  dispatcher_.schedule(kind, profile, link, values, std::move(transmit), std::move(role));
}

void Exchange::run(const CollectiveId& id, const Task& task, std::span<float> data) {
  const double begin = clock().now();
  Cost sent;
  if (communicator_.ranks() > 1)
    sent = collectives::naming(
        [&] {
          return run_collective(communicator_, task.route, task.collective, task.root, data,
                                first_lane(id, task.route.lanes()));
        },
        [&] { return name(id); });
  note(id, begin, {.bytes = sent.elements * static_cast<Count>(sizeof(float))});
}

void Exchange::run_on_device(const CollectiveId& id, const Task& task, std::span<float> there,
                             std::span<const collectives::DeviceEvent> after) {
  collectives::DeviceRun done;
  if (communicator_.ranks() > 1)
    done = collectives::naming(
        [&] {
          return training::run_on_device(communicator_, task.route, task.collective, task.root,
                                         there, after);
        },
        [&] { return name(id); });
  note(id, clock().now() - done.seconds,
       {.bytes = done.sent.elements * static_cast<Count>(sizeof(float))});
}

void Exchange::run(const CollectiveId& id, const Codes& codes) {
  const double begin = clock().now();
  collectives::CountingCommunicator counted(communicator_);
  collectives::naming([&] { codes(counted); }, [&] { return name(id); });
  note(id, begin,
       {.codec = clock().now() - begin - counted.seconds(), .bytes = counted.sent().bytes});
}

void Exchange::note(const CollectiveId& id, double begin, const Usage& used) {
  const double end = clock().now();
  {
    const std::lock_guard lock(mutex_);
    usage_.seconds += end - begin;
    usage_.codec += used.codec;
    usage_.bytes += used.bytes;
    ++usage_.collectives;
  }
  if (observer_) observer_(id, begin, end, used.bytes);
}

void Exchange::broadcast_next(const Bundle* bundle) {
  const double begin = clock().now();
  std::vector<Count> words(kHead + 3 * kSlices);
  const std::size_t slices = bundle ? bundle->slices.size() : 0;
  words[0] = bundle ? static_cast<Count>(slices) : kJob;
  words[1] = bundle ? static_cast<Count>(bundle->collective) : 0;
  words.resize(std::max(words.size(), kHead + 3 * slices));
  for (std::size_t s = 0; s < slices; ++s) {
    const Slice& slice = bundle->slices[s];
    words[kHead + 3 * s] = slice.layer;
    words[kHead + 3 * s + 1] = slice.first;
    words[kHead + 3 * s + 2] = slice.elements;
  }
  const std::span all(words);
  broadcast(communicator_, all.first(kHead + 3 * kSlices));
  if (slices > kSlices) broadcast(communicator_, all.subspan(kHead + 3 * kSlices));
  const std::lock_guard lock(mutex_);
  usage_.seconds += clock().now() - begin;
}

std::optional<Bundle> Exchange::receive_next() {
  std::vector<Count> words(kHead + 3 * kSlices);
  broadcast(communicator_, words);
  if (words[0] == kJob) return {};
  const auto slices = static_cast<std::size_t>(words[0]);
  if (slices > kSlices) {
    words.resize(kHead + 3 * slices);
    broadcast(communicator_, std::span(words).subspan(kHead + 3 * kSlices));
  }
  Bundle bundle{static_cast<Collective>(words[1]), {}};
  for (std::size_t s = 0; s < slices; ++s)
    bundle.slices.push_back({static_cast<int>(words[kHead + 3 * s]), words[kHead + 3 * s + 1],
                             words[kHead + 3 * s + 2]});
  return bundle;
}

collectives::Communicator& Exchange::communicator() {
  expects(dispatcher_.is_idle(), "the communicator is used while a collective is in progress");
  return communicator_;
}

void Exchange::add_usage(double seconds, Count bytes, double codec) {
  const std::lock_guard lock(mutex_);
  usage_.seconds += seconds;
  usage_.exposed += seconds;
  usage_.codec += codec;
  usage_.bytes += bytes;
  ++usage_.collectives;
}

Exchange::Usage Exchange::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

}  // namespace arlab::training
