// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include "core/base/files.h"

namespace pippin {

/// What every command takes.
struct Globals {
  fs::path db = "pippin.db";
  bool quiet = false;  ///< no progress and no remarks on standard error
  bool yes = false;    ///< go on where a question would be asked
  /// What is made is for readers of a page: nothing is written, and no name is that of a file.
  bool for_readers = false;
};

/// How a person begins a command on the same database: "pippin --db old.db".
std::string program_words(const Globals& globals);

/// Writes a line to standard error unless the user wants quiet.
void remark(const Globals& globals, const std::string& line);

/// Asks a person, where one is there; true where the user said --yes, or answers so.
bool agrees(const Globals& globals, const std::string& question);

/// Writes to standard error as far as that can be.
void write_error(const std::string& text);

/// Whether colours are wanted on standard output: a terminal that has some, and no NO_COLOR.
/// Source: no-color.org.
bool wants_colours();

/// Columns of the terminal behind `descriptor`; 0 where it is none.
std::size_t terminal_width(int descriptor);
/// Its lines; 0 where it is none.
std::size_t terminal_height(int descriptor);

/// Writes to standard output. Errors: Error (machine) where not all of it arrives: a full disk.
void write_output(const std::string& text);

/// Writes a file that a user named, made anew or not at all; where a link leads to. Into a pipe or
/// a device, and where an open file goes (/dev/stdout), the text is written. Errors: Error
/// (machine).
void write_named_file(const fs::path& path, std::string_view text);

/// Standard output for what is long, as it is made; end_output() ends it.
std::ostream& output();
/// Errors: Error (machine) where not all that was written to output() arrived.
void end_output();

/// Whether the locale names a character set that is not UTF-8, as LC_ALL=C does. Where nothing is
/// set, it does not.
bool wants_ascii();
/// Writes a text for people: what would steer a terminal is shown, not done; in ASCII where the
/// locale has no more. Errors: as write_output.
void write_text(const std::string& text);

}  // namespace pippin
