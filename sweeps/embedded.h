// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/base/embedded_file.h"

namespace pippin {

/// The data files of this room.
const std::vector<EmbeddedFile>& embedded_files();

/// The text of one. Requires that there is one of that name.
std::string_view embedded_text(std::string_view name);

}  // namespace pippin
