// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/json_writer.h"
#include "reports/page/page.h"

namespace pippin {

/// What a row of the page is called.
inline const std::string& name_of(const Summary& row) {
  return row.run.empty() ? row.point.name : row.run;
}

/// Parts of the page's document, as keys of the object that is being written: every run of the
/// rows; where their steps go; levels of noise, nodes and links; a sheet; how a campaign goes on.
void write_progress(const PageProgress& progress, JsonWriter& json);
void write_runs(const Page& page, const RowRange& rows, JsonWriter& json);
void write_phases(const std::vector<RowPhases>& rows, JsonWriter& json);
void write_noise(const Noise& noise, JsonWriter& json);
void write_sheet(const Sheet& sheet, JsonWriter& json);
/// Where a served page leads to.
void write_links(const std::vector<PageLink>& links, JsonWriter& json);

}  // namespace pippin
