#pragma once

#include <string>

#include "tests/harness/cli/pippin.h"

namespace pippin::test {

/// The README with the output that the commands of its `fence` blocks have today, and a CHECK of
/// each. `before` is bash in front of each command.
std::string walked(const std::string& readme, const std::string& fence, const Workplace& here,
                   const std::string& before = "");

/// The README's block that begins with this line: "# layouts.yaml".
std::string block_of(const std::string& readme, const std::string& first_line);

}  // namespace pippin::test
