// SPDX-License-Identifier: Apache-2.0
#include "reports/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"

namespace pippin {

namespace {

constexpr std::size_t kChunk = 1 << 16;

bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

JsonWriter::~JsonWriter() { out_ << waiting_; }

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  append_text(name);
  waiting_ += indent_ == 0 ? ":" : ": ";
  has_key_ = true;
  return *this;
}

void JsonWriter::text(std::string_view value) {
  before_value();
  append_text(value);
}

void JsonWriter::integer(std::int64_t value) {
  before_value();
  waiting_ += std::to_string(value);
}

void JsonWriter::natural(std::uint64_t value) {
  before_value();
  waiting_ += std::to_string(value);
}

void JsonWriter::number(double value) {
  before_value();
  waiting_ += nlohmann::json(value).dump();
}

void JsonWriter::thousandths(std::int64_t value) {
  constexpr std::uint64_t kParts = 1000;
  before_value();
  const std::uint64_t size =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  if (value < 0) waiting_ += '-';
  waiting_ += std::to_string(size / kParts);
  const std::string rest = std::to_string(kParts + size % kParts);
  if (size % kParts != 0) waiting_ += "." + rest.substr(1, rest.find_last_not_of('0'));
}

void JsonWriter::truth(bool value) {
  before_value();
  waiting_ += value ? "true" : "false";
}

void JsonWriter::null() {
  before_value();
  waiting_ += "null";
}

void JsonWriter::begin(char bracket) {
  before_value();
  waiting_ += bracket;
  ++depth_;
  is_first_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!is_first_) new_line();
  is_first_ = false;
  waiting_ += bracket;
  if (waiting_.size() < kChunk) return;
  out_ << waiting_;
  waiting_.clear();
}

/// A comma and a line, but after a key and before the first value of all.
void JsonWriter::before_value() {
  if (has_key_ || depth_ == 0) {
    has_key_ = false;
    return;
  }
  if (!is_first_) waiting_ += ',';
  is_first_ = false;
  new_line();
}

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  waiting_ += '\n';
  waiting_.append(depth_ * indent_, ' ');
}

void JsonWriter::append_text(std::string_view value) {
  if (!std::all_of(value.begin(), value.end(), is_plain)) {
    waiting_ += quiet_json(
        nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  waiting_ += '"';
  waiting_ += value;
  waiting_ += '"';
}

std::string quiet_json(std::string_view json) {
  const auto is_ascii = [](char c) { return c >= 0 && c != '\x7f'; };
  if (std::all_of(json.begin(), json.end(), is_ascii)) return std::string(json);  // nearly always
  constexpr std::uint32_t kOneUnit = 0x10000, kHigh = 0xD800, kLow = 0xDC00, kTenBits = 0x3FF;
  std::string quiet;
  while (!json.empty()) {
    const Character character = first_character(json);
    const std::uint32_t code = character.code;
    if (!character.steers || code < ' ')
      quiet += character.bytes;
    else if (code < kOneUnit)
      quiet += fmt::format("\\u{:04x}", code);
    else
      quiet += fmt::format("\\u{:04x}\\u{:04x}", kHigh + ((code - kOneUnit) >> 10),
                           kLow + ((code - kOneUnit) & kTenBits));
    json.remove_prefix(character.bytes.size());
  }
  return quiet;
}

}  // namespace pippin
