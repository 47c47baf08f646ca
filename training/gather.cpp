#include "training/gather.hpp"

#include <cstdint>
#include <cstring>

namespace arlab {

std::vector<std::string> gather(Communicator& communicator, const std::string& text) {
  constexpr Operand kWords{DType::int32, Op::sum};
  const Rank me = communicator.rank();
  std::vector<std::string> all;
  if (me == 0) all.push_back(text);
  for (Rank from = 1; from < communicator.ranks(); ++from) {
    const Count length = communicator.sum(from == me ? static_cast<Count>(text.size()) : 0);
    std::vector<std::int32_t> words(static_cast<std::size_t>((length + 3) / 4));
    auto* const bytes = reinterpret_cast<std::byte*>(words.data());
    const auto count = static_cast<Count>(words.size());
    if (from == me) std::memcpy(bytes, text.data(), text.size());
    if (count > 0 && (me == 0 || me == from)) {
      const Transfer round[] = {me == 0 ? Transfer{Verb::replace, from, bytes, count}
                                        : Transfer{Verb::send, 0, bytes, count}};
      communicator.start(0, round, kWords);
      communicator.wait();
    }
    if (me == 0)
      all.emplace_back(reinterpret_cast<const char*>(words.data()),
                       static_cast<std::size_t>(length));
  }
  return all;
}

}  // namespace arlab
