// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// The names in a list of hosts as Slurm writes it, in its order, each once:
/// "n[01-03,7],gpu-1" is n01, n02, n03, n7, gpu-1. Several brackets make every combination.
/// Nothing where the text is no such list, or writes more than 100,000 names.
/// Source: slurm's scontrol show hostnames.
std::optional<std::vector<std::string>> host_names(std::string_view list);
/// The same of an option's value. Errors: Error (bad input), also where it names none.
std::vector<std::string> host_names_of(std::string_view option, const std::string& list);

}  // namespace pippin
