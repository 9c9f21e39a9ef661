// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

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

/// What a page of a report shows beside its table.
struct Page {
  std::string kind = "report";  ///< or "noise", which says more of that; or a sheet's
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
};

/// All that a page says, as JSON that may stand in a <script> of HTML. reports/page/README.md says
/// what is in it.
std::string page_document(const Page& page);

/// One HTML file that asks nothing of any network, of such a document.
void write_html_file(const std::string& document, std::ostream& out);

}  // namespace pippin
