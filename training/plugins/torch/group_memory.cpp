#include "training/plugins/torch/group_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

#include "algorithms/base/text.hpp"
#include "collectives/mpi/unnamed_file.hpp"

namespace arlab::training {

using collectives::UnnamedFile;

namespace {

constexpr const char* kFileKey = "arlab/memory";

void put(c10d::Store& store, const std::string& key, const std::string& text) {
  store.set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

// A store of a file looks into it again only if it is asked for a check.
std::string got(c10d::Store& store, const std::string& key) {
  store.check({key});
  const std::vector<std::uint8_t> bytes = store.get(key);
  return {bytes.begin(), bytes.end()};
}

std::string packed(const UnnamedFile& file) {
  return concat(file.process, " ", file.descriptor, " ", file.error, " ", file.device, " ",
                file.node);
}

UnnamedFile unpacked_file(const std::string& text) {
  std::istringstream in(text);
  UnnamedFile file;
  in >> file.process >> file.descriptor >> file.error >> file.device >> file.node;
  return file;
}

// A store may still hold what an earlier group of the same name has left. So what cannot be opened
// is looked up again, for a while.
template <class Look>
void look_again(Look found) {
  constexpr std::chrono::seconds kWhile{5};
  const auto end = std::chrono::steady_clock::now() + kWhile;
  while (!found() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

GroupMemory::GroupMemory(c10d::Store& store, Rank me, Rank ranks, std::size_t bytes)
    : bytes_(bytes) {
  UnnamedFile file;
  int descriptor = -1, error = 0;
  if (me == 0) {
    file = collectives::create_unnamed(bytes);
    descriptor = file.descriptor;
    error = file.error;
    put(store, kFileKey, packed(file));
  } else {
    look_again([&] {
      file = unpacked_file(got(store, kFileKey));
      descriptor = file.error == 0 ? open_unnamed(file) : -1;
      error = file.error != 0 ? file.error : descriptor < 0 ? errno : 0;
      return error == 0;
    });
  }
  if (error == 0 && !(data_ = collectives::map_unnamed(descriptor, bytes))) error = errno;
  const auto key = [](Rank rank) { return concat("arlab/mapped/", rank); };
  put(store, key(me), concat(file.node, " ", error));
  for (Rank rank = 0; rank < ranks; ++rank) {
    unsigned long node = 0;
    int its = 0;
    look_again([&] {
      std::istringstream(got(store, key(rank))) >> node >> its;
      return node == file.node;
    });
    if (node != file.node) its = ESTALE;
    if (its != 0 && error == 0) error = its;
  }
  if (descriptor >= 0) close(descriptor);
  if (error != 0) why_not_ = std::strerror(error);
}

GroupMemory::~GroupMemory() {
  if (data_) munmap(data_, bytes_);
}

}  // namespace arlab::training
