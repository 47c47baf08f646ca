// Mails: messages on their way to ranks, and lists of them, from one pool.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/network.hpp"
#include "simulator/sweep/origins.hpp"

namespace arlab::simulator {

inline constexpr std::uint32_t kNoMail = ~std::uint32_t{0};

struct Mail {  // a message that has left
  Time arrival = kNever;
  Origin sent{};
  Rank source = 0;
  std::uint32_t size = 0, depth = 0;  // of the sender's round
  std::uint32_t next = kNoMail;       // in its list
};

/// The messages that have not arrived at a rank, in the order of their arrivals, and of those that
/// arrive together in the order of their origins. The first is in the slot.
struct Inbox {
  Mail slot;  // empty if its arrival is kNever; the others follow it as a list
};

class Mails {
 public:
  /// origins: of the messages. Must outlive this.
  explicit Mails(const Origins& origins) : origins_(origins) {}

  // Both ways to add a message return false if the list is so long that searches take too long.

  bool put(Inbox& inbox, const Mail& mail) {
    if (inbox.slot.arrival == kNever) {
      inbox.slot = mail;
      inbox.slot.next = kNoMail;
    } else if (is_before(mail, inbox.slot)) {
      const std::uint32_t second = store(inbox.slot);
      inbox.slot = mail;
      inbox.slot.next = second;
    } else {
      return insert(inbox, store(mail));
    }
    return true;
  }

  /// Returns when the source's latest message in the inbox arrives: that time or `arrival`,
  /// whichever is later.
  Time after_others(const Inbox& inbox, Rank source, Time arrival) const {
    if (inbox.slot.arrival == kNever) return arrival;
    for (const Mail* mail = &inbox.slot;; mail = &all_[mail->next]) {
      if (mail->source == source) arrival = std::max(arrival, mail->arrival);
      if (mail->next == kNoMail) return arrival;
    }
  }

  /// Removes and returns the first message of an inbox that is not empty.
  Mail take(Inbox& inbox) {
    const Mail first = inbox.slot;
    if (first.next == kNoMail) {
      inbox.slot.arrival = kNever;
    } else {
      inbox.slot = all_[first.next];
      release(first.next);
    }
    return first;
  }

  Mail& operator[](std::uint32_t i) { return all_[i]; }

  /// Stores the message at the end of the list.
  bool append(std::uint32_t& list, Mail mail) {
    mail.next = kNoMail;
    const std::uint32_t i = store(mail);
    int passed = 0;
    std::uint32_t* last = &list;
    for (; *last != kNoMail; ++passed) last = &all_[*last].next;
    *last = i;
    return passed <= kLongest;
  }

  /// Removes and returns the message at this place of a list.
  Mail take_at(std::uint32_t& place) {
    const std::uint32_t i = place;
    const Mail mail = all_[i];
    place = mail.next;
    release(i);
    return mail;
  }

 private:
  static constexpr int kLongest = 256;

  bool is_before(const Mail& a, const Mail& b) const {
    if (a.arrival != b.arrival) return a.arrival < b.arrival;
    return origins_.order(a.sent, b.sent) < 0;
  }

  bool insert(Inbox& inbox, std::uint32_t i) {
    int passed = 0;
    std::uint32_t* place = &inbox.slot.next;
    for (; *place != kNoMail && !is_before(all_[i], all_[*place]); ++passed)
      place = &all_[*place].next;
    all_[i].next = std::exchange(*place, i);
    return passed <= kLongest;
  }

  std::uint32_t store(const Mail& mail) {
    if (free_ == kNoMail) {
      all_.push_back(mail);
      return static_cast<std::uint32_t>(all_.size() - 1);
    }
    const std::uint32_t i = std::exchange(free_, all_[free_].next);
    all_[i] = mail;
    return i;
  }
  void release(std::uint32_t i) { all_[i].next = std::exchange(free_, i); }

  const Origins& origins_;
  std::vector<Mail> all_;
  std::uint32_t free_ = kNoMail;
};

}  // namespace arlab::simulator
