// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/records/point.h"
#include "reports/notes/markdown.h"

namespace pippin {

/// What the headings of a table, the captions and the paragraph right above it say of all its rows:
/// counts by their names ("seq", "gpus", "nodes", "gpus_per_node").
/// Shape: "seq=2048", "TP: 4", "Seq length is 1024", "seq 2048", "64 GPUs", "8 GPUs per node". What
/// stands nearest counts. Nothing of what is said there in two ways, or of several: "mbs=2,3",
/// "32 or 64 GPUs".
std::map<std::string, Count, std::less<>> said_above(const MarkdownTable& table);

}  // namespace pippin
