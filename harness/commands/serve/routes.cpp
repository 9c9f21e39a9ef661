// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "db/names.h"
#include "harness/commands/serve/pages.h"
#include "harness/commands/steps/selections.h"

namespace pippin::serving {

const std::vector<Route>& routes() {
  static const std::vector<Route> kRoutes{
      {"", {}, false, false, contents_page},
      {"report", {}, false, false, report_page},
      {"noise", {}, false, false, noise_page},
      {"compare", {"base", "new"}, false, false, compare_page},
      {"status", {}, true, true, status_page},
      {"show", {"kind"}, true, false, show_page},
  };
  return kRoutes;
}

const Route& route_of(const http::Target& target) {
  const std::string name = target.path.empty() ? "" : target.path.front();
  const auto found = std::find_if(routes().begin(), routes().end(),
                                  [&](const Route& route) { return name == route.name; });
  if (found != routes().end()) return *found;
  std::vector<std::string> names;
  for (const auto& route : routes()) names.emplace_back(route.name);
  throw NoSuchPage(
      fmt::format("no page is named '{}'{}", printable(name), did_you_mean(name, names)));
}

std::string selection_in(const PageRequest& request) {
  std::string name = join(request.names, "/");
  if (name.empty() || name == kCollected || request.database.selection(name)) return name;
  std::vector<std::string> names{kCollected};
  for (const auto& known : names_in(request.globals.db, NameKind::kSelections, ""))
    names.push_back(known.name);
  throw NoSuchPage(fmt::format("no sweep, campaign or tag is named '{}'{}", printable(name),
                               did_you_mean(name, names)));
}

const std::map<std::string, std::string>& addresses_of_things() {
  static const std::map<std::string, std::string> kAddresses{
      {"run", "/show/*?kind=run"}, {"point", "/show/*?kind=point"}, {"node", "/show/*?kind=node"}};
  return kAddresses;
}

std::string address_of(const char* route, const std::string& selection) {
  const CampaignName name = campaign_name_of(selection);
  std::vector<std::string> path{route};
  if (!name.sweep.empty()) path.push_back(name.sweep);
  if (name.number) path.push_back(std::to_string(*name.number));
  return http::path_text(path);
}

std::vector<PageLink> links_of(const std::string& selection, bool has_status) {
  std::vector<PageLink> links{{"All sweeps", "/"}};
  if (has_status) links.push_back({"Status", address_of("status", selection)});
  links.push_back({"Report", address_of("report", selection)});
  links.push_back({"Noise", address_of("noise", selection)});
  return links;
}

}  // namespace pippin::serving
