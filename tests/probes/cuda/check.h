// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "array.h"
#include "probes/common/random.h"
#include "probes/device/cuda/cuda_device.h"
#include "probes/device/cuda/cuda_memory.h"

namespace check {

using namespace pippin::probes;

template <typename T>
constexpr const char* kName = "fp32";
template <>
inline constexpr const char* kName<BFloat16> = "bf16";
template <>
inline constexpr const char* kName<Half> = "fp16";

/// The distance of 1 from the next larger number.
template <typename T>
constexpr double kStep = 0x1p-23;
template <>
inline constexpr double kStep<BFloat16> = 0x1p-7;
template <>
inline constexpr double kStep<Half> = 0x1p-10;

/// How far a result may be from what it must be.
struct Allowed {
  double relative;  ///< of the number itself
  double absolute;
};
/// What is computed in float and rounded to T: one step where float had it in the middle.
template <typename T>
constexpr Allowed rounded_to(double absolute = 3e-6) {
  return {sizeof(T) == 4 ? 1e-5 : kStep<T>, absolute};
}

/// Counts what was right, and prints a line for each call of the device.
class Results {
 public:
  /// What follows is of this call.
  void begin(const std::string& call, const char* type);
  void compare(const std::string& what, const Numbers& is, const Numbers& must, Allowed allowed);
  void expect(const std::string& what, bool is_so);
  /// Prints the line of the last call, and all counts. Whether nothing failed.
  bool finish();

 private:
  void print_line();

  std::string call_;
  double worst_ = 0;  ///< share of what is allowed
  int passed_ = 0, failed_ = 0, passed_before_ = 0, failed_before_ = 0;
};

/// What a case needs.
template <typename T>
struct Rig {
  Results& results;
  Device<T>& device;
  std::uint64_t seed;
  bool large;  ///< sizes that fill a GPU

  /// New ones in each call, as T holds them; after a million the same again.
  template <typename V = T>
  Numbers draw(std::int64_t count, double scale = 1) {
    constexpr std::size_t kPeriod = 1000003;  // a prime: rows differ
    Numbers numbers(static_cast<std::size_t>(count));
    ++seed;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = i < kPeriod ? scale * normal_at(seed, i) : numbers[i - kPeriod];
    return rounded<V>(numbers);
  }
  void begin(const char* call) { results.begin(call, kName<T>); }
};

/// Rows and width of matrices, and elements by which all arrays are shifted.
struct Size {
  std::int64_t rows, width;
  int shift;

  std::int64_t count() const { return rows * width; }
  std::string line() const;
};
std::vector<Size> sizes(bool large);

template <typename T>
void check_elements(Rig<T>& rig);
template <typename T>
void check_products(Rig<T>& rig);
template <typename T>
void check_norms(Rig<T>& rig);
template <typename T>
void check_attention(Rig<T>& rig);
template <typename T>
void check_embedding(Rig<T>& rig);
template <typename T>
void check_loss(Rig<T>& rig);
template <typename T>
void check_optimizer(Rig<T>& rig);
/// What the collective probe sends and looks for.
void check_known_data(Results& results, bool large);

}  // namespace check
