// SPDX-License-Identifier: Apache-2.0
#include "sweeps/embedded.h"

#include <stdexcept>

namespace pippin {

std::string_view embedded_text(std::string_view name) {
  for (const auto& file : embedded_files()) {
    if (file.name == name) return file.text;
  }
  throw std::logic_error("no embedded file " + std::string(name));
}

}  // namespace pippin
