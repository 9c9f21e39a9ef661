// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/ask_probe.h"

#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/process.h"
#include "core/base/text.h"
#include "harness/commands/steps/directories.h"
#include "harness/scrape/probe_capabilities.h"

namespace pippin {

namespace {

std::optional<ProbeAbilities> ask(const Globals& globals, const fs::path& program) {
  constexpr std::chrono::seconds kPatience{20};
  if (::access(program.c_str(), X_OK) != 0) return std::nullopt;
  const Answer answer =
      ask_program({program.string(), "--capabilities"}, own_environment(), kPatience);
  auto abilities = answer.exit_code == 0 ? read_probe_abilities(answer.output) : std::nullopt;
  if (abilities) return abilities;
  const std::string words(trim(answer.gave_up ? "no answer" : answer.errors));
  remark(globals,
         fmt::format("{} does not say what it can do{}{}: values of the sweep are not checked "
                     "against it",
                     printable(program.string()),
                     words.empty() ? "" : "; it says: ", printable(split(words, '\n').front())));
  return std::nullopt;
}

}  // namespace

AskProbe ask_probes_here(const Globals& globals) {
  return [&globals](const std::string& probe, const std::string& device) {
    return ask(globals, probes_directory() / (device == "cuda" ? probe + "-cuda" : probe));
  };
}

}  // namespace pippin
