// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/json_writer.h"

namespace pippin {

/// A cell as programs have it: a number where a reader of JSON gets back the same text, else a
/// text; null where it is empty.
void write_exact(const std::string& text, JsonWriter& json);
void write_exact(const std::optional<double>& number, JsonWriter& json);

void write_texts(const char* key, const std::vector<std::string>& texts, JsonWriter& json);

/// JSON as it may stand in a <script> of HTML.
std::string safe_in_script(const std::string& json);

}  // namespace pippin
