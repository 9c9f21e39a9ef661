// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/cluster.h"
#include "sweeps/yaml.h"

namespace pippin {

/// A device of accelerators.yaml; nothing where none has that name.
std::optional<Accelerator> find_accelerator(std::string_view name);
std::vector<std::string> accelerator_names();

/// The one that a person names.
/// Errors: Error (bad input) `FILE:LINE: unknown accelerator 'H200'; known: h200-sxm-141g`.
Accelerator accelerator_named(const YamlNode& name);

/// The one that a published table calls so, with the memory it says; else the first that is called
/// so.
std::optional<Accelerator> accelerator_in_table(const std::string& name, double memory_gb);

/// Of all that a published table calls so; nothing where they differ in it or there are none.
/// Unit: as Accelerator::memory_gib.
std::optional<double> memory_in_table(const std::string& name);

/// The devices of accelerators.yaml that others may mean by `words`: "nvidia_a100-sxm4-80gb",
/// "Tesla V100-SXM2-16GB", "v100-32g". What the words say of form and memory excludes devices, what
/// they leave open does not; PCIe cards and parts of a GPU (MIG) are none of them.
std::vector<std::string> accelerators_called(std::string_view words);

/// Whether that much memory, as a driver reports it, is a device's: it keeps some for itself.
bool has_memory(const Accelerator& accelerator, double memory_gib);

/// What a file says of a device: one of accelerators.yaml, or one that a cluster file describes.
Accelerator read_accelerator(const std::string& name, const YamlNode& node);

}  // namespace pippin
