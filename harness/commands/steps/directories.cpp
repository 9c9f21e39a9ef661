// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/directories.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace pippin {

namespace {

fs::path installed_in() { return own_executable().parent_path().parent_path(); }

fs::path installed_probes() { return installed_in() / "libexec/pippin"; }

/// Another version's probes may know other options. Source: the XDG base directories.
fs::path own_probes() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  const fs::path data = variable("XDG_DATA_HOME"), home = variable("HOME");
  const char* folder = "pippin/probes-" PIPPIN_VERSION;
  if (data.is_absolute()) return data / folder;
  return home.is_absolute() ? home / ".local/share" / folder : fs::path();
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return !path.empty() && fs::exists(path, ignored);
}

/// The nearest folder on the way to `path` that is there can be written.
bool can_be_made(const fs::path& path) {
  fs::path there = path.parent_path();
  while (!is_there(there)) there = there.parent_path();
  return ::access(there.c_str(), W_OK) == 0;
}

/// Behind a link ".." is the parent of what that points to.
fs::path beside(const fs::path& db) {
  const fs::path runs = fs::absolute(db.string() + ".runs");
  const bool climbs = std::find(runs.begin(), runs.end(), "..") != runs.end();
  std::error_code error;
  const fs::path folder = climbs ? fs::weakly_canonical(runs.parent_path(), error) : fs::path();
  return climbs && !error ? folder / runs.filename() : runs.lexically_normal();
}

/// What a link points to, though that need not be there; `path` itself where it is none.
fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // Source: path_resolution(7)
  std::error_code ignored;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, ignored); ++i) {
    const fs::path target = fs::read_symlink(path, ignored);
    path = path.parent_path() / target;
  }
  return path;
}

}  // namespace

fs::path runs_directory(const fs::path& db) {
  fs::path own = beside(db);
  // Older versions put it beside the link.
  return is_there(own) ? own : beside(behind_links(db));
}

fs::path sweep_directory(const fs::path& db, const std::string& sweep) {
  return runs_directory(db) / file_name_of(sweep);
}

fs::path probes_directory() {
  fs::path built = own_executable().parent_path() / "probes";
  if (is_there(built)) return built;
  const fs::path own = own_probes();
  return is_there(own) ? own : installed_probes();
}

fs::path place_for_probes() {
  fs::path own = own_probes(), installed = installed_probes();
  const bool is_anothers = is_there(installed) && !is_there(installed / kBuiltProbes);
  if (!is_there(own) && !is_anothers && can_be_made(installed)) return installed;
  if (own.empty())
    machine_failed("{}: cannot write there, and neither XDG_DATA_HOME nor HOME is set: set one",
                   installed.string());
  return own;
}

fs::path probes_source() {
  const fs::path source = installed_in() / "share/pippin/probes";
  return is_there(source / "CMakeLists.txt") ? source : fs::path();
}

std::string how_to_get_probes(const std::string& with) {
  if (!probes_source().empty()) return "'pippin probes build" + with + "' builds them";
  return with.empty() ? "install pippin again, or build the target 'all'"
                      : "put nvcc on PATH, configure and build pippin again";
}

}  // namespace pippin
