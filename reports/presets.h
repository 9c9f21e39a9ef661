// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pippin {

/// Columns that belong together, as --columns has them.
struct Preset {
  std::string name;
  std::string columns;  ///< see columns_named
  std::string purpose;
};

/// Named after the tables of the BigScience GPT-2 notes; then what tables of today have.
/// Source: BigScience, experiments/gpt2.md, 2021.
const std::vector<Preset>& presets();

/// Errors: Error (bad input) naming the near preset where there is none of that name.
const Preset& preset_named(const std::string& name);

}  // namespace pippin
