#include "collectives/gloo/gloo_mesh.hpp"

#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/groups.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::collectives {
namespace {

// Gloo's ranks publish their addresses in a store. Every rank publishes the same number of times,
// in the same order, before it looks up: so each time is an exchange over the communicator.
class ExchangeStore final : public gloo::rendezvous::Store {
 public:
  explicit ExchangeStore(Communicator& control) : control_(control) {}

  void set(const std::string& key, const std::vector<char>& value) override {
    const std::vector<std::string> keys = share_all(control_, key);
    const std::vector<std::string> values = share_all(control_, {value.begin(), value.end()});
    for (std::size_t rank = 0; rank < keys.size(); ++rank)
      known_[keys[rank]].assign(values[rank].begin(), values[rank].end());
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
  Communicator& control_;
  std::map<std::string, std::vector<char>> known_;
};

gloo::transport::tcp::attr interface_for(Communicator& control) {
  const bool one = Groups(control.machines()).count() == 1;
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
    constexpr double kForever = 10 * 365 * 86400.0;  // 0 would be no time at all
    mesh->setTimeout(std::chrono::milliseconds(
        static_cast<std::int64_t>((patience > 0 ? std::min(patience, kForever) : kForever) * 1e3)));
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
