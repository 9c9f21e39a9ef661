// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/http/message.h"
#include "core/http/target.h"
#include "harness/commands/serve/pages.h"

namespace pippin::serving {

/// A page, or why there is none.
struct Outcome {
  int status = 200;
  std::string line;  ///< for a person; where there is no page
  ServedPage page;
};

/// Makes a page of the database as it is now. Errors: none; what goes wrong is the outcome.
Outcome make_page(const Globals& globals, SeldomAsked& schedulers, const Route& route,
                  const http::Target& target);

/// Somebody who waits for a page.
struct Wish {
  bool wants_document = false;  ///< not the page about it
  std::string known_as;         ///< what it has already
  http::Reply reply;
};
http::Response response_to(const Wish& wish, const Outcome& outcome);
/// "no sweep is named 'x'" as a page by itself, or for a page that asks for what is new.
http::Response refusal(int status, const std::string& line, bool wants_document);

/// Pages that were made, by their addresses. The oldest in use go where they take too much memory.
/// On one thread.
class MadePages {
 public:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    Outcome outcome;
    std::string stamp;  ///< of what it was made of; empty: it was not made yet
    bool is_being_made = false;
    std::string to_be;               ///< the stamp of what it is being made of
    std::vector<Wish> waiting = {};  ///< for what is being made
    std::vector<Wish> late = {};     ///< for the next, as they asked when there was more already
    Clock::time_point begun = {}, made = {};
    std::uint64_t used = 0;
    /// Whether who has it already can be kept waiting: pages that take long are made seldom.
    bool is_young() const;
  };

  Entry& at(const std::string& address);
  void trim();
  void forget(const std::string& address) { entries_.erase(address); }

 private:
  std::map<std::string, Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace pippin::serving
