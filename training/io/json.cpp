#include "training/io/json.hpp"

#include <nlohmann/json.hpp>

#include "algorithms/base/printable.hpp"

namespace arlab::training {

std::optional<Json> parse_json(std::string_view text) {
  constexpr int kMaxDepth = 64;
  struct TooDeep {};
  const auto check = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw TooDeep();
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const TooDeep&) {
    return std::nullopt;
  }
}

std::string json_text(const Json& json, int indent) {
  const auto text = [&](bool ascii) {
    return json.dump(indent, ' ', ascii, Json::error_handler_t::replace);
  };
  std::string plain = text(false);
  return printable_lines(plain) == plain ? plain : text(true);
}

}  // namespace arlab::training
