// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/canary_reading.h"

namespace pippin {

/// The tables of a network in a text, in its order.
struct NetworkTables {
  std::vector<CanaryFigures> tables;
  /// Why tables that were found are not among those, each once: "holds a table of …".
  std::vector<std::string> problems;
};

/// Reads the tables of one program, line by line.
class TableReader {
 public:
  TableReader() = default;
  virtual ~TableReader() = default;
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// Whether a table begins with that line: all tables before it end.
  virtual bool begins(std::string_view line) const = 0;
  virtual void read(std::string_view line) = 0;
  /// Ends the table that was read, if any.
  virtual void finish(NetworkTables& found) = 0;
};

std::vector<std::string_view> words_of(std::string_view line);

/// Nothing where it is no number, or not above 0.
std::optional<double> positive(std::string_view word);

/// Leaves the first of each size.
void add_size(std::vector<CanaryAllReduce>& sizes, const CanaryAllReduce& size);

void add_problem(NetworkTables& found, std::string problem);

}  // namespace pippin
