// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "core/base/files.h"

namespace pippin::fuzz {

/// A folder of this process in memory where that can be had, gone when the process ends well.
class Folder {
 public:
  Folder() {
    const bool has_memory = fs::is_directory("/dev/shm");
    const fs::path parent = has_memory ? fs::path("/dev/shm") : fs::temp_directory_path();
    path_ = parent / ("pippin-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  /// Without the care that the disk()'s takes for a power cut.
  fs::path write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

}  // namespace pippin::fuzz
