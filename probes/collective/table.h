// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/collective/measure.h"
#include "probes/collective/settings.h"

namespace pippin::probes {

// The lines of nccl-tests, one function each; LOG_FORMAT.md describes them. Only rows of the table
// begin with a number: everything else begins with '#', so that their readers skip it.
// Source: nccl-tests 2.13, src/common.cu.

/// A size, out of place and in place.
struct Row {
  CollectiveCall call;
  int ranks;
  Measurement out_of_place, in_place;
};

std::string parameters_line(const CollectiveSettings& settings);
/// What a rank runs on.
struct RankDevice {
  int index = 0;    ///< on its node
  int pci_bus = 0;  ///< of a GPU
  std::string model;
};
std::string rank_line(int rank, int process, const std::string& node, const RankDevice& device);
/// Ours: what calls were made by.
std::string library_line(const std::string& library);
/// The three lines above the numbers.
std::vector<std::string> column_lines();
std::string row_line(const Row& row);
/// What --statistics adds below a row.
std::vector<std::string> statistics_lines(const Row& row);
std::vector<std::string> footer_lines(std::int64_t wrong, double mean_bus_bandwidth);

/// Unit: 1e9 bytes per second.
double bus_bandwidth(const Row& row, const Measurement& measurement);

/// "float", as nccl-tests and --datatype name it.
std::string name_of(Element element);

}  // namespace pippin::probes
