// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace pippin {

/// Writes JSON as it goes, laid out as nlohmann's dump(indent) does: nothing of it stays in memory.
/// Without an indent, all in one line.
/// Requires that what is begun is ended, and in an object a key before each value.
class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out, std::size_t indent = 2) : out_(out), indent_(indent) {}
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  JsonWriter& key(std::string_view name);
  /// Bytes that are no UTF-8 are replaced, as JSON cannot hold them.
  void text(std::string_view value);
  void integer(std::int64_t value);
  void natural(std::uint64_t value);
  void number(double value);
  /// 62017.052 of 62017052: exact, whatever its size.
  void thousandths(std::int64_t value);
  void truth(bool value);
  void null();

 private:
  void begin(char bracket);
  void end(char bracket);
  void before_value();
  void new_line();
  void append_text(std::string_view value);

  std::ostream& out_;
  std::size_t indent_;   ///< blanks for each depth; 0: no lines at all
  std::string waiting_;  ///< to be written
  std::size_t depth_ = 0;
  bool is_first_ = true;  ///< of its array or object
  bool has_key_ = false;  ///< of the value that comes
};

/// JSON with what would steer a terminal as \uNNNN in its texts, which a reader gets back as it
/// was. Requires JSON, whose texts escape C0.
std::string quiet_json(std::string_view json);

}  // namespace pippin
