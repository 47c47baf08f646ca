// DotWords: the words of a DOT file, as Graphviz reads them.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {

struct DotWord {
  enum class Kind {
    end,
    mark,   ///< { } [ ] ; , : = -- ->
    plain,  ///< an identifier without quotes, which may be a keyword
    value   ///< a number, a text in quotes, or HTML in angle brackets
  };
  Kind kind = Kind::end;
  std::string text;  ///< without quotes

  bool is_mark(std::string_view mark) const { return kind == Kind::mark && text == mark; }
  bool is_id() const { return kind == Kind::plain || kind == Kind::value; }
  /// Returns whether it is this keyword, in capitals or not.
  bool is_keyword(std::string_view word) const;
};

class DotWords {
 public:
  /// `name` is the file's, for messages. Keeps references to both.
  DotWords(std::string_view text, const std::string& name) : rest_(text), name_(name) { advance(); }

  const DotWord& word() const { return word_; }
  DotWord take() {
    DotWord taken = std::move(word_);
    advance();
    return taken;
  }
  bool take_mark(std::string_view mark) {
    if (!word_.is_mark(mark)) return false;
    advance();
    return true;
  }

  /// Throws Error(usage) that names the file, the line, the present word, and what to write there.
  [[noreturn]] void expected(std::string_view what) const;

 private:
  void advance();
  void skip_space();
  std::string quoted();
  std::string html();
  std::string number();
  [[noreturn]] void wrong(const std::string& what) const;

  std::string_view rest_;
  const std::string& name_;
  DotWord word_;
  int line_ = 1;             // of what follows
  bool line_starts_ = true;  // a line that begins with # is a comment
};

}  // namespace arlab::simulator
