#include "harness/commands/steps/directories.h"

#include "core/base/process.h"
#include "core/base/text.h"

namespace pippin {

fs::path runs_directory(const fs::path& db) {
  return fs::absolute(db.string() + ".runs").lexically_normal();
}

fs::path sweep_directory(const fs::path& db, const std::string& sweep) {
  return runs_directory(db) / file_name_of(sweep);
}

fs::path probes_directory() {
  const fs::path program = own_executable().parent_path();
  const fs::path built = program / "probes";
  return fs::exists(built) ? built : program.parent_path() / "libexec/pippin";
}

}  // namespace pippin
