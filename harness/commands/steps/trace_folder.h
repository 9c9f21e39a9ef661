// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/files.h"
#include "core/records/run.h"

namespace pippin {

/// The folder that a command's --trace names.
struct TraceFolder {
  bool named = false;     ///< the command has --trace
  fs::path path;          ///< empty where its text does not say which folder that was
  std::string word = {};  ///< as the command has it
};

/// Where the run's command had its ranks trace to. What its job script has set is filled in, a
/// relative path begins where the script had its commands run.
TraceFolder trace_folder_of(const Provenance& from, const fs::path& log);

/// The first word of bash in a text, without its quotes and with what `value` says of variables;
/// nothing where it is empty, or bash would do more with it than that.
std::optional<std::string> plain_word(
    std::string_view text,
    const std::function<std::optional<std::string>(const std::string& variable)>& value);

}  // namespace pippin
