// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/files.h"
#include "db/database.h"
#include "harness/commands/steps/folder_walk.h"

namespace pippin {

inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;

/// A file that is to be read.
struct Found {
  fs::path path;
  bool named = false;               ///< by itself, not by its folder
  std::int64_t written_at = 0;      ///< seconds since 1970; now for what keeps no time
  std::optional<ReadFile> as_read;  ///< to be known again by
  bool is_young = false;            ///< it may change unseen, so that it is not to be known again
  std::string odd;                  ///< as FolderWalk::File has it
  NamedValues told;                 ///< what people say of it
  std::optional<std::size_t> job;   ///< of whose ranks' files it may be one: a RankJob's place
  std::int64_t rank = 0;
};

/// `named`: by a person, `now_ns`: since 1970.
Found found_at(FolderWalk::File&& file, bool named, std::int64_t now_ns);

}  // namespace pippin
