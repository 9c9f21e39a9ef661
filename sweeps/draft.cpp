// SPDX-License-Identifier: Apache-2.0
#include "sweeps/draft.h"

#include <algorithm>

#include "sweeps/keys.h"

namespace pippin {

bool Draft::gives(const std::string& name) const {
  return axes.has(name) || find_value(model, name) || (gpus && name == "gpus");
}

bool Draft::derives(const std::string& name) const {
  return std::any_of(derive.begin(), derive.end(),
                     [&](const Formula& formula) { return formula.name == name; });
}

std::vector<std::string> Draft::own_axes() const {
  std::vector<std::string> own;
  for (const auto& name : axes.names) {
    if (!is_known_key(name)) own.push_back(name);
  }
  for (const auto& formula : derive) {
    if (!is_known_key(formula.name)) own.push_back(formula.name);
  }
  return own;
}

}  // namespace pippin
