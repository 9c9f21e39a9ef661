// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/serve/made_pages.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/report_rows.h"
#include "reports/json_writer.h"

namespace pippin::serving {

namespace {

constexpr int kNotModified = 304, kForbidden = 403, kNotFound = 404, kBroken = 500,
              kUnavailable = 503;
constexpr std::size_t kMostBytes = std::size_t{256} << 20, kMostEntries = 1000;
constexpr int kShareOfTime = 4;  // of five seconds a page is made in one at most, unasked

PageRequest request_of(const Globals& globals, SeldomAsked& schedulers, Database& database,
                       const http::Target& target) {
  std::vector<std::string> names;
  if (!target.path.empty()) names.assign(target.path.begin() + 1, target.path.end());
  return {globals, database, schedulers, std::move(names), target};
}

/// One try; false where somebody wrote to the file while it was read.
bool try_page(const Globals& globals, SeldomAsked& schedulers, const Route& route,
              const http::Target& target, Outcome& outcome) {
  Database database = existing_database(globals);
  try {
    const MadePage made = route.make(request_of(globals, schedulers, database, target));
    if (database.is_as_opened()) outcome = {200, "", served_page(made.document, made.links)};
  } catch (const NoSuchPage& none) {
    outcome = {kNotFound, none.what(), {}};
  } catch (const Error& error) {
    const bool is_asked_wrongly = error.exit_code() == ExitCode::kBadInput;
    outcome = {is_asked_wrongly ? kNotFound : kUnavailable, error.what(), {}};
  }
  return database.is_as_opened();
}

std::string json_line(const std::string& line) {
  std::ostringstream text;
  {
    JsonWriter json(text, 0);
    json.begin_object();
    json.key("error").text(printable(line));
    json.end_object();
  }
  return text.str();
}

}  // namespace

Outcome make_page(const Globals& globals, SeldomAsked& schedulers, const Route& route,
                  const http::Target& target) {
  constexpr int kTries = 5;
  Outcome outcome{kUnavailable, "the database is being written to; try again", {}};
  try {
    for (int i = 0; i < kTries; ++i)
      if (try_page(globals, schedulers, route, target, outcome)) return outcome;
    return {kUnavailable, "the database is being written to; try again", {}};
  } catch (const Error& error) {
    return {kUnavailable, error.what(), {}};
  } catch (const std::exception& error) {
    return {kBroken, error.what(), {}};
  }
}

http::Response refusal(int status, const std::string& line, bool wants_document) {
  http::Response response{status};
  if (wants_document) {
    response.type = "application/json";
    response.body = http::body_of(json_line(line));
    return response;
  }
  response.body = http::body_of(fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>pippin</title>\n</head>\n"
      "<body>\n<h1>pippin</h1>\n<p>{}</p>\n{}</body>\n</html>\n",
      http::html_text(line), status == kForbidden ? "" : "<p><a href=\"/\">All sweeps</a></p>\n"));
  return response;
}

http::Response response_to(const Wish& wish, const Outcome& outcome) {
  if (!outcome.page.html) return refusal(outcome.status, outcome.line, wish.wants_document);
  http::Response response;
  response.policy = outcome.page.policy;
  response.fields.emplace_back("ETag", '"' + outcome.page.tag + '"');
  if (wish.wants_document) response.type = "application/json";
  if (wish.known_as == '"' + outcome.page.tag + '"') {
    response.status = kNotModified;
    return response;
  }
  response.body = {outcome.page.html, wish.wants_document ? outcome.page.document
                                                          : std::string_view(*outcome.page.html)};
  return response;
}

bool MadePages::Entry::is_young() const {
  return !stamp.empty() && Clock::now() - made < kShareOfTime * (made - begun);
}

MadePages::Entry& MadePages::at(const std::string& address) {
  Entry& entry = entries_[address];
  entry.used = ++uses_;
  return entry;
}

void MadePages::trim() {
  for (;;) {
    std::size_t bytes = 0;
    auto oldest = entries_.end();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      const auto& html = at->second.outcome.page.html;
      bytes += html ? html->size() : 0;
      const bool is_idle = !at->second.is_being_made;
      if (is_idle && (oldest == entries_.end() || at->second.used < oldest->second.used))
        oldest = at;
    }
    const bool is_much = bytes > kMostBytes || entries_.size() > kMostEntries;
    if (!is_much || oldest == entries_.end() || entries_.size() == 1) return;
    entries_.erase(oldest);
  }
}

}  // namespace pippin::serving
