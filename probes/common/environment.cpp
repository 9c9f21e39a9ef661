// SPDX-License-Identifier: Apache-2.0
#include "probes/common/environment.h"

#include <cstdlib>
#include <initializer_list>

#include "probes/common/error.h"
#include "probes/common/text.h"

namespace pippin::probes {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

namespace {

/// The first of the variables that is set. An empty name stands for one that does not count here.
std::int64_t first_number(std::initializer_list<const char*> names, std::int64_t otherwise) {
  for (const char* name : names) {
    const std::string value = *name ? environment(name) : "";
    if (value.empty()) continue;
    const auto number = parse_integer(value);
    if (!number) bad_input(std::string(name) + ": not a number: '" + value + "'");
    return *number;
  }
  return otherwise;
}

}  // namespace

bool launched_like_torchrun() {
  return !environment("RANK").empty() && !environment("WORLD_SIZE").empty();
}

std::int64_t launched_world() {
  return first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                       launched_like_torchrun() ? "WORLD_SIZE" : "", "SLURM_STEP_NUM_TASKS"},
                      1);
}

std::int64_t launched_rank() {
  return first_number(
      {"OMPI_COMM_WORLD_RANK", "PMI_RANK", launched_like_torchrun() ? "RANK" : "", "SLURM_PROCID"},
      0);
}

}  // namespace pippin::probes
