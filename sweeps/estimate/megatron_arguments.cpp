// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/megatron_arguments.h"

#include <unordered_set>
#include <vector>

#include "core/base/embedded_file.h"
#include "core/base/text.h"

namespace pippin {

const std::vector<EmbeddedFile>& megatron_argument_names();  // embedded

bool is_megatron_argument(std::string_view name) {
  static const std::unordered_set<std::string_view> names = [] {
    std::unordered_set<std::string_view> all;
    for (const std::string_view line : split(megatron_argument_names().front().text, '\n'))
      if (!line.empty() && !line.starts_with('#')) all.insert(line);
    return all;
  }();
  return names.contains(name);
}

}  // namespace pippin
