// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/descriptor.h"

namespace pippin {

/// A file that is to take the place of another: beside it, hidden, of a name that nobody can guess.
/// It has the mode of the one in its place and, as far as we may, its owner; where there is none,
/// what the umask leaves; 0600 where it is private. It is gone with this object, unless it took its
/// place. Errors: Error (machine) naming the file that could not be written.
class FreshFile {
 public:
  explicit FreshFile(fs::path place, bool is_private = false);
  ~FreshFile();
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  const fs::path& path() const { return path_; }
  /// The end of it: all is on the disk when this returns.
  void write(std::string_view text);
  /// A part of it, before its end.
  void append(std::string_view text);
  /// Durably.
  void put_in_place();
  /// Trades names with the file in its place: that one is the fresh one now, and goes with this
  /// object. False, and nothing done, where the file system cannot.
  bool trade_places();
  /// Whether what has its name is what was written.
  bool has_own_name() const;

 private:
  void create(unsigned mode);

  fs::path place_, path_;
  Descriptor file_{-1};
  Descriptor traded_{-1};  ///< locked, so that nobody takes it for what a killed writer left
  bool is_there_ = false;
};

/// Whether a name is one that FreshFile gives.
bool is_fresh_name(std::string_view name);

/// Removes a file of such a name, if its writer was killed; a living one locks it.
void remove_if_left(const fs::path& file);

/// Writes all of a text to a file that is open.
void write_all(const Descriptor& file, std::string_view text, const fs::path& path);

/// Makes what was renamed in the folder last through a power cut.
void sync_directory(const fs::path& directory);

}  // namespace pippin
