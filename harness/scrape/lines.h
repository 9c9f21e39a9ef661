// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pippin {

/// The lines of a log, without what terminals and launchers added: ended by \n or \r, no escape
/// sequences, no host ("node-1: ") and no rank tags ("[default7]:", "[rank0]:", "[1,7]<stdout>:",
/// "[0]", "0: ") in front.
class Lines {
 public:
  explicit Lines(std::string_view log);

  /// False at the end. `line` is valid until the next call.
  bool next(std::string_view& line);
  /// The last line given had its end; false for one that is still being written.
  bool terminated() const { return terminated_; }

 private:
  std::string_view rest_;
  std::size_t feed_, carriage_;  // of the next \n and \r in rest_
  bool terminated_ = true;
  std::string clean_;
};

/// What a logger puts before every line ("2021-06-10 20:47:54,123 "), learned from one line; any
/// digit stands for any other.
class LoggerPrefix {
 public:
  void learn(std::string_view prefix) { shape_ = prefix; }
  std::string_view strip(std::string_view line) const;

 private:
  std::string shape_;
};

/// `line` without the host's name and the rank tags it begins with.
std::string_view without_labels(std::string_view line);

/// `text` without the rank tags it begins with.
std::string_view without_tags(std::string_view text);

/// `line`, whose end did not come, without the word that may be cut. A bracket, a quote, a bar or a
/// percent sign ends one.
std::string_view without_cut_word(std::string_view line);

/// `line` without ANSI escape sequences (ECMA-48: CSI, OSC, and ESC with one character).
std::string without_escapes(std::string_view line);

}  // namespace pippin
