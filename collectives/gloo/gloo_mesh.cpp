#include "collectives/gloo/gloo_mesh.hpp"

#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::collectives {
namespace {

// Gloo's ranks publish their addresses in a store. Every rank publishes the same number of times, in the
// same order, before it looks up: so each time is an exchange over the communicator.
class ExchangeStore final : public gloo::rendezvous::Store {
 public:
  explicit ExchangeStore(Communicator& control) : control_(control) {}

  void set(const std::string& key, const std::vector<char>& value) override {
    for (const auto& [its_key, its_value] : all(key, value)) known_[its_key] = its_value;
  }
  std::vector<char> get(const std::string& key) override {
    wait({key});
    return known_.at(key);
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys)
      if (!known_.contains(key))
        fail(Blame::environment, "this version of Gloo looks for '" + key +
                                     "' before its ranks publish it: build without Gloo "
                                     "(-DARLAB_GLOO=OFF)");
  }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    wait(keys);
  }

 private:
  using Pairs = std::vector<std::pair<std::string, std::vector<char>>>;

  // Sends the bytes to all others. Rank r's are in element r.
  std::vector<std::vector<char>> exchanged(const std::vector<char>& mine,
                                           const std::vector<Count>& sizes) {
    std::vector<std::vector<char>> all(index(control_.ranks()));
    std::vector<char> sent = mine;  // messages are not const
    std::vector<ByteMessage> round;
    for (Rank peer = 0; peer < control_.ranks(); ++peer) {
      std::vector<char>& its = all[index(peer)];
      its.resize(static_cast<std::size_t>(sizes[index(peer)]));
      if (peer == control_.rank()) {
        its = mine;
        continue;
      }
      round.push_back({ActionKind::send, peer, std::as_writable_bytes(std::span(sent))});
      round.push_back({ActionKind::replace, peer, std::as_writable_bytes(std::span(its))});
    }
    transmit(control_, round);
    return all;
  }

  std::vector<std::vector<char>> exchanged(const std::vector<char>& mine) {
    const auto size = static_cast<Count>(mine.size());
    std::vector<char> encoded(sizeof size);
    std::memcpy(encoded.data(), &size, sizeof size);
    std::vector<Count> sizes;
    for (const std::vector<char>& its :
         exchanged(encoded, std::vector<Count>(index(control_.ranks()), Count{sizeof size}))) {
      std::memcpy(&sizes.emplace_back(), its.data(), sizeof size);
    }
    return exchanged(mine, sizes);
  }

  Pairs all(const std::string& key, const std::vector<char>& value) {
    const auto keys = exchanged({key.begin(), key.end()});
    const auto values = exchanged(value);
    Pairs pairs;
    for (std::size_t rank = 0; rank < keys.size(); ++rank)
      pairs.emplace_back(std::string(keys[rank].begin(), keys[rank].end()), values[rank]);
    return pairs;
  }

  Communicator& control_;
  std::map<std::string, std::vector<char>> known_;
};

gloo::transport::tcp::attr interface_for(Communicator& control) {
  const std::vector<Rank> machines = control.machines();
  const bool one = std::all_of(machines.begin(), machines.end(),
                               [&](Rank machine) { return machine == machines.front(); });
  gloo::transport::tcp::attr attr;
  if (const char* const chosen = std::getenv("GLOO_SOCKET_IFNAME"))  // as PyTorch
    attr.iface = chosen;
  else if (one)
    attr.hostname = "127.0.0.1";
  return attr;
}

}  // namespace

std::shared_ptr<gloo::Context> gloo_mesh(Communicator& control, double patience) {
  const gloo::transport::tcp::attr attr = interface_for(control);
  ExchangeStore store(control);
  try {
    std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(attr);
    auto mesh = std::make_shared<gloo::rendezvous::Context>(control.rank(), control.ranks());
    mesh->setTimeout(std::chrono::milliseconds(static_cast<std::int64_t>(patience * 1e3)));
    mesh->connectFullMesh(store, device);
    return mesh;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail(Blame::environment,
         std::string("Gloo cannot connect the ranks: ") + error.what() +
             (attr.iface.empty() ? "" : "; GLOO_SOCKET_IFNAME is " + attr.iface));
  }
}

}  // namespace arlab::collectives
