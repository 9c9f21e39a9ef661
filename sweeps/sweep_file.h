// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files.h"
#include "core/records/sweep.h"
#include "sweeps/probe_answers.h"
#include "sweeps/yaml.h"

namespace pippin {

/// Reads a sweep file and works out its points. sweeps/README.md describes the format.
/// Errors: Error (bad input), one line `FILE:LINE: …` that says what is wrong and, where it can,
/// what was likely meant. What a probe does not take is one where `ask` knows.
Sweep load_sweep(const fs::path& file, const AskProbe& ask = {});

/// The same of what a sweep file would hold; relative paths in it are those from beside `file`.
Sweep load_sweep(YamlNode root, const fs::path& file, const AskProbe& ask = {});

}  // namespace pippin
