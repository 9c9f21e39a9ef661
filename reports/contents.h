// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/records/contents.h"

namespace pippin {

/// What `pippin list` shows.
struct ContentsTable {
  std::vector<CampaignContents> entries;
  std::size_t width = 0;  ///< columns that a line may take; 0: any
  bool colours = false;
};

/// One way to write it down: terminal, csv and json, a row or an object for each entry.
struct ContentsFormat {
  std::string name;
  void (*write)(const ContentsTable& table, std::ostream& out);
};

const std::vector<ContentsFormat>& contents_formats();

/// Errors: Error (bad input) naming the nearest format where there is none of that name.
const ContentsFormat& contents_format_named(const std::string& name);

}  // namespace pippin
