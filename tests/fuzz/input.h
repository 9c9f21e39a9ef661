// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

/// What libFuzzer, or replay.cpp, calls with each input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace pippin::fuzz {

/// An input, taken from its front.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  /// 0 where nothing is left.
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  /// Without its end, which is passed over.
  std::string_view line() { return up_to("\n"); }
  /// What stands before a text, which is passed over; all where it is not there.
  std::string_view up_to(std::string_view end) {
    const std::size_t at = rest_.find(end);
    const std::string_view taken = rest_.substr(0, at);
    rest_ = at == std::string_view::npos ? std::string_view() : rest_.substr(at + end.size());
    return taken;
  }
  std::string_view rest() const { return rest_; }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// Several files in one input: each begins with a line "=== PATH".
inline std::map<std::string, std::string> files_in(std::string_view text) {
  constexpr std::string_view kMark = "=== ";
  std::map<std::string, std::string> files;
  std::string* file = nullptr;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(kMark)) {
      file = &files[std::string(line.substr(kMark.size()))];
    } else if (file != nullptr) {
      file->append(text.substr(0, end == std::string_view::npos ? end : end + 1));
    }
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return files;
}

/// Does what may be refused: an Error is an answer. Anything else that is thrown is a finding.
template <typename Action>
void refusable(Action action) {
  try {
    action();
  } catch (const Error&) {
  }
}

/// Gives an input to the reader that its first byte chooses. Always 0, as libFuzzer wants it.
inline int read_chosen(const std::uint8_t* data, std::size_t size,
                       void (*read)(std::uint8_t reader, Input& input)) {
  Input input(data, size);
  const std::uint8_t reader = input.byte();
  refusable([&] { read(reader, input); });
  return 0;
}

/// What `action` gives, or the words of its refusal, which tell nothing apart.
template <typename Action>
std::string text_or_refusal(Action action) {
  try {
    return action();
  } catch (const Error&) {
    return "refused";
  }
}

/// Ends the process where a property does not hold: a finding.
inline void expect(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", property);
  std::abort();
}

/// The same of two texts, which are shown.
inline void expect_same(const std::string& a, const std::string& b, const char* property) {
  if (a == b) return;
  // Either may have NULs.
  for (const auto& [name, text] : {std::pair{"one", &a}, {"the other", &b}})
    std::cerr << name << ":\n" << *text << '\n';
  expect(false, property);
}

}  // namespace pippin::fuzz
