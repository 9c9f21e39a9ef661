// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/notes/markdown.h"

namespace pippin {

/// Names for the sweeps that tables make, one per table, each once.
/// Shape: the file's name, the nearest heading, the bold captions and what labels the text right
/// above ("32GB nodes:"), as words of letters and digits:
/// "gpt2-megatron-max-model-size-16gb-nodes". A table keeps its name when others come or go, but
/// where two would have the same: the second is "…-2".
std::vector<std::string> sweep_names(const std::vector<const MarkdownTable*>& tables,
                                     std::string_view file);

}  // namespace pippin
