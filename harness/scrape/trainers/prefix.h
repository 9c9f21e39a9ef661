// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pippin {

/// Whether a text is what launchers, loggers, containers and bars put before a trainer's own words,
/// not a sentence, a quotation or code that has those words in it.
bool is_prefix(std::string_view before);

/// Who speaks, of a line with such a prefix.
struct Speaker {
  std::string name;      ///< the prefix without times, levels and places in code
  bool is_rank = false;  ///< it names a rank, a process or a host, not a logger alone
};
Speaker speaker_of(std::string_view before);

/// The number of "rank 3" or "[rank3]" in a prefix, the last one; nothing where it has none.
std::optional<std::int64_t> rank_in(std::string_view before);

/// How many ranks there are, by the "rank-3/8" of AMD Primus' logger; nothing where it has none.
std::optional<std::int64_t> ranks_in(std::string_view before);

/// The time that a prefix says, read as UTC: "2025-06-16 22:30:50,322", "2025-06-16T22:30:50.322Z"
/// or "10/17/2025 16:31:56". Nothing where there is none. In seconds.
struct Moment {
  double at = 0;       ///< since 1970
  double quantum = 1;  ///< the step in which it is written: 0.001 of "22:30:50,322"
};
std::optional<Moment> moment_of(std::string_view before);
std::optional<double> time_of(std::string_view before);

}  // namespace pippin
