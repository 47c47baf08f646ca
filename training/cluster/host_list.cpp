#include "training/cluster/host_list.hpp"

#include <algorithm>
#include <set>

#include "algorithms/base/error.hpp"
#include "training/cluster/text.hpp"

namespace arlab::training {
namespace {

constexpr std::size_t kMaxHosts = std::size_t{1} << 20;
constexpr Count kMaxSlots = 1 << 20;

// A list to parse, with its name for messages.
struct List {
  std::string_view text;
  const std::string& what;

  [[noreturn]] void wrong(const std::string& why) const {
    fail(Blame::usage, what + ' ' + in_quotes(text) + ": " + why);
  }
};

// Splits at commas outside brackets. Fails if brackets do not match or nest.
std::vector<std::string_view> split(const List& list) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= list.text.size(); ++i) {
    const char c = i < list.text.size() ? list.text[i] : ',';
    if (c == '[' && inside) list.wrong("a [ within brackets: brackets do not nest");
    if (c == ']' && !inside) list.wrong("a ] without a [");
    if (i == list.text.size() && inside) list.wrong("a [ without a ]");
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (c != ',' || inside) continue;
    parts.push_back(list.text.substr(begin, i - begin));
    if (parts.back().empty()) list.wrong("a name is missing next to a comma");
    begin = i + 1;
  }
  return parts;
}

// Returns the numbers in a pair of brackets, as texts: 006,011 or 3-4.
std::vector<std::string> numbers(std::string_view inside, const List& list) {
  std::vector<std::string> all;
  while (true) {
    const std::size_t comma = inside.find(',');
    const std::string_view item = inside.substr(0, comma);
    const std::size_t dash = item.find('-');
    const std::string_view low = item.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : item.substr(dash + 1);
    constexpr std::int64_t kMax = 1'000'000'000'000;
    const auto from = whole_number(low, kMax), to = whole_number(high, kMax);
    if (!from || !to) list.wrong(in_quotes(item) + " is neither a number nor a range such as 3-4");
    if (*to < *from) list.wrong("the range " + in_quotes(item) + " is descending");
    if (static_cast<std::size_t>(*to - *from) >= kMaxHosts - all.size())
      list.wrong("more than " + std::to_string(kMaxHosts) + " hosts");
    for (std::int64_t n = *from; n <= *to; ++n) {
      std::string digits = std::to_string(n);
      if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
      all.push_back(std::move(digits));
    }
    if (comma == std::string_view::npos) return all;
    inside.remove_prefix(comma + 1);
  }
}

bool fits_in_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

// Returns all names that one part of the list expands to.
std::vector<std::string> expand(std::string_view part, const List& list) {
  std::vector<std::string> names{""};
  while (!part.empty()) {
    const std::size_t open = part.find('[');
    const std::string_view plain = part.substr(0, open);
    if (!std::all_of(plain.begin(), plain.end(), fits_in_a_name))
      list.wrong(in_quotes(plain) + " is not a host name");
    for (std::string& name : names) name += plain;
    if (open == std::string_view::npos) break;
    const std::size_t close = part.find(']', open);
    const std::vector<std::string> endings = numbers(part.substr(open + 1, close - open - 1), list);
    if (endings.size() > kMaxHosts / names.size())
      list.wrong("more than " + std::to_string(kMaxHosts) + " hosts");
    std::vector<std::string> longer;
    longer.reserve(names.size() * endings.size());
    for (const std::string& name : names)
      for (const std::string& ending : endings) longer.push_back(name + ending);
    names = std::move(longer);
    part.remove_prefix(close + 1);
  }
  return names;
}

void append(std::vector<std::string>& all, std::vector<std::string> more, const List& list) {
  if (more.size() > kMaxHosts - all.size())
    list.wrong("more than " + std::to_string(kMaxHosts) + " hosts");
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

void check_twice(const std::vector<std::string>& hosts, const List& list) {
  std::set<std::string_view> seen;
  for (const std::string& host : hosts)
    if (!seen.insert(host).second) list.wrong("the host " + in_quotes(host) + " appears twice");
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view text, const std::string& what) {
  const List list{text, what};
  std::vector<std::string> hosts;
  for (const std::string_view part : split(list)) append(hosts, expand(part, list), list);
  check_twice(hosts, list);
  return hosts;
}

std::vector<Rank> expand_counts(std::string_view text, const std::string& what) {
  const List list{text, what};
  std::vector<Rank> counts;
  Count total = 0;
  for (const std::string_view part : split(list)) {
    const std::size_t open = part.find("(x");
    Count times = 1;
    if (open != std::string_view::npos) {
      if (part.back() != ')') list.wrong(in_quotes(part) + " is not a count such as 2 or 2(x3)");
      const std::string_view number = part.substr(open + 2, part.size() - open - 3);
      times = whole_number(number, static_cast<Count>(kMaxHosts)).value_or(0);
    }
    const auto count = whole_number(part.substr(0, open), kMaxSlots);
    if (!count || times < 1) list.wrong(in_quotes(part) + " is not a count such as 2 or 2(x3)");
    total += *count * times;
    if (counts.size() + static_cast<std::size_t>(times) > kMaxHosts || total > kMaxSlots)
      list.wrong("more than " + std::to_string(kMaxSlots) + " tasks");
    counts.insert(counts.end(), static_cast<std::size_t>(times), static_cast<Rank>(*count));
  }
  return counts;
}

}  // namespace arlab::training
