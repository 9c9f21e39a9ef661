// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/print_table.h"

#include <sstream>
#include <unistd.h>
#include <utility>

#include "harness/commands/steps/output.h"

namespace pippin {

bool is_for_people(const std::string& format) {
  return format == "terminal" || format == "markdown";
}

void write_table(FlatTable table, const std::string& format, std::ostream& out,
                 const fs::path& file) {
  if (file.empty()) {
    table.width = terminal_width(STDOUT_FILENO);
    table.colours = wants_colours();
  }
  flat_format_named(format).write(table, out);
}

void print_text(const std::string& text, const std::string& format, const fs::path& file) {
  if (!file.empty()) return write_named_file(file, text);
  format == "terminal" ? write_text(text) : write_output(text);
}

void print_page(const std::string& document, const fs::path& file) {
  std::ostringstream text;
  write_html_file(document, text);
  print_text(text.str(), "html", file);
}

void print_table(FlatTable table, const std::string& format, const fs::path& file) {
  std::ostringstream text;
  write_table(std::move(table), format, text, file);
  print_text(text.str(), format, file);
}

}  // namespace pippin
