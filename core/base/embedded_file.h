// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace pippin {

/// A data file that is part of the program; cmake/embed.cmake puts it there.
struct EmbeddedFile {
  std::string_view name;  ///< below its room's folder: "models/gpt2.yaml"
  std::string_view text;
};

}  // namespace pippin
