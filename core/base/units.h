// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pippin {

inline constexpr double kBillion = 1e9;  ///< "B" of a model's size: 52B is 52e9 parameters
inline constexpr double kTera = 1e12;
inline constexpr double kGb = 1e9;                        ///< bytes
inline constexpr double kGib = 1024.0 * 1024.0 * 1024.0;  ///< bytes
inline constexpr double kMibPerGib = 1024.0;
inline constexpr double kMsPerSecond = 1000.0;
inline constexpr double kUsPerSecond = 1e6;

}  // namespace pippin
