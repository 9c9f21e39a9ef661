// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/http/target.h"
#include "db/database.h"
#include "harness/commands/serve/seldom_asked.h"
#include "harness/commands/steps/output.h"
#include "reports/page/page.h"

namespace pippin::serving {

/// What a page is made of, on a thread of many: the database as it was a moment ago.
struct PageRequest {
  const Globals& globals;  ///< for_readers
  Database& database;
  SeldomAsked& schedulers;
  std::vector<std::string> names;  ///< what stands behind the first part of the path
  const http::Target& target;
};

struct MadePage {
  std::string document;  ///< as page_document() gives it
  std::vector<PageLink> links = {};
};

/// There is nothing of that name. Its text is a line for a person.
class NoSuchPage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A kind of page. A new one is a function and a line in routes.cpp.
struct Route {
  const char* name;                    ///< the first part of its path
  std::vector<const char*> questions;  ///< of the query, those that it hears
  bool looks_at_runs;    ///< at the folders of runs too, which change without the database
  bool asks_schedulers;  ///< which may take long to answer
  MadePage (*make)(const PageRequest& request);
};
const std::vector<Route>& routes();
/// Errors: NoSuchPage naming the nearest.
const Route& route_of(const http::Target& target);

/// The sweep, campaign or tag that a path names behind its first part: "gpt-52b/2"; empty where
/// none is named. Errors: NoSuchPage naming the nearest where the database has none of that name.
std::string selection_in(const PageRequest& request);
/// The pages of a sweep, campaign or tag. `has_status`: it is a campaign's.
std::vector<PageLink> links_of(const std::string& selection, bool has_status);
/// Of runs, points and nodes, as Page::addresses has them.
const std::map<std::string, std::string>& addresses_of_things();
/// "/report/gpt-52b/2".
std::string address_of(const char* route, const std::string& selection);

MadePage contents_page(const PageRequest& request);
MadePage report_page(const PageRequest& request);
MadePage noise_page(const PageRequest& request);
MadePage compare_page(const PageRequest& request);
MadePage status_page(const PageRequest& request);
MadePage show_page(const PageRequest& request);

}  // namespace pippin::serving
