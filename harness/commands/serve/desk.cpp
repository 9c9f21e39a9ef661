// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/serve/desk.h"

#include <fmt/format.h>
#include <utility>

#include "core/base/text.h"
#include "core/base/work_queue.h"
#include "db/stamp.h"
#include "harness/commands/serve/made_pages.h"
#include "harness/commands/steps/schedulers.h"

namespace pippin::serving {

namespace {

constexpr std::size_t kMakers = 3, kAskers = 2, kMostUnbegun = 100;
constexpr int kNotFound = 404, kUnavailable = 503;
constexpr std::chrono::seconds kLook{2};  // at the folders of runs

/// One address for all that give the same page.
std::string address_of(const Route& route, const http::Target& target) {
  std::string address = http::path_text(target.path);
  for (const char* name : route.questions) {
    if (const auto said = target.said(name))
      address += fmt::format("&{}={}", name, http::percent_encoded(*said));
  }
  return address;
}

Globals for_readers(Globals globals) {
  globals.for_readers = globals.quiet = true;
  return globals;
}

}  // namespace

/// The front is one thread that knows which pages there are; the back makes them.
struct Desk::Home {
  Home(const Globals& said, http::Gate own_gate)
      : globals(for_readers(said)), gate(std::move(own_gate)) {}

  /// Empty: there is no database.
  std::string stamp_for(const Route& route) const {
    const auto stamp = stamp_of_database(globals.db);
    if (!stamp || !route.looks_at_runs) return stamp.value_or("");
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return fmt::format("{} {}", *stamp, now / kLook);
  }

  void look_up(const Route& route, const http::Target& target, Wish wish) {
    const std::string stamp = stamp_for(route);
    if (stamp.empty())
      return wish.reply(
          refusal(kUnavailable,
                  fmt::format("{}: no such database any more", printable(globals.db.string())),
                  wish.wants_document));
    const std::string address = address_of(route, target);
    MadePages::Entry& entry = pages.at(address);
    const bool is_enough = entry.stamp == stamp || (!wish.known_as.empty() && entry.is_young());
    if (is_enough && !entry.stamp.empty()) return wish.reply(response_to(wish, entry.outcome));
    if (entry.is_being_made) {
      const bool is_late = wish.known_as.empty() && !route.looks_at_runs && entry.to_be != stamp;
      return (is_late ? entry.late : entry.waiting).push_back(std::move(wish));
    }
    if (back_of(route).waiting() > kMostUnbegun) {
      if (entry.stamp.empty()) pages.forget(address);
      return wish.reply(
          refusal(kUnavailable, "too many pages are being made; try again", wish.wants_document));
    }
    entry.waiting.push_back(std::move(wish));
    make(route, target, address, stamp, entry);
  }

  /// The other pages are made while some wait for a scheduler.
  WorkQueue& back_of(const Route& route) { return route.asks_schedulers ? askers : back; }

  void make(const Route& route, const http::Target& target, const std::string& address,
            const std::string& stamp, MadePages::Entry& entry) {
    entry.is_being_made = true;
    entry.to_be = stamp;
    back_of(route).add([this, &route, target, address] {
      const auto begun = MadePages::Clock::now();
      auto outcome = std::make_shared<Outcome>(make_page(globals, schedulers, route, target));
      front.add([this, &route, target, address, begun, outcome] {
        take(route, target, address, begun, std::move(*outcome));
      });
    });
  }

  void take(const Route& route, const http::Target& target, const std::string& address,
            MadePages::Clock::time_point begun, Outcome outcome) {
    MadePages::Entry& entry = pages.at(address);
    entry.is_being_made = false;
    entry.outcome = std::move(outcome);
    entry.stamp = entry.to_be;
    entry.begun = begun;
    entry.made = MadePages::Clock::now();
    for (const auto& wish : std::exchange(entry.waiting, {}))
      wish.reply(response_to(wish, entry.outcome));
    if (!entry.late.empty()) {
      entry.waiting = std::exchange(entry.late, {});
      make(route, target, address, stamp_for(route), entry);
    } else if (entry.outcome.page.html) {
      pages.trim();
    } else {
      pages.forget(address);
    }
  }

  Globals globals;
  http::Gate gate;
  SeldomAsked schedulers{
      [this](const std::string& name) { return scheduler_of(globals.db, name, {}, true); }};
  MadePages pages;
  WorkQueue front{1};
  WorkQueue back{kMakers}, askers{kAskers};
};

Desk::Desk(const Globals& globals, http::Gate gate)
    : home_(std::make_unique<Home>(globals, std::move(gate))) {}

/// Each gives the other work, until both have ended.
Desk::~Desk() {
  home_->front.end();
  home_->back.end();
  home_->askers.end();
}

void Desk::answer(const http::Request& request, const http::Reply& reply) {
  http::Target target;
  const auto refused = [](int status, const std::string& line) {
    return refusal(status, line, false);
  };
  if (auto response = home_->gate.answer(request, refused, target))
    return reply(std::move(*response));
  Wish wish{target.said("as") == "json", request.known_as, reply};
  try {
    const Route& route = route_of(target);
    home_->front.add(
        [home = home_.get(), &route, target, wish] { home->look_up(route, target, wish); });
  } catch (const NoSuchPage& none) {
    reply(refusal(kNotFound, none.what(), wish.wants_document));
  }
}

}  // namespace pippin::serving
