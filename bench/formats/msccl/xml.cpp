#include "bench/formats/msccl/xml.hpp"

#include <fmt/format.h>

#include <cstring>
#include <pugixml.hpp>
#include <sstream>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"
#include "algorithms/base/stop.hpp"

namespace arlab::bench {
namespace {

constexpr int kMostGpus = 4096, kMostChunks = 1 << 20;

// Reads attributes and children; `where` says of what.
class XmlReader {
 public:
  explicit XmlReader(const std::string& path) : path_(path) {}

  [[noreturn]] void wrong(const std::string& where, const std::string& what) const {
    fail(Blame::usage, path_ + ": " + (where.empty() ? "" : where + ": ") + what);
  }

  std::string text(const pugi::xml_node& node, const char* name, const std::string& where) const {
    const pugi::xml_attribute found = node.attribute(name);
    if (!found) wrong(where, fmt::format("has no attribute \"{}\"", name));
    return found.value();
  }
  int number(const pugi::xml_node& node, const char* name, int least, int most,
             const std::string& where) const {
    const std::string given = text(node, name, where);
    const auto value = read_number<int>(given);
    if (!value || *value < least || *value > most)
      wrong(where, fmt::format("\"{}\" is '{}': give a whole number from {} to {}", name,
                               given.substr(0, 40), least, most));
    return *value;
  }
  int number_or(const pugi::xml_node& node, const char* name, int usual, int least, int most,
                const std::string& where) const {
    return node.attribute(name) ? number(node, name, least, most, where) : usual;
  }
  // Calls use(child) for all children, which have this name and, in order, the numbers from 0 on.
  template <class Use>
  void for_each(const pugi::xml_node& parent, const char* name, const char* number_name,
                const std::string& where, Use use) const {
    int next = 0;
    for (const pugi::xml_node& child : parent.children()) {
      if (child.type() == pugi::node_comment) continue;
      if (child.type() != pugi::node_element || std::strcmp(child.name(), name) != 0)
        wrong(where, fmt::format("holds '{}', not only '{}'",
                                 std::string_view(child.name()).substr(0, 40), name));
      const std::string here =
          fmt::format("{}{}{} {}", where, where.empty() ? "" : ", ", name, next);
      if (number(child, number_name, 0, kMostChunks, here) != next)
        wrong(here, fmt::format("\"{}\" is {}: number them from 0 on, in order", number_name,
                                text(child, number_name, here)));
      ++next;
      use(child, here);
    }
  }

 private:
  const std::string& path_;
};

char read_buffer(const XmlReader& read, const pugi::xml_node& step, const char* name,
                 const std::string& where) {
  const std::string text = read.text(step, name, where);
  if (text != "i" && text != "o" && text != "s")
    read.wrong(where, fmt::format("\"{}\" is '{}': use i, o or s", name, text.substr(0, 40)));
  return text[0];
}

MscclStep read_step(const XmlReader& read, const pugi::xml_node& node, const MscclGpu& gpu,
                    const std::string& where) {
  using Kind = MscclStep::Kind;
  MscclStep step;
  const std::string kind = read.text(node, "type", where);
  std::size_t number = 0;
  while (number < MscclStep::kKinds.size() && MscclStep::kKinds[number] != kind) ++number;
  if (number == MscclStep::kKinds.size())
    read.wrong(where, fmt::format("\"type\" is '{}': this reader knows {}", kind.substr(0, 40),
                                  fmt::join(MscclStep::kKinds, ", ")));
  step.kind = static_cast<Kind>(number);
  step.awaited_block = read.number_or(node, "depid", -1, -1, kMostChunks, where);
  step.awaited_step = read.number_or(node, "deps", -1, -1, kMostChunks, where);
  if ((step.awaited_block < 0) != (step.awaited_step < 0))
    read.wrong(where, "has only one of \"depid\" and \"deps\": give both, or -1 for none");
  step.is_awaited = read.number_or(node, "hasdep", 0, 0, 1, where) == 1;
  if (step.kind == Kind::nop) return step;
  step.count = read.number(node, "cnt", 1, kMostChunks, where);
  const auto place = [&](const char* buffer, const char* offset, char& into, int& at) {
    into = read_buffer(read, node, buffer, where);
    at = read.number(node, offset, 0, kMostChunks, where);
    const int size = into == 'i' ? gpu.input : into == 'o' ? gpu.output : gpu.scratch;
    if (at + step.count > size)
      read.wrong(where, fmt::format("\"{}\" is {} and \"cnt\" {}, but buffer {} has {} chunks",
                                    offset, at, step.count, into, size));
  };
  if (step.kind != Kind::r && step.kind != Kind::rcs)
    place("srcbuf", "srcoff", step.source, step.source_at);
  if (step.kind != Kind::s && step.kind != Kind::rrs)
    place("dstbuf", "dstoff", step.target, step.target_at);
  return step;
}

MscclGpu read_gpu(const XmlReader& read, const pugi::xml_node& node, const std::string& here,
                  int gpus, int channels) {
  MscclGpu gpu;
  gpu.input = read.number(node, "i_chunks", 0, kMostChunks, here);
  gpu.output = read.number(node, "o_chunks", 0, kMostChunks, here);
  gpu.scratch = read.number(node, "s_chunks", 0, kMostChunks, here);
  read.for_each(node, "tb", "id", here, [&](const pugi::xml_node& tb, const std::string& at) {
    MscclBlock block;
    block.send = read.number(tb, "send", -1, gpus - 1, at);
    block.receive = read.number(tb, "recv", -1, gpus - 1, at);
    block.channel = read.number_or(tb, "chan", 0, 0, channels - 1, at);
    read.for_each(tb, "step", "s", at, [&](const pugi::xml_node& step, const std::string& in) {
      const MscclStep made = read_step(read, step, gpu, in);
      if (made.sends() && block.send < 0) read.wrong(in, "sends, but its tb has \"send\" -1");
      if (made.receives() && block.receive < 0)
        read.wrong(in, "receives, but its tb has \"recv\" -1");
      block.steps.push_back(made);
    });
    gpu.blocks.push_back(std::move(block));
  });
  return gpu;
}

// No block is its own peer, and each step waits for one that exists.
void check_blocks(const MscclProgram& program, const XmlReader& read) {
  for (std::size_t g = 0; g < program.gpus.size(); ++g)
    for (std::size_t b = 0; b < program.gpus[g].blocks.size(); ++b) {
      const MscclBlock& block = program.gpus[g].blocks[b];
      if (block.send == static_cast<int>(g) || block.receive == static_cast<int>(g))
        read.wrong(fmt::format("gpu {}, tb {}", g, b), "has itself as peer");
      for (std::size_t s = 0; s < block.steps.size(); ++s) {
        const MscclStep& step = block.steps[s];
        if (step.awaited_block < 0) continue;
        const auto& blocks = program.gpus[g].blocks;
        if (step.awaited_block >= static_cast<int>(blocks.size()) ||
            step.awaited_step >=
                static_cast<int>(blocks[static_cast<std::size_t>(step.awaited_block)].steps.size()))
          read.wrong(fmt::format("gpu {}, tb {}, step {}", g, b, s),
                     fmt::format("waits for step {} of tb {}, which does not exist",
                                 step.awaited_step, step.awaited_block));
      }
    }
}

}  // namespace

MscclProgram parse_msccl(const std::string& text, const std::string& path) {
  const XmlReader read(path);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_doctype);
  if (!parsed)
    read.wrong("", fmt::format("is not XML ({}, at byte {})", parsed.description(), parsed.offset));
  for (const pugi::xml_node& node : document.children())
    if (node.type() == pugi::node_doctype)
      read.wrong("", "has a document type, which such files do not need: remove it");
  const pugi::xml_node algo = document.document_element();
  if (std::strcmp(algo.name(), "algo") != 0)
    read.wrong("", fmt::format("begins with '{}', not with 'algo'",
                               std::string_view(algo.name()).substr(0, 40)));
  MscclProgram program;
  program.name = algo.attribute("name").value();
  program.collective = read.text(algo, "coll", "algo");
  const int gpus = read.number(algo, "ngpus", 1, kMostGpus, "algo");
  program.chunks = read.number(algo, "nchunksperloop", 1, kMostChunks, "algo");
  program.in_place = read.number_or(algo, "inplace", 1, 0, 1, "algo") == 1;
  program.root = read.number_or(algo, "root", 0, 0, gpus - 1, "algo");
  const int channels = read.number_or(algo, "nchannels", kMostChunks, 1, kMostChunks, "algo");
  read.for_each(algo, "gpu", "id", "", [&](const pugi::xml_node& node, const std::string& here) {
    program.gpus.push_back(read_gpu(read, node, here, gpus, channels));
  });
  if (static_cast<int>(program.gpus.size()) != gpus)
    read.wrong("algo", fmt::format("\"ngpus\" is {}, but there are {}", gpus, program.gpus.size()));
  check_blocks(program, read);
  return program;
}

std::string to_xml(const MscclProgram& program) {
  pugi::xml_document document;
  pugi::xml_node algo = document.append_child("algo");
  int channels = 1;
  for (const MscclGpu& gpu : program.gpus)
    for (const MscclBlock& block : gpu.blocks) channels = std::max(channels, block.channel + 1);
  const auto set = [](pugi::xml_node& node, const char* name, auto value) {
    node.append_attribute(name) = value;
  };
  set(algo, "name", program.name.c_str());
  set(algo, "proto", "Simple");
  set(algo, "nchannels", channels);
  set(algo, "nchunksperloop", program.chunks);
  set(algo, "ngpus", static_cast<int>(program.gpus.size()));
  set(algo, "coll", program.collective.c_str());
  set(algo, "inplace", program.in_place ? 1 : 0);
  set(algo, "outofplace", program.in_place ? 0 : 1);
  set(algo, "minBytes", 0);
  set(algo, "maxBytes", 0);
  if (program.root != 0) set(algo, "root", program.root);
  int id = 0;
  for (const MscclGpu& gpu : program.gpus) {
    stop_if_asked();
    pugi::xml_node node = algo.append_child("gpu");
    set(node, "id", id++);
    set(node, "i_chunks", gpu.input);
    set(node, "o_chunks", gpu.output);
    set(node, "s_chunks", gpu.scratch);
    int number = 0;
    for (const MscclBlock& block : gpu.blocks) {
      pugi::xml_node tb = node.append_child("tb");
      set(tb, "id", number++);
      set(tb, "send", block.send);
      set(tb, "recv", block.receive);
      set(tb, "chan", block.channel);
      int position = 0;
      for (const MscclStep& s : block.steps) {
        pugi::xml_node step = tb.append_child("step");
        const auto buffer = [&](const char* name, char which) {
          const char text[] = {which, '\0'};
          set(step, name, text);
        };
        set(step, "s", position++);
        set(step, "type", std::string(MscclStep::kKinds[static_cast<std::size_t>(s.kind)]).c_str());
        buffer("srcbuf", s.source);
        set(step, "srcoff", s.source_at);
        buffer("dstbuf", s.target);
        set(step, "dstoff", s.target_at);
        set(step, "cnt", s.count);
        set(step, "depid", s.awaited_block);
        set(step, "deps", s.awaited_step);
        set(step, "hasdep", s.is_awaited ? 1 : 0);
      }
    }
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent | pugi::format_no_declaration);
  return std::move(out).str();
}

}  // namespace arlab::bench
