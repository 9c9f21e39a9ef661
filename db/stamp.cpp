// SPDX-License-Identifier: Apache-2.0
#include "db/stamp.h"

#include <fmt/format.h>

namespace pippin {

std::optional<std::string> stamp_of_database(const fs::path& path) {
  if (!identity_on_disk(path)) return std::nullopt;
  std::string stamp;
  for (const char* end : {"", "-wal", "-journal"}) {
    const auto file = identity_on_disk(path.string() + end);
    if (!file || file->size_bytes == 0) continue;  // a reader may have made it
    const bool is_young = may_change_unseen(file->last_ns());
    stamp += fmt::format("{}{} {} {} {}{}", end, file->inode, file->size_bytes, file->written_ns,
                         file->changed_ns, is_young ? "~" : ".");
  }
  return stamp;
}

}  // namespace pippin
