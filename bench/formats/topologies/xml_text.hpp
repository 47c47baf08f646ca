// XmlText: XML whose elements know their line. Attributes are checked as they are read.
#pragma once

#include <initializer_list>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "bench/formats/topologies/network_text.hpp"

namespace arlab::bench {

class XmlText {
 public:
  /// Parses the text. Throws Error(usage) with the line for wrong syntax, a nesting of more than
  /// 100 levels, an attribute that an element has twice, and more than one first element.
  explicit XmlText(const NetworkText& text);

  pugi::xml_node root() const { return root_; }
  std::size_t line_of(const pugi::xml_node& node) const {
    return text_.line_of(node.offset_debug());
  }
  [[noreturn]] void wrong(const pugi::xml_node& node, const std::string& what) const {
    text_.wrong(line_of(node), what);
  }
  /// Throws for an element that the caller does not know.
  [[noreturn]] void unknown(const pugi::xml_node& node) const;

  /// Returns an attribute that the element must have.
  std::string_view text(const pugi::xml_node& node, const char* name) const;
  long whole(const pugi::xml_node& node, const char* name, long least, long most) const;
  /// Returns a number in [least, most].
  double number(const pugi::xml_node& node, const char* name, double least, double most) const;

 private:
  void check(const pugi::xml_node& parent, int depth) const;

  const NetworkText& text_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

}  // namespace arlab::bench
