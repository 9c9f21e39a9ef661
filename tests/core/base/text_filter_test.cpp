// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_filter.h"

#include <utility>
#include <vector>

#include "tests/support/catch.h"

using namespace pippin;

namespace {

const std::string kNul(1, '\0');

std::string with_nuls(std::string text) {
  for (auto& c : text) c = c == '@' ? '\0' : c;
  return text;
}

/// What is left of a text that comes in parts of that size.
std::string whole_lines(const std::string& text, std::size_t size) {
  std::string left;
  WholeLines lines([&](std::string_view part) {
    left += part;
    return true;
  });
  for (std::size_t at = 0; at < text.size(); at += size)
    lines.add(std::string_view(text).substr(at, size));
  lines.finish();
  return left;
}

std::string utf8(const std::string& text, Utf16::Order order, std::size_t size) {
  Utf16 wide(order);
  std::string made;
  for (std::size_t at = 0; at < text.size(); at += size)
    made += wide.add(std::string_view(text).substr(at, size));
  return made + std::string(wide.finish());
}

bool is_binary(const std::string& text, std::size_t size) {
  BinaryWatch watch;
  for (std::size_t at = 0; at < text.size(); at += size)
    watch.see(std::string_view(text).substr(at, size));
  return watch.is_binary();
}

}  // namespace

TEST_CASE("a line that a hole has cut is left out, however the text is cut") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", ""},
      {"a\nb\n", "a\nb\n"},
      {"a\nb", "a\nb"},
      {"a\r\nb\rc", "a\r\nb\rc"},
      {"ms: 12@@@345.6\nb\n", "b\n"},  // not 12, nor 12345.6
      {"@@@@45.6\na\nb\n", "a\nb\n"},  // a file that was cut under its writer
      {"@@@@", ""},
      {"a\n@@@@", "a\n"},  // the machine died
      {"a\nms: 12@@@@", "a\n"},
      {"a\n@@@@\nb\n", "a\nb\n"},
      {"a\nb@c\nd@e\nf", "a\nf"},
      {"1/9\r2@/9\r3/9\r", "1/9\r3/9\r"},  // a bar that is drawn again and again
  };
  for (const auto& [text, expected] : cases) {
    for (std::size_t size = 1; size <= 5; ++size) {
      CAPTURE(text, size);
      CHECK(whole_lines(with_nuls(text), size) == expected);
    }
  }
}

TEST_CASE("a line too long to be kept is passed on, and ends where it ends") {
  const std::string much(std::size_t{9} << 20U, '.');
  CHECK(whole_lines(much + "\nb\n", 100'000) == much + "\nb\n");
  const std::string torn = whole_lines(much + kNul + ".\nb\n", 100'000);
  CHECK(torn.substr(torn.size() - 4) == ".\nb\n");
}

TEST_CASE("UTF-16 of both orders becomes UTF-8, however it is cut") {
  const std::string text = with_nuls("a@\xe9@\xac\x20\x3d\xd8@\xde\n@");
  std::string big = text;
  for (std::size_t i = 0; i + 1 < big.size(); i += 2) std::swap(big[i], big[i + 1]);
  const std::string expected = "a\u00e9\u20ac\U0001f600\n";
  for (std::size_t size = 1; size <= 5; ++size) {
    CHECK(utf8(text, Utf16::Order::kLittle, size) == expected);
    CHECK(utf8(big, Utf16::Order::kBig, size) == expected);
  }
}

TEST_CASE("half a pair of surrogates is no character, and half a one at the end is none") {
  const std::string lone = with_nuls(
      "\x3d\xd8"
      "a@\x42\xde"
      "b@c");
  CHECK(utf8(lone, Utf16::Order::kLittle, 3) == "\ufffda\ufffdb");
  CHECK(utf8("\x3d\xd8", Utf16::Order::kLittle, 2) == "\ufffd");
}

TEST_CASE("a hole makes no binary file, control characters beside NULs do") {
  const std::string text = "step 1 loss 2.5\n", hole(5000, '\0');
  const std::vector<std::pair<std::string, bool>> cases{
      {text + hole + text, false},
      {hole + text, false},
      {hole, false},
      {"\x1b[1m\a\b\f" + text + hole, false},
      {"\x01\x02 no NUL: a prompt's\n" + text, false},
      {with_nuls("\x7f"
                 "ELF@@"),
       true},
      {with_nuls("PK\x03\x04@"), true},
      {hole + "PK\x03\x04", true},
      {with_nuls("8*@@@@@@{\"__metadata__\":{}"), true},  // safetensors: a number in front
      {text + hole + std::string(1024, '.') + "\x01", false},
  };
  for (const auto& [bytes, expected] : cases) {
    for (const std::size_t size : {1, 7, 100'000}) {
      CAPTURE(bytes.substr(0, 40), size);
      CHECK(is_binary(bytes, size) == expected);
    }
  }
}
