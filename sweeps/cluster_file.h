// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/records/cluster.h"
#include "sweeps/yaml.h"

namespace pippin {

/// The cluster that `node` names, points to or describes: a text that is the name of a file in
/// sweeps/clusters, or a path (with a '/' or ending in .yaml; relative to `directory`), or a map
/// with the keys of a cluster file.
/// Errors: Error (bad input) `FILE:LINE: …`.
Cluster load_cluster(const YamlNode& node, const fs::path& directory);

/// The one that a person names on the command line, or the path of its file; `where` is what the
/// person calls that word. Errors: as load_cluster.
Cluster cluster_named(const std::string& name, const std::string& where);

std::vector<std::string> cluster_names();
/// Whether a text that names a cluster is the path of its file.
bool is_cluster_path(const std::string& text);

}  // namespace pippin
