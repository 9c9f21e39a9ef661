// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "harness/commands/report.h"
#include "harness/commands/serve/pages.h"
#include "harness/commands/show.h"
#include "harness/commands/steps/selections.h"

namespace pippin::serving {

namespace {

/// Whether a campaign of pippin's is behind it, of which there is a status.
bool is_campaign(Database& database, const std::string& selection) {
  if (selection == kCollected) return false;
  const auto filter = database.selection(selection);
  return filter && !database.campaigns(filter->sweep).empty();
}

std::vector<PageLink> pages_of(const PageRequest& request, const std::string& selection) {
  return links_of(selection, is_campaign(request.database, selection));
}

/// Which day it is when it is made is said by no page that is made again and again.
std::string document_of(Page page) {
  page.made_at = 0;
  page.addresses = addresses_of_things();
  return page_document(page);
}

std::vector<PageLink> contents_links(const CampaignContents& entry) {
  const bool is_log = entry.kind == CampaignContents::Kind::kLogs;
  const bool is_ours = entry.kind == CampaignContents::Kind::kCampaign;
  const std::string name = is_log    ? kCollected
                           : is_ours ? text_of(CampaignName{entry.sweep, entry.number})
                                     : entry.sweep;
  std::vector<PageLink> links{{"report", address_of("report", name)},
                              {"noise", address_of("noise", name)}};
  if (is_ours) links.insert(links.begin() + 1, {"status", address_of("status", name)});
  if (!is_ours || entry.number < 2) return links;
  const std::string before = text_of(CampaignName{entry.sweep, entry.number - 1});
  links.push_back({fmt::format("compare with {}", entry.number - 1),
                   fmt::format("/compare?base={}&new={}", http::percent_encoded(before),
                               http::percent_encoded(name))});
  return links;
}

/// What the thing belongs to: the report of its campaign, and of a run its point.
std::vector<PageLink> links_to(const Shown& shown) {
  std::vector<PageLink> links{{"All sweeps", "/"}};
  if (shown.filter.sweep) {
    const CampaignName campaign{*shown.filter.sweep, shown.filter.campaign};
    const std::string name = campaign.sweep.empty() ? kCollected : text_of(campaign);
    links.push_back({"Report", address_of("report", name)});
  }
  if (shown.sheet.kind == "run" && !shown.point_id.empty())
    links.push_back({"Point", "/show/" + shown.point_id + "?kind=point"});
  return links;
}

/// Of pages that have one address.
void refuse_names(const PageRequest& request) {
  if (!request.names.empty())
    throw NoSuchPage(fmt::format("nothing stands below '/{}'", printable(request.target.path[0])));
}

}  // namespace

MadePage contents_page(const PageRequest& request) {
  ContentsPage page;
  page.title = request.globals.db.filename().string();
  page.command = program_words(request.globals) + " list";
  page.entries = request.database.contents({});
  std::reverse(page.entries.begin(), page.entries.end());
  page.links = contents_links;
  return {contents_document(page)};
}

MadePage report_page(const PageRequest& request) {
  const std::string name = selection_in(request);
  ReportOptions options;
  if (!name.empty()) options.selections.push_back(name);
  Report table = report_of(request.globals, request.database, options);
  return {document_of(page_of(request.globals, request.database, options, std::move(table))),
          pages_of(request, name)};
}

MadePage noise_page(const PageRequest& request) {
  NoiseOptions options;
  options.sweep = selection_in(request);
  return {document_of(noise_page_of(request.globals, request.database, options)),
          pages_of(request, options.sweep)};
}

MadePage compare_page(const PageRequest& request) {
  refuse_names(request);
  CompareOptions options;
  options.base = request.target.said("base").value_or("");
  options.other = request.target.said("new").value_or("");
  ComparisonTable table = comparison_of(request.globals, request.database, options);
  table.made_at = 0;
  return {comparison_document(table), {{"All sweeps", "/"}}};
}

MadePage show_page(const PageRequest& request) {
  ShowOptions options;
  options.name = join(request.names, "/");
  options.as = request.target.said("kind").value_or("");  // "as" is how a page asks for news
  if (options.name.empty())
    throw NoSuchPage("say what to show: /show/NAME of a run, a point, a sweep or a node");
  Shown shown = shown_by(request.globals, request.database, options);
  std::vector<PageLink> links = links_to(shown);
  return {document_of(page_of(request.globals, request.database, options, std::move(shown))),
          std::move(links)};
}

}  // namespace pippin::serving
