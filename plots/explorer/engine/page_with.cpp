#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "algorithms/base/error.hpp"
#include "plots/explorer/engine/answer.hpp"
#include "plots/explorer/engine/page.hpp"
#include "plots/explorer/engine/request.hpp"

namespace arlab::explorer {
namespace {

int digit(char hex) { return hex <= '9' ? hex - '0' : hex - 'a' + 10; }

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(hex.size() * 2 / 3 + 4);
  for (std::size_t i = 0; i < hex.size(); i += 6) {  // three bytes are four characters
    unsigned bits = 0;
    for (std::size_t k = 0; k < 6; ++k)
      bits = bits << 4 | static_cast<unsigned>(i + k < hex.size() ? digit(hex[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + 2 * k <= hex.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string page_with(const std::string& engine) {
  constexpr std::string_view kPlace = "/*ARLAB_ENGINE*/null/*END*/";
  std::string page(kPage);
  const std::size_t at = page.find(kPlace);
  expects(at != std::string::npos, "the explorer's page has no place for its engine");
  return page.replace(at, kPlace.size(), engine);
}

}  // namespace

std::string script_safe(const std::string& json) {
  std::string safe;
  for (const char c : json) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string page_with_module() {
  expects(has_module(), "no WebAssembly module was built in");
  return page_with("{\"module\":\"" + base64_of_hex(kModuleHex) + "\"}");
}

// The keys have the order in which the page writes them: see request() in engine.js.
std::string page_with_answers() {
  constexpr std::array<Rank, 8> kRanks{2, 3, 4, 5, 6, 7, 8, 16};
  constexpr Count kElements = 262'144;  // 1 MiB
  constexpr Rank kMostTrees = 6;        // ranks; the messages of more trees would fill the page
  std::vector<Json> requests{{{"ask", "catalog"}}};
  Json sizes = Json::array();
  for (Bytes bytes = 64; bytes <= 64 << 20; bytes *= 4) sizes.push_back(bytes);
  for (const Rank ranks : kRanks) {
    for (const Algorithm& a : algorithms()) {
      if (a.in_network || (a.forested && ranks > kMostTrees)) continue;
      const Layout layout = layout_of(a, ranks, {});
      const Problem problem = layout.on({.ranks = ranks, .elements = kElements});
      if (!unsupported(a, problem).empty()) continue;
      const Json run{
          {"ask", "run"}, {"algorithm", a.name}, {"ranks", ranks}, {"elements", kElements}};
      const std::size_t lanes = lanes_of(a, problem).size();
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        Json shown = run;
        if (lane > 0) shown["lane"] = lane;
        requests.push_back(shown);
        shown["pieces"] = true;
        if (a.chunks_per_rank) requests.push_back(shown);
      }
      requests.push_back(run);
      requests.back()["ask"] = "simulate";
    }
    requests.push_back({{"ask", "curve"}, {"ranks", ranks}, {"sizes", sizes}});
  }
  Json answers = Json::object();
  for (const Json& request : requests)
    answers[request.dump()] = Json::parse(answer(request.dump()));
  return page_with(
      script_safe(Json{{"answers", answers}, {"ranks", kRanks}, {"elements", kElements}}.dump()));
}

}  // namespace arlab::explorer
