#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/records/cluster.h"
#include "sweeps/yaml.h"

namespace pippin {

/// A device of accelerators.yaml; nothing where none has that name.
std::optional<Accelerator> find_accelerator(std::string_view name);
std::vector<std::string> accelerator_names();

/// What a file says of a device: one of accelerators.yaml, or one that a cluster file describes.
Accelerator read_accelerator(const std::string& name, const YamlNode& node);

}  // namespace pippin
