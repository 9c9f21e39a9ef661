// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/findings.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/display_text.h"

namespace pippin {

namespace {

const char* state_text(Finding::State state) {
  switch (state) {
    case Finding::State::kHere:
      return "ok";
    case Finding::State::kNote:
      return "note";
    case Finding::State::kAbsent:
      return "none";
    case Finding::State::kMissing:
      break;
  }
  return "MISSING";
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings, std::size_t width) {
  constexpr std::size_t kIndent = 21;
  std::string text;
  for (const auto& finding : findings) {
    const std::string line = fmt::format("{:<8} {:<11} {}", state_text(finding.state),
                                         finding.thing, printable(finding.words));
    text += wrapped(line, width, kIndent) + "\n";
  }
  return text;
}

}  // namespace pippin
