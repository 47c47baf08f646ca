// NetworkText: the text of a network's file, whose errors name file and line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

class NetworkText {
 public:
  /// `name` is the file's. Byte order marks, carriage returns, and colors of terminals are dropped.
  NetworkText(std::string_view text, std::string name);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  std::vector<std::string_view> lines() const;

  /// Returns the number, from 1 on, of the line that holds this byte of text().
  std::size_t line_of(std::ptrdiff_t offset) const;

  /// Throws Error(usage): "NAME:LINE: what". The text ends with what to do.
  [[noreturn]] void wrong(std::size_t line, const std::string& what) const;

  /// Returns a whole number in [least, most]. `what` is what it counts.
  long whole(std::string_view word, std::size_t line, std::string_view what, long least,
             long most) const;

 private:
  std::string text_, name_;
};

/// Returns a word for a message: at most 40 characters of it, in quotes.
std::string in_quotes(std::string_view word);

}  // namespace arlab::bench
