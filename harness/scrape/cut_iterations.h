// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pippin {

/// Whether an iteration line has the field that all end with since 2020, so that nothing is
/// missing.
bool has_last_field(std::string_view line);

/// An iteration line that goes on in the next lines: somebody broke it behind bars, or at a column.
class CutIteration {
 public:
  /// Requires a line that has_last_field() is false for.
  void begin(std::string_view line);
  bool is_open() const { return is_open_; }
  bool went_on() const { return went_on_; }
  /// Takes the next line where it is the rest of the one begun, or a part of the rest: nothing but
  /// fields that the line has not, behind what was cut.
  bool take(std::string_view next);
  /// The line as far as it is known.
  const std::string& text() const { return text_; }
  /// The same. Ends it.
  std::string end();

 private:
  std::string text_;
  bool is_open_ = false, went_on_ = false;
};

}  // namespace pippin
