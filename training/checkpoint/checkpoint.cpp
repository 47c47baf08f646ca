#include "training/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "algorithms/base/error.hpp"
#include "training/io/crc32c.hpp"
#include "training/io/files.hpp"

namespace arlab::training {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

constexpr std::string_view kMagic = "ARLABCKP";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeader = 28, kSectionHead = 16, kSum = 4;
constexpr std::string_view kKinds[] = {"floats", "integers", "bytes", "JSON"};

template <class T>
void append(std::string& text, T number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// A file to write, as pieces, most of which are views of the checkpoint.
class File {
 public:
  explicit File(const Checkpoint& checkpoint)
      : header_(kMagic), sections_(checkpoint.sections.size()) {
    std::uint64_t length = kHeader;
    pieces.push_back({});
    for (std::size_t i = 0; i < sections_.size(); ++i)
      length += encode(checkpoint.sections[i], sections_[i]);
    append(header_, kVersion);
    append(header_, static_cast<std::uint32_t>(sections_.size()));
    append(header_, length);
    append(header_, crc32c(header_));
    pieces[0] = header_;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::vector<std::string_view> pieces;

 private:
  struct Encoded {
    std::string head, json, sum;
  };

  // Fills `e` and adds its pieces. Returns their size in bytes.
  std::uint64_t encode(const Section& s, Encoded& e) {
    std::string_view payload;
    if (const auto* floats = std::get_if<Floats>(&s.values)) payload = bytes_of(*floats);
    if (const auto* integers = std::get_if<Integers>(&s.values)) payload = bytes_of(*integers);
    if (const auto* bytes = std::get_if<std::string>(&s.values)) payload = *bytes;
    if (const auto* json = std::get_if<Json>(&s.values)) payload = e.json = json->dump();
    append(e.head, static_cast<std::uint32_t>(s.values.index()));
    append(e.head, static_cast<std::uint32_t>(s.name.size()));
    append(e.head, static_cast<std::uint64_t>(payload.size()));
    e.head += s.name;
    append(e.sum, crc32c(payload, crc32c(e.head)));
    pieces.insert(pieces.end(), {e.head, payload, e.sum});
    return e.head.size() + payload.size() + e.sum.size();
  }

  std::string header_;
  std::vector<Encoded> sections_;
};

template <class T>
std::vector<T> copied(std::string_view payload) {
  std::vector<T> values(payload.size() / sizeof(T));
  if (!payload.empty()) std::memcpy(values.data(), payload.data(), payload.size());
  return values;
}

// A file to read.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Checkpoint read() {
    const std::uint32_t sections = header();
    Checkpoint all;
    all.source = name_;
    for (std::uint32_t i = 0; i < sections; ++i) {
      Section s = section();
      if (all.find(s.name)) damaged("two sections are named '" + s.name + "'");
      all.sections.push_back(std::move(s));
    }
    if (at_ != bytes_.size()) damaged("data follow its last section");
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    fail(Blame::usage, "the checkpoint " + name_ + ' ' + why);
  }
  [[noreturn]] void damaged(const std::string& where) const {
    refuse("is damaged: " + where + ": use an earlier one");
  }

  std::uint32_t header() {
    if (bytes_.substr(0, kMagic.size()) != kMagic.substr(0, std::min(kMagic.size(), bytes_.size())))
      fail(Blame::usage,
           name_ + " is not a checkpoint of arlab: it does not start with " + std::string(kMagic));
    if (bytes_.size() < kHeader)
      refuse("is truncated: it has " + std::to_string(bytes_.size()) +
             " bytes, fewer than its header: use an earlier one");
    const auto version = number_at<std::uint32_t>(bytes_, 8);
    if (crc32c(bytes_.substr(0, kHeader - kSum)) !=
        number_at<std::uint32_t>(bytes_, kHeader - kSum))
      damaged("the checksum of its header is wrong");
    if (version != kVersion)
      refuse("has version " + std::to_string(version) + ", but this program reads version " +
             std::to_string(kVersion) + ": use the arlab that wrote it");
    const auto length = number_at<std::uint64_t>(bytes_, 16);
    if (bytes_.size() != length)
      refuse(std::string(bytes_.size() < length ? "is truncated" : "is too long") + ": it has " +
             std::to_string(bytes_.size()) + " of " + std::to_string(length) +
             " bytes: use an earlier one");
    at_ = kHeader;
    return number_at<std::uint32_t>(bytes_, 12);
  }

  // Returns the next bytes; fails if there are fewer.
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) damaged("a section runs beyond its end");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  Section section() {
    const std::size_t begin = at_;
    const std::string_view head = take(kSectionHead);
    const auto kind = number_at<std::uint32_t>(head, 0);
    Section s{std::string(take(number_at<std::uint32_t>(head, 4))), {}};
    const std::string_view payload = take(number_at<std::uint64_t>(head, 8));
    const std::uint32_t sum = crc32c(bytes_.substr(begin, at_ - begin));
    const auto where = [&] { return "section '" + s.name + "'"; };
    if (number_at<std::uint32_t>(take(kSum), 0) != sum)
      damaged("the checksum of " + where() + " is wrong");
    const std::size_t width = kind == 0 ? sizeof(float) : kind == 1 ? sizeof(std::int64_t) : 1;
    if (kind >= std::size(kKinds)) damaged(where() + " has an unknown kind");
    if (payload.size() % width != 0) damaged(where() + " ends in the middle of a number");
    if (kind == 0) s.values = copied<float>(payload);
    if (kind == 1) s.values = copied<std::int64_t>(payload);
    if (kind == 2) s.values = std::string(payload);
    if (kind == 3) {
      auto json = parse_json(payload);
      if (!json) damaged(where() + " is not JSON");
      s.values = std::move(*json);
    }
    return s;
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

template <class T>
const T& get(const Checkpoint& c, std::string_view name, std::size_t kind) {
  const Section* s = c.find(name);
  if (!s) {
    std::string there;
    for (const Section& other : c.sections) there += (there.empty() ? "" : ", ") + other.name;
    fail(Blame::usage,
         c.source + " has no section '" + std::string(name) + "', only " +
             (there.empty() ? "none at all" : there) +
             ": use a checkpoint of the same model and strategy, with more than weights");
  }
  if (s->values.index() != kind)
    fail(Blame::usage, c.source + " has " + std::string(kKinds[s->values.index()]) +
                           " in section '" + s->name + "', not " + std::string(kKinds[kind]) +
                           ": use a checkpoint of the same model and strategy");
  return *std::get_if<T>(&s->values);
}

}  // namespace

void Checkpoint::add(std::string name, SectionValues values) {
  expects(!find(name), "two sections of a checkpoint have the same name");
  sections.push_back({std::move(name), std::move(values)});
}

const Section* Checkpoint::find(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& s) { return s.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

const Floats& Checkpoint::floats(std::string_view name) const {
  return get<Floats>(*this, name, 0);
}
const Integers& Checkpoint::integers(std::string_view name) const {
  return get<Integers>(*this, name, 1);
}
const std::string& Checkpoint::bytes(std::string_view name) const {
  return get<std::string>(*this, name, 2);
}
const Json& Checkpoint::json(std::string_view name) const { return get<Json>(*this, name, 3); }

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  const File file(checkpoint);
  std::string all;
  for (const std::string_view piece : file.pieces) all += piece;
  return all;
}

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  write_atomically(path, File(checkpoint).pieces);
}

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name) {
  return Reader(bytes, name).read();
}

Checkpoint read_checkpoint(const std::string& path) {
  return parse_checkpoint(read_whole(path, "use a checkpoint or a folder of checkpoints"), path);
}

}  // namespace arlab::training
