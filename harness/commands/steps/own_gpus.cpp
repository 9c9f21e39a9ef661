// SPDX-License-Identifier: Apache-2.0
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "harness/commands/steps/findings.h"

namespace pippin {

OwnGpus read_own_gpus(std::string_view output) {
  constexpr std::size_t kFields = 3;
  OwnGpus gpus;
  for (std::string_view line : split(output, '\n')) {
    const auto fields = split(line, ',');
    if (fields.size() != kFields) continue;
    const std::string name(trim(fields[0]));
    if (gpus.count++ == 0) {
      gpus.name = name;
      gpus.driver = trim(fields[2]);
      if (const auto mib = parse_number(trim(fields[1]))) gpus.memory_gib = *mib / kMibPerGib;
    }
    gpus.mixed = gpus.mixed || name != gpus.name;
  }
  return gpus;
}

OwnGpus own_gpus(std::string& trouble) {
  constexpr std::chrono::seconds kPatience{30};  // it wakes the driver up where nothing keeps it
  if (find_program("nvidia-smi").empty()) return {};
  const Answer answer = ask_program({"nvidia-smi", "--query-gpu=name,memory.total,driver_version",
                                     "--format=csv,noheader,nounits"},
                                    own_environment(), kPatience);
  if (answer.exit_code == 0) return read_own_gpus(answer.output);
  const std::string words(trim(answer.output + answer.errors));
  trouble = answer.gave_up ? "no answer in time" : printable(split(words, '\n').front());
  return {};
}

}  // namespace pippin
