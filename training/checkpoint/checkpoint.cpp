#include "training/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "algorithms/base/error.hpp"
#include "collectives/files/output_file.hpp"
#include "training/checkpoint/sections.hpp"

namespace arlab::training {
namespace {

constexpr std::string_view kKinds[] = {"floats", "integers", "bytes", "JSON"};

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// The sections of a checkpoint as views of it, and of its JSON as text.
struct Views {
  explicit Views(const Checkpoint& checkpoint) {
    for (const Section& s : checkpoint.sections) {
      std::string_view payload;
      if (const auto* floats = std::get_if<Floats>(&s.values)) payload = bytes_of(*floats);
      if (const auto* integers = std::get_if<Integers>(&s.values)) payload = bytes_of(*integers);
      if (const auto* bytes = std::get_if<std::string>(&s.values)) payload = *bytes;
      if (const auto* json = std::get_if<Json>(&s.values))
        payload = texts.emplace_back(json->dump());
      sections.push_back({static_cast<SectionKind>(s.values.index()), s.name, payload});
    }
  }

  std::deque<std::string> texts;
  std::vector<SectionView> sections;
};

template <class T>
std::vector<T> numbers(const SectionReader& reader, const SectionHead& head) {
  std::vector<T> values(head.size / sizeof(T));
  reader.read(head, {reinterpret_cast<char*>(values.data()), values.size() * sizeof(T)});
  return values;
}

SectionValues values_of(const SectionReader& reader, const SectionHead& head) {
  const auto kind = static_cast<SectionKind>(head.kind);
  const std::size_t width = kind == SectionKind::floats     ? sizeof(float)
                            : kind == SectionKind::integers ? sizeof(std::int64_t)
                                                            : 1;
  if (head.size % width == 0) {
    if (kind == SectionKind::floats) return numbers<float>(reader, head);
    if (kind == SectionKind::integers) return numbers<std::int64_t>(reader, head);
  }
  std::string text = reader.read(head);
  const std::string where = "section '" + head.name + "'";
  if (head.kind >= std::size(kKinds)) reader.damaged(where + " has an unknown kind");
  if (head.size % width != 0) reader.damaged(where + " ends in the middle of a number");
  if (kind == SectionKind::bytes) return text;
  auto json = parse_json(text);
  if (!json) reader.damaged(where + " is not JSON");
  return std::move(*json);
}

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
std::int64_t Checkpoint::count(std::string_view name) const {
  const Integers& all = integers(name);
  if (all.size() == 1 && all.front() >= 0) return all.front();
  fail(Blame::usage, source + " has " +
                         (all.size() == 1 ? "the number " + std::to_string(all.front())
                                          : std::to_string(all.size()) + " numbers") +
                         " in section '" + std::string(name) +
                         "', not one of 0 or more: use another checkpoint");
}

const std::string& Checkpoint::bytes(std::string_view name) const {
  return get<std::string>(*this, name, 2);
}
const Json& Checkpoint::json(std::string_view name) const { return get<Json>(*this, name, 3); }

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  const Views views(checkpoint);
  const SectionFile file(views.sections);
  std::string all;
  for (const std::string_view piece : file.pieces()) all += piece;
  return all;
}

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const Views views(checkpoint);
  collectives::write_atomically(path, SectionFile(views.sections).pieces());
}

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name) {
  const ByteSource source = in_memory(bytes);
  SectionReader reader(source, name);
  Checkpoint all;
  all.source = name;
  while (reader.more()) {
    const SectionHead head = reader.next();
    SectionValues values = values_of(reader, head);
    if (all.find(head.name)) reader.damaged("two sections are named '" + head.name + "'");
    all.sections.push_back({head.name, std::move(values)});
  }
  reader.finish();
  return all;
}

Checkpoint read_checkpoint(const std::string& path) {
  return parse_checkpoint(read_whole(path, "use a checkpoint or a folder of checkpoints"), path);
}

}  // namespace arlab::training
