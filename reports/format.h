#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/records/summary.h"

namespace pippin {

/// What a table is made of.
struct Report {
  std::vector<Summary> rows;
  std::size_t width = 100;  ///< columns that a line may take; 0: any. Only where lines have a width
};

/// One way to write a table down. A new one is a file and a line in format.cpp.
struct Format {
  std::string name;
  void (*write)(const Report& report, std::ostream& out);
};

const std::vector<Format>& formats();

/// Errors: Error (bad input) naming the near format where there is none of that name.
const Format& format_named(const std::string& name);

/// The own axes that a table shows, in the order in which rows first have them: all of a sweep's
/// points; of foreign logs, whose axes are arguments by the dozen, those that tell apart two rows
/// which look alike otherwise.
std::vector<std::string> shown_axes(const std::vector<Summary>& rows);

void write_terminal(const Report& report, std::ostream& out);
void write_csv(const Report& report, std::ostream& out);

}  // namespace pippin
