// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace pippin {

/// At least three significant digits, or as many as asked, never an exponent: "1.43", "130",
/// "0.00123", "31400".
std::string short_number(double value, int digits = 3);

/// Nine significant digits, without trailing zeros: what a program reads back.
std::string exact_number(double value);

/// Nothing where figures that no machine has are too large to compute with.
std::optional<double> finite(std::optional<double> number);

/// A mean and its half width, rounded alike: the half width to two significant digits, unless the
/// mean would keep fewer than three. {"1.427", "0.012"}; {"1.43", ""} without a half width.
struct MeanText {
  std::string mean, half_width;
};
MeanText mean_text(double mean, std::optional<double> half_width);

/// A number of parameters as people name models: "52B", "7.53B", "124M", "33.8K", "1040B".
std::string size_text(double params);

/// "45 s", "12 min", "3 h 20 min".
std::string duration_text(double seconds);

}  // namespace pippin
