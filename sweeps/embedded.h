#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// A data file of this room that is part of the program.
struct EmbeddedFile {
  std::string_view name;  ///< below sweeps/: "models/gpt2.yaml"
  std::string_view text;
};

/// All of them. Written by embed.cmake.
const std::vector<EmbeddedFile>& embedded_files();

/// The text of one. Requires that there is one of that name.
std::string_view embedded_text(std::string_view name);

}  // namespace pippin
