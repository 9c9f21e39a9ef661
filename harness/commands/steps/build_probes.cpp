// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/build_probes.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "core/base/embedded_file.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "harness/commands/steps/directories.h"

namespace pippin {

const std::vector<EmbeddedFile>& probes_script();  // build_probes.bash alone

namespace {

/// A folder that goes when this does, if it is there.
class ScratchFolder {
 public:
  explicit ScratchFolder(fs::path path) : path_(std::move(path)) {}
  ~ScratchFolder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool kept_ = false;
};

/// A folder for temporary files that nobody else has. Errors: Error (machine).
fs::path new_temporary_folder() {
  std::string path = (temporary_folder() / "pippin-probes-XXXXXX").string();
  if (!::mkdtemp(path.data()))
    machine_failed("{}: cannot make a folder: {}; name another place by TMPDIR", path,
                   std::strerror(errno));
  return path;
}

/// A name beside `place` that no other process takes.
fs::path beside(const fs::path& place, const char* what) {
  return fmt::format("{}.{}-{}", place.string(), what, ::getpid());
}

/// What a job of the cluster begins with.
std::string prolog_of(const ProbesBuild& build) {
  std::string text;
  for (const auto& variable : build.env)
    text += fmt::format("export {}={}\n", variable.first, bash_word(variable.second));
  for (const auto& line : build.prolog) text += line + "\n";
  return text;
}

std::string run_script(const ProbesBuild& build, ScratchFolder& work, const fs::path& programs) {
  constexpr int kLacksSomething = 2;          // and so the log has nothing to say
  constexpr std::chrono::hours kPatience{6};  // kernels for many GPUs on a slow login node
  std::vector<std::string> command{"bash",
                                   "-c",
                                   std::string(probes_script().front().text),
                                   "build_probes",
                                   build.source.string(),
                                   work.path().string(),
                                   programs.string(),
                                   prolog_of(build)};
  command.insert(command.end(), build.with.begin(), build.with.end());
  const Answer answer = ask_program(command, own_environment(), kPatience);
  if (answer.exit_code == 0) return answer.output;
  if (answer.exit_code != kLacksSomething) work.keep();
  const std::string complaint = printable(trim(answer.errors));
  machine_failed("probes build: {}",
                 complaint.empty() ? fmt::format("ended with {}; the log is {}", answer.exit_code,
                                                 (work.path() / "log").string())
                                   : complaint);
}

/// Moves a folder to where another may be. Who runs a program of the old one keeps it.
void replace_folder(const fs::path& folder, const fs::path& place) {
  const ScratchFolder aside(beside(place, "old"));
  std::error_code error;
  if (fs::exists(place)) fs::rename(place, aside.path(), error);
  if (!error) fs::rename(folder, place, error);
  if (error) machine_failed("{}: cannot put the probes there: {}", place.string(), error.message());
}

}  // namespace

std::string build_probes(const ProbesBuild& build,
                         const std::function<void(const fs::path& log)>& begun) {
  std::error_code error;
  fs::create_directories(build.place.parent_path(), error);
  if (error) machine_failed("{}: cannot be made: {}", build.place.string(), error.message());
  const ScratchFolder programs(beside(build.place, "new"));
  ScratchFolder work(new_temporary_folder());
  begun(work.path() / "log");
  std::string built = run_script(build, work, programs.path());
  disk().write(programs.path() / kBuiltProbes, built);
  replace_folder(programs.path(), build.place);
  return built;
}

}  // namespace pippin
