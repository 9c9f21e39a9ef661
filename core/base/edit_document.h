// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "core/base/files.h"

namespace pippin {

/// Gives a document's new text.
using EditText = std::function<std::string(const std::string& text)>;

/// Rewrites a document that a person may be saving from an editor meanwhile: at once, or not at
/// all. What was saved meanwhile is edited anew, so that nothing of it is lost. A link stays one,
/// what it leads to is rewritten; all names of a file with several keep the same text; mode and
/// owner stay. Errors: Error (bad input) where it cannot be read; (machine) where it may not be
/// written, or is saved again and again.
void edit_document(const fs::path& file, const EditText& edit);

}  // namespace pippin
