// SPDX-License-Identifier: Apache-2.0
#include "core/base/edit_document.h"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "core/base/fresh_file.h"
#include "core/base/input_file.h"

namespace pippin {

namespace {

/// The file of whatever name a person uses.
fs::path file_of(const fs::path& named) {
  std::error_code error;
  fs::path file = fs::canonical(named, error);
  if (error) bad_input("{}: cannot read: {}", named.string(), std::strerror(error.value()));
  if (const std::string kind = odd_kind(file); !kind.empty())
    bad_input("{}: is {}, not a file", named.string(), kind);
  return file;
}

bool has(const fs::path& file, const std::string& text) {
  return disk().read(file).value_or("") == text;
}

/// Another file in its place would be no longer that of its other names, its owner or its group.
bool must_stay_the_same_file(const struct stat& file) {
  if (file.st_nlink > 1) return true;
  const bool can_give = file.st_uid == ::geteuid() && ::group_member(file.st_gid) != 0;
  return ::geteuid() != 0 && !can_give;
}

/// Whether the place had `before`, and has what is fresh now. What is saved just then goes back.
bool put_in_place_of(FreshFile& fresh, const fs::path& place, const std::string& before) {
  if (!has(place, before)) return false;
  if (!fresh.trade_places()) {
    fresh.put_in_place();
    return true;
  }
  sync_directory(place.parent_path());
  if (has(fresh.path(), before)) return true;
  fresh.trade_places();
  if (!fresh.has_own_name()) fresh.trade_places();  // it was saved twice: the second stays
  return false;
}

/// Overwrites a file from its beginning. Its blocks are asked for first, so that a full disk is
/// told before anything has changed.
void overwrite(const fs::path& file, std::string_view text) {
  Descriptor open(::open(file.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!open.open()) file_failed("write", file, errno);
  const auto size = static_cast<off_t>(text.size());
  if (const int error = text.empty() ? 0 : ::posix_fallocate(open.number(), 0, size); error != 0)
    file_failed("write", file, error);
  write_all(open, text, file);
  if (::ftruncate(open.number(), size) != 0 || ::fsync(open.number()) != 0 || open.close() != 0)
    file_failed("write", file, errno);
}

/// Overwrites a file while its whole new text lies beside it: that stays if we are killed.
void overwrite_beside(const FreshFile& fresh, const fs::path& file, const std::string& before,
                      const std::string& after) {
  const fs::path whole = file.string() + ".pippin-whole";
  if (::link(fresh.path().c_str(), whole.c_str()) != 0) {
    if (errno != EEXIST) file_failed("create", whole, errno);
    machine_failed(
        "{}: a killed pippin left the whole text of the document there; move it over {}, or remove "
        "it",
        whole.string(), file.filename().string());
  }
  try {
    overwrite(file, after);
  } catch (...) {
    overwrite(file, before);
    ::unlink(whole.c_str());
    throw;
  }
  ::unlink(whole.c_str());
}

}  // namespace

void edit_document(const fs::path& named, const EditText& edit) {
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    const fs::path file = file_of(named);
    const std::string before = read_input(named);
    const std::string after = edit(before);
    if (after == before) return;
    struct stat status {};
    if (::access(file.c_str(), W_OK) != 0 || ::stat(file.c_str(), &status) != 0)
      file_failed("write", named, errno);
    disk().list(file.parent_path());  // and what a killed writer left goes
    FreshFile fresh(file);
    fresh.write(after);
    if (!must_stay_the_same_file(status)) {
      if (put_in_place_of(fresh, file, before)) return;
    } else if (has(file, before)) {
      overwrite_beside(fresh, file, before, after);
      return;
    }
  }
  machine_failed("{}: is saved again and again by another program; nothing was changed",
                 named.string());
}

}  // namespace pippin
