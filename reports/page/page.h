// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/contents.h"
#include "reports/campaign_status.h"
#include "reports/format.h"
#include "reports/model_phases.h"
#include "reports/noise/noise.h"
#include "reports/show/sheet.h"
#include "reports/summarize.h"

namespace pippin {

/// Where a step goes, by the timers of its trainer.
struct RowPhases {
  std::size_t row = 0;  ///< of the table
  std::vector<Phase> phases;
};

/// A small table of texts.
struct PageTable {
  std::string title;
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
  /// Of each row the number in the database of the run that its first cell names; else empty.
  std::vector<std::int64_t> runs = {};
};

/// How a campaign goes on, above its table.
struct PageProgress {
  CampaignStatus status;
  std::int64_t now = 0;  ///< seconds since 1970, to which its times are relative
  std::vector<PageTable> tables;
};

/// What a page of a report shows beside its table.
struct Page {
  std::string kind = "report";  ///< or "noise", which says more of that; "status"; or a sheet's
  Report table;
  std::string title;
  std::string command;                                   ///< that makes it again
  std::int64_t made_at = 0;                              ///< seconds since 1970
  std::vector<std::string> said;                         ///< a sentence each, above all
  std::string methods;                                   ///< a paragraph for a paper
  std::shared_ptr<const RunRows> runs;                   ///< every run behind the table
  std::map<std::string, std::vector<std::string>> tags;  ///< of campaigns, by "SWEEP/2"
  std::vector<RowPhases> phases;                         ///< of rows that have timers
  std::optional<Noise> noise;
  std::optional<Sheet> sheet;  ///< what is known of the one thing that the page is of
  std::optional<PageProgress> progress;
  /// Where its server has the page of a "run", a "point" or a "node": "/show/*?kind=run", with a
  /// '*' for the run's number, the point's id, the node's name. Empty: no server has any.
  std::map<std::string, std::string> addresses = {};
};

/// All that a page says, as JSON that may stand in a <script> of HTML. reports/page/README.md says
/// what is in it.
std::string page_document(const Page& page);

/// One HTML file that asks nothing of any network, of such a document.
void write_html_file(const std::string& document, std::ostream& out);

/// A place on the server that a page is of.
struct PageLink {
  std::string title;
  std::string address;  ///< "/status/gpt-52b"
};

/// What there is, each with its pages.
struct ContentsPage {
  std::string title, command;
  std::vector<CampaignContents> entries;
  std::function<std::vector<PageLink>(const CampaignContents& entry)> links;
};
/// … as page_document().
std::string contents_document(const ContentsPage& page);

/// A page as a server gives it: it asks there, and nowhere else, for what is new.
struct ServedPage {
  std::shared_ptr<const std::string> html;
  std::string_view document;  ///< the part of it that is one
  std::string tag;            ///< that of every equal document, and of no other
  std::string policy;         ///< for its header
};
ServedPage served_page(const std::string& document, const std::vector<PageLink>& links);

}  // namespace pippin
