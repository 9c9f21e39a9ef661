#include "harness/commands/steps/print_table.h"

#include <sstream>
#include <unistd.h>
#include <utility>

#include "harness/commands/steps/output.h"

namespace pippin {

void print_table(FlatTable table, const std::string& format) {
  table.width = terminal_width(STDOUT_FILENO);
  std::ostringstream text;
  flat_format_named(format).write(table, text);
  format == "terminal" ? write_text(text.str()) : write_output(text.str());
}

}  // namespace pippin
