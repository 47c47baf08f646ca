#include "training/checkpoint/sections.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "algorithms/base/error.hpp"
#include "training/io/crc32c.hpp"

namespace arlab::training {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

constexpr std::string_view kMagic = "ARLABCKP";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeader = 28, kSectionHead = 16, kSum = 4;

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

}  // namespace

SectionFile::SectionFile(std::span<const SectionView> sections)
    : header_(kMagic), frames_(sections.size()), size_(kHeader) {
  pieces_.push_back({});
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const SectionView& s = sections[i];
    auto& [head, sum] = frames_[i];
    append(head, static_cast<std::uint32_t>(s.kind));
    append(head, static_cast<std::uint32_t>(s.name.size()));
    append(head, static_cast<std::uint64_t>(s.payload.size()));
    head += s.name;
    append(sum, crc32c(s.payload, crc32c(head)));
    seal_ = crc32c(sum, crc32c(head, seal_));
    pieces_.insert(pieces_.end(), {head, s.payload, sum});
    size_ += head.size() + s.payload.size() + sum.size();
  }
  append(header_, kVersion);
  append(header_, static_cast<std::uint32_t>(sections.size()));
  append(header_, size_);
  append(header_, crc32c(header_));
  pieces_[0] = header_;
}

SectionReader::SectionReader(const ByteSource& source, const std::string& name)
    : source_(source), name_(name) {
  header();
}

void SectionReader::refuse(const std::string& why) const {
  fail(Blame::usage, "the checkpoint " + name_ + ' ' + why);
}

void SectionReader::damaged(const std::string& where) const {
  refuse("is damaged: " + where + ": use an earlier one");
}

std::string SectionReader::bytes(std::uint64_t at, std::uint64_t count) const {
  std::string text(count, '\0');
  source_.read(at, text);
  return text;
}

void SectionReader::header() {
  const std::string text = bytes(0, std::min<std::uint64_t>(source_.size, kHeader));
  if (text.substr(0, kMagic.size()) != kMagic.substr(0, std::min(kMagic.size(), text.size())))
    fail(Blame::usage,
         name_ + " is not a checkpoint of arlab: it does not start with " + std::string(kMagic));
  if (text.size() < kHeader)
    refuse("is truncated: it has " + std::to_string(text.size()) +
           " bytes, fewer than its header: use an earlier one");
  const auto version = number_at<std::uint32_t>(text, 8);
  if (crc32c(text.substr(0, kHeader - kSum)) != number_at<std::uint32_t>(text, kHeader - kSum))
    damaged("the checksum of its header is wrong");
  if (version != kVersion)
    refuse("has version " + std::to_string(version) + ", but this program reads version " +
           std::to_string(kVersion) + ": use the arlab that wrote it");
  const auto length = number_at<std::uint64_t>(text, 16);
  if (source_.size != length)
    refuse(std::string(source_.size < length ? "is truncated" : "is too long") + ": it has " +
           std::to_string(source_.size) + " of " + std::to_string(length) +
           " bytes: use an earlier one");
  left_ = number_at<std::uint32_t>(text, 12);
  at_ = kHeader;
}

SectionHead SectionReader::next() {
  const auto expect_room = [&](std::uint64_t count) {
    if (count > source_.size - at_) damaged("a section runs beyond its end");
  };
  SectionHead head;
  head.begin = at_;
  expect_room(kSectionHead);
  const std::string numbers = bytes(at_, kSectionHead);
  at_ += kSectionHead;
  head.kind = number_at<std::uint32_t>(numbers, 0);
  const auto name = number_at<std::uint32_t>(numbers, 4);
  expect_room(name);
  head.name = bytes(at_, name);
  head.payload = at_ += name;
  head.size = number_at<std::uint64_t>(numbers, 8);
  expect_room(head.size);
  at_ += head.size;
  expect_room(kSum);
  seal_ = crc32c(bytes(at_, kSum), crc32c(head.name, crc32c(numbers, seal_)));
  at_ += kSum;
  --left_;
  return head;
}

void SectionReader::read(const SectionHead& s, std::span<char> payload) const {
  source_.read(s.payload, payload);
  const std::uint32_t sum = crc32c(std::string_view(payload.data(), payload.size()),
                                   crc32c(bytes(s.begin, s.payload - s.begin)));
  if (number_at<std::uint32_t>(bytes(s.payload + s.size, kSum), 0) != sum)
    damaged("the checksum of section '" + s.name + "' is wrong");
}

std::string SectionReader::read(const SectionHead& section) const {
  std::string payload(section.size, '\0');
  read(section, payload);
  return payload;
}

void SectionReader::finish() const {
  if (at_ != source_.size) damaged("data follow its last section");
}

}  // namespace arlab::training
