// SPDX-License-Identifier: Apache-2.0
#include "reports/json_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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
    waiting_ +=
        nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  waiting_ += '"';
  waiting_ += value;
  waiting_ += '"';
}

}  // namespace pippin
