// SPDX-License-Identifier: Apache-2.0
#include "core/base/replace_file.h"

#include <system_error>

#include "core/base/fresh_file.h"

namespace pippin {

void make_parents(const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) file_failed("create", path.parent_path(), error.value());
}

void replace_file(const fs::path& path, std::string_view text, bool is_private) {
  make_parents(path);
  FreshFile fresh(path, is_private);
  fresh.write(text);
  fresh.put_in_place();
}

}  // namespace pippin
