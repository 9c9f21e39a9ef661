// SPDX-License-Identifier: Apache-2.0
// TensorBoard's event files, made byte by byte.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/scrape/event_records.h"

namespace pippin::test::events {

template <typename Number>
inline std::string bytes_of(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes.push_back(static_cast<char>(number & 0xff));
    number >>= 8;
  }
  return bytes;
}

inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number > 0x7f; number >>= 7) bytes.push_back(static_cast<char>((number & 0x7f) | 0x80));
  bytes.push_back(static_cast<char>(number));
  return bytes;
}

inline std::string real64(char key, double number) {
  return key + bytes_of(std::bit_cast<std::uint64_t>(number));
}

inline std::string real32(char key, float number) {
  return key + bytes_of(std::bit_cast<std::uint32_t>(number));
}

inline std::string text(char key, const std::string& bytes) {
  return key + varint(bytes.size()) + bytes;
}

inline std::string record(const std::string& data) {
  const std::string length = bytes_of<std::uint64_t>(data.size());
  return length + bytes_of(masked_crc32c(length)) + data + bytes_of(masked_crc32c(data));
}

/// Of an event file's begin.
inline std::string version() {
  return record(real64('\x09', 1700000000.5) + text('\x1a', "brain.Event:2"));
}

inline std::string event(std::int64_t step, const std::string& value) {
  return record(real64('\x09', 1700000001.5) + '\x10' + varint(static_cast<std::uint64_t>(step)) +
                text('\x2a', text('\x0a', value)));
}

inline std::string scalar(std::int64_t step, const std::string& tag, double number) {
  return event(step, text('\x0a', tag) + real32('\x15', static_cast<float>(number)));
}

inline std::string tensor(std::int64_t step, const std::string& tag, const std::string& content) {
  return event(step, text('\x0a', tag) + text('\x42', content));
}

inline std::string argument(const std::string& name, const std::string& value) {
  return tensor(0, name + "/text_summary", "\x08\x07" + text('\x42', value));
}

inline std::string times(const std::vector<double>& seconds, std::int64_t first = 1,
                         std::int64_t interval = 1) {
  std::string events;
  for (const double time : seconds) {
    events += scalar(first, "iteration-time", time);
    first += interval;
  }
  return events;
}

}  // namespace pippin::test::events
