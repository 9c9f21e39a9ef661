// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/point.h"

namespace pippin {

/// A model of models/*.yaml with its style and shape; nothing where none has that
/// name, in whatever case: "52b" is 52B.
std::optional<Model> find_model(std::string_view size);
std::vector<std::string> model_names();

}  // namespace pippin
