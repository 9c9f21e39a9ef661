// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/cluster.h"
#include "sweeps/yaml.h"

namespace pippin {

/// The map of an `env:` key, in its order.
/// Errors: Error (bad input) where a name is no variable of a shell, or begins with PIPPIN_, which
/// axes are handed over in.
Environment read_environment(const YamlNode& node);

}  // namespace pippin
