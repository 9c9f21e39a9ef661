#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"

namespace pippin {

/// Makes the folders that a path lies in. Errors: Error (machine).
void make_parents(const fs::path& path);

/// What FileSystem::write() does on the disk. `is_private`: only the user can read the file,
/// whatever was there before.
void replace_file(const fs::path& path, std::string_view text, bool is_private = false);

/// A file, and what it is to hold.
struct FileText {
  fs::path path;
  std::string text;
  bool is_private = false;  ///< on the disk only the user can read it
};

/// Writes each as files.write() does; on the disk many wait no longer than one.
/// Errors: as write(); some may have been written then.
void write_many(FileSystem& files, const std::vector<FileText>& texts);

}  // namespace pippin
