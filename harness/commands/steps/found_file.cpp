// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/found_file.h"

#include <sys/stat.h>
#include <utility>

#include "harness/commands/steps/known_runs.h"
#include "harness/scrape/scrape.h"

namespace pippin {

Found found_at(FolderWalk::File&& file, bool named, std::int64_t now_ns) {
  Found found;
  found.path = std::move(file.path);
  found.named = named;
  found.written_at = now_ns / kNsPerSecond;
  found.odd = std::move(file.odd);
  struct stat status {};
  if (::stat(found.path.c_str(), &status) != 0) return found;
  if (!S_ISREG(status.st_mode) && found.odd.empty()) return found;
  found.written_at = status.st_mtim.tv_sec;
  const std::int64_t written_ns = status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec;
  found.as_read = ReadFile{std::move(file.known_as),
                           {status.st_size, written_ns, static_cast<std::int64_t>(status.st_ino)},
                           kScraperVersion};
  found.is_young = may_change_unseen(found.as_read->stamp.written_ns);
  return found;
}

}  // namespace pippin
