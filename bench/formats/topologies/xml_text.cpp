#include "bench/formats/topologies/xml_text.hpp"

#include <fmt/format.h>

#include <cstring>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "simulator/topologies/import/parsed_graph.hpp"

namespace arlab::bench {

XmlText::XmlText(const NetworkText& text) : text_(text) {
  const pugi::xml_parse_result parsed = document_.load_buffer(
      text.text().data(), text.text().size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed)
    text.wrong(text.line_of(parsed.offset),
               fmt::format("the XML is broken ({}): mend it there", parsed.description()));
  for (const pugi::xml_node& node : document_.children()) {
    if (node.type() != pugi::node_element) continue;
    if (root_)
      wrong(node, fmt::format("a second first element <{}>: give one per file", node.name()));
    root_ = node;
  }
  check(document_, 0);
}

void XmlText::check(const pugi::xml_node& parent, int depth) const {
  for (const pugi::xml_node& node : parent.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata)
      wrong(
          parent.type() == pugi::node_element ? parent : root_,
          fmt::format("<{}> holds the text {}: remove it", parent.name(), in_quotes(node.value())));
    if (node.type() != pugi::node_element) continue;
    if (depth > simulator::kMostNested)
      wrong(node, fmt::format("it nests too deep: nest at most {} levels", simulator::kMostNested));
    for (pugi::xml_attribute one = node.first_attribute(); one; one = one.next_attribute())
      if (node.attribute(one.name()) != one)
        wrong(node,
              fmt::format("<{}> has {} twice: remove one", node.name(), in_quotes(one.name())));
    check(node, depth + 1);
  }
}

void XmlText::unknown(const pugi::xml_node& node) const {
  wrong(node, fmt::format("<{}> in <{}> is not read: remove it, or write the network as GraphML",
                          std::string_view(node.name()).substr(0, 40), node.parent().name()));
}

std::string_view XmlText::text(const pugi::xml_node& node, const char* name) const {
  const pugi::xml_attribute found = node.attribute(name);
  if (!found || found.value()[0] == '\0')
    wrong(node, fmt::format("<{}> has no '{}': add it", node.name(), name));
  return found.value();
}

long XmlText::whole(const pugi::xml_node& node, const char* name, long least, long most) const {
  return text_.whole(text(node, name), line_of(node), fmt::format("{} of <{}>", name, node.name()),
                     least, most);
}

double XmlText::number(const pugi::xml_node& node, const char* name, double least,
                       double most) const {
  const std::string_view word = text(node, name);
  double value = least - 1;
  try {
    value = parse_number(word, "");
  } catch (const Error&) {
  }
  if (value < least || value > most)
    wrong(node, fmt::format("{} of <{}> is {}: write a number from {} to {}", name, node.name(),
                            in_quotes(word), show_number(least), show_number(most)));
  return value;
}

}  // namespace arlab::bench
