// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

/// The format of that name. Errors: Error (bad input) naming the nearest where there is none.
template <typename AnyFormat>
const AnyFormat& format_among(const std::vector<AnyFormat>& formats, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& format : formats) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  bad_input("unknown format '{}'{} (known: {})", printable(name), did_you_mean(name, names),
            join(names, ", "));
}

}  // namespace pippin
