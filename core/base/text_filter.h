// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pippin {

/// Takes a part of a text; false: it wants no more.
using TakeText = std::function<bool(std::string_view part)>;

/// Passes on the lines of a text in which no NUL stands, in constant memory. Where a file was cut
/// under its writer, or blocks of it were lost, it has NULs: what such a hole has cut is no line,
/// and the numbers on both its sides are none.
class WholeLines {
 public:
  explicit WholeLines(TakeText take) : take_(std::move(take)) {}

  bool add(std::string_view part);
  /// The text is at its end: its last line may have none.
  bool finish();
  bool has_holes() const { return has_holes_; }

 private:
  bool add_without_nul(std::string_view part);
  bool hold(std::string_view part);

  TakeText take_;
  std::string held_;          ///< a line whose end did not come yet
  bool leaving_out_ = false;  ///< the line at hand
  bool begun_ = false;        ///< the line at hand was passed on in part
  bool has_holes_ = false;
};

/// Makes UTF-8 of UTF-16, however that is cut. Half a pair of surrogates becomes U+FFFD, half a
/// character at the end nothing. Source: The Unicode Standard 15.0, 3.9, D91 and D92.
class Utf16 {
 public:
  enum class Order { kLittle, kBig };
  explicit Utf16(Order order) : order_(order) {}

  /// Shape: valid until the next call.
  std::string_view add(std::string_view part);
  std::string_view finish();

 private:
  void add_unit(unsigned unit);

  Order order_;
  std::string half_;        ///< of a character
  unsigned surrogate_ = 0;  ///< the first of two; 0: none
  std::string text_;
};

/// Looks whether what begins so is a binary file. A hole of NULs makes none: a file with a NUL
/// among its first kBytes that are none is binary
/// - where one of those is a control character that no log has (all but BEL, BS, HT, LF, VT, FF,
///   CR, SO, SI and ESC), or
/// - where it begins with a number in binary: the first NUL stands among its first eight bytes, but
///   is not the first of them, or
/// - where a GiB of NULs goes before all.
class BinaryWatch {
 public:
  void see(std::string_view part);
  bool is_binary() const { return binary_; }

 private:
  static constexpr std::size_t kBytes = 1024;

  std::int64_t nuls_ = 0;
  std::string others_;  ///< the first bytes that are no NULs
  bool binary_ = false;
};

}  // namespace pippin
