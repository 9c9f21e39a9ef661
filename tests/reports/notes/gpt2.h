// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/text.h"
#include "reports/notes/note_settings.h"
#include "tests/support/temporary.h"

namespace pippin::test {

/// The notes of tests/data/notes.
inline std::string gpt2_notes() {
  return read_input(source_directory() / "tests/data/notes/gpt2.md");
}

/// What those notes say in their text, not in their tables.
inline NoteSettings gpt2_settings() {
  return note_settings({"seq=1024", "formula=params", "recompute=full"});
}

/// A line of a document, 1-based, without its end.
inline std::string line_of(const std::string& document, std::size_t number) {
  return std::string(split(document, '\n').at(number - 1));
}

}  // namespace pippin::test
