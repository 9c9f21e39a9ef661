// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/harness/cli/pippin.h"

namespace pippin::test {

/// Blocks whose commands run on this machine, and those that need a Slurm.
inline const std::string kConsole = "```console\n", kSlurmConsole = "```console slurm\n";

/// The files of the source tree with that extension, relative to it, sorted; without those below
/// tests/data.
std::vector<fs::path> source_files(const std::string& extension);

/// The Markdown files among them.
std::vector<fs::path> documents();

std::string text_of_document(const fs::path& document);

/// What the code spans of a text hold: `name` gives "name". Code blocks have none.
std::vector<std::string> code_spans(const std::string& text);

/// Runs the commands of the document's `fence` blocks in order, and CHECKs that each prints what
/// stands below it. A code block that begins with the comment "# NAME" is a file of that name in
/// the folder where they run. `before` is bash in front of each command. With PIPPIN_REWRITE_DOCS
/// in the environment it writes today's output into the document.
void walk(const fs::path& document, const std::string& fence, const Workplace& here,
          const std::string& before = "");

/// The files that a document shows, by name: blocks with "# layouts.yaml" in the first line, or
/// behind "#!…".
std::map<std::string, std::string> files_shown(const std::string& text);

/// CHECKs that these are all documents with such a block.
void check_all_are_walked(const std::string& fence, const std::vector<fs::path>& walked);

}  // namespace pippin::test
