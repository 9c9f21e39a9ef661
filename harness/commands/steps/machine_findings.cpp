// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/mount.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "db/lock.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/findings.h"
#include "harness/commands/steps/session.h"
#include "sweeps/probes.h"

namespace pippin {

namespace {

using State = Finding::State;

/// The first line of `PROGRAM --version`; empty where the program is not here or does not say.
std::string version_line(const std::string& program) {
  constexpr std::chrono::seconds kPatience{10};
  if (find_program(program).empty()) return "";
  Variables environment = own_environment();
  environment.emplace_back("LC_ALL", "C");
  const Answer answer = ask_program({program, "--version"}, environment, kPatience);
  return printable(trim(split(answer.output, '\n').front()));
}

/// "GNU bash, version 5.2.15(1)-release" → "5.2.15"; empty where no word is a number.
std::string version_in(std::string_view line) {
  for (std::string_view word : split(line, ' ')) {
    const std::string_view number = word.substr(0, word.find_first_not_of("0123456789."));
    if (!number.empty() && number[0] != '.') return std::string(number);
  }
  return "";
}

bool is_older(std::string_view version, std::int64_t major, std::int64_t minor) {
  const auto parts = split(version, '.');
  const auto first = parse_integer(parts[0]);
  const auto second = parts.size() > 1 ? parse_integer(parts[1]) : std::nullopt;
  if (!first) return false;
  return *first < major || (*first == major && second.value_or(0) < minor);
}

/// A program that jobs on this machine call, by the Debian package that has it.
struct Needed {
  std::string program, package, why;
  std::int64_t major, minor;  ///< the oldest that will do
};

const std::vector<Needed>& needed() {
  static const std::vector<Needed> kNeeded{
      {"bash", "bash", "job scripts are written in it", 4, 2},                  // printf's %(…)T
      {"sync", "coreutils", "jobs make their results durable with it", 8, 24},  // sync FILE
      {"setsid", "util-linux", "jobs outlive their terminal by it", 0, 0},
  };
  return kNeeded;
}

Finding program_finding(const Needed& need) {
  if (find_program(need.program).empty()) {
    return {State::kMissing, need.program,
            fmt::format("not on PATH; {}: apt install {}", need.why, need.package)};
  }
  const std::string version = version_in(version_line(need.program));
  if (is_older(version, need.major, need.minor)) {
    return {State::kMissing, need.program,
            fmt::format("{} is too old; {}: {}.{} or newer is needed", version, need.why,
                        need.major, need.minor)};
  }
  return {State::kHere, need.program, version.empty() ? "of unknown version" : version};
}

/// What `PROGRAM --built` says behind "built with: ", or nothing, its words then in `trouble`.
std::optional<std::string> built_with(const fs::path& program, std::string& trouble) {
  constexpr std::chrono::seconds kPatience{10};
  constexpr std::string_view kBegin = "built with: ";
  const Answer answer = ask_program({program.string(), "--built"}, own_environment(), kPatience);
  if (answer.exit_code == 0 && answer.output.starts_with(kBegin))
    return printable(trim(std::string_view(answer.output).substr(kBegin.size())));
  const std::string words(trim(answer.errors + answer.output));
  trouble = printable(split(words, '\n').front());
  return std::nullopt;
}

Finding probes_finding() {
  const fs::path folder = probes_directory();
  std::vector<std::string> lost;
  for (const auto& probe : probe_names()) {
    if (::access((folder / probe).c_str(), X_OK) != 0) lost.push_back(probe);
  }
  if (lost.empty()) {
    std::string trouble;
    const auto built = built_with(folder / "training", trouble);
    const State state = built ? State::kHere : State::kMissing;
    return {state, "probes",
            fmt::format("{} in {}; {}", join(probe_names(), ", "), folder.string(),
                        built.value_or("they do not start: " + trouble))};
  }
  return {State::kMissing, "probes",
          fmt::format("{} not in {}; a sweep without a command of its own runs them: {}",
                      join(lost, ", "), folder.string(), how_to_get_probes(""))};
}

Finding mpi_finding() {
  const std::string line = version_line("mpirun");
  if (const auto at = line.find("Open MPI"); at != std::string::npos)
    return {State::kHere, "mpirun", "Open MPI " + version_in(line.substr(at))};
  if (find_program("mpirun").empty()) {
    return {State::kMissing, "mpirun",
            "not on PATH; cluster 'local' starts ranks with it: apt install openmpi-bin"};
  }
  return {State::kNote, "mpirun",
          fmt::format("not Open MPI's ({}); its options may differ: write a cluster file with a "
                      "launch of its own, or apt install openmpi-bin",
                      line.empty() ? "it does not say whose" : line)};
}

Finding gpus_finding() {
  std::string trouble;
  const OwnGpus gpus = own_gpus(trouble);
  if (!trouble.empty()) return {State::kNote, "GPUs", "nvidia-smi fails: " + trouble};
  if (gpus.count == 0) {
    return {State::kAbsent, "GPUs",
            find_program("nvidia-smi").empty()
                ? "no nvidia-smi here; runs on NVIDIA's GPUs need their driver"
                : "nvidia-smi sees none"};
  }
  return {State::kHere, "GPUs",
          fmt::format("{} × {}{}, driver {}", gpus.count, gpus.name,
                      gpus.mixed ? " and others" : "", gpus.driver)};
}

/// The probes that were built with CUDA.
Finding cuda_probes_finding(bool has_gpus) {
  const fs::path program = probes_directory() / "training-cuda";
  if (::access(program.c_str(), X_OK) != 0) {
    return {has_gpus ? State::kNote : State::kAbsent, "CUDA probes",
            fmt::format("there is no {}; sweeps with 'device: cuda' need it: {}", program.string(),
                        how_to_get_probes(" --with cuda"))};
  }
  std::string trouble;
  const auto built = built_with(program, trouble);
  if (!built) return {State::kNote, "CUDA probes", "they do not start here: " + trouble};
  return {State::kHere, "CUDA probes", *built};
}

/// A file that goes when this does.
class ScratchFile {
 public:
  explicit ScratchFile(const fs::path& folder)
      : path_((folder / ".pippin-doctor-XXXXXX").string()), file_(::mkstemp(path_.data())) {}
  ~ScratchFile() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(path_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  int file() const { return file_; }

 private:
  std::string path_;
  int file_;
};

/// Both kinds of lock: campaigns use the one, SQLite the other.
bool can_lock(int file) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fcntl(file, F_SETLK, &range) == 0;
}

std::optional<double> free_gib(const fs::path& folder) {
  constexpr double kBytesPerGib = 1024.0 * 1024.0 * 1024.0;
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return std::nullopt;
  return static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize) / kBytesPerGib;
}

std::string space_text(std::optional<double> gib) {
  return gib ? fmt::format("{:.{}f} GiB free", *gib, *gib < 10 ? 1 : 0) : "free space unknown";
}

Finding folder_finding(const fs::path& db) {
  constexpr double kLittle_gib = 1;
  const fs::path folder = fs::absolute(db).lexically_normal().parent_path();
  const auto missing = [&](const std::string& words) {
    return Finding{State::kMissing, "database", folder.string() + words};
  };
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    return missing(": no such folder: make it, or name another by --db");
  const ScratchFile scratch(folder);
  if (scratch.file() < 0)
    return missing(
        fmt::format(": cannot write there ({}): name another place by --db", std::strerror(errno)));
  if (!can_lock(scratch.file()))
    return missing(fmt::format(": files cannot be locked there ({}): name another place by --db",
                               std::strerror(errno)));
  const auto space = free_gib(folder);
  const bool shared = db::on_network_file_system(folder / "any");
  const bool are_local = locks_are_local(mount_of(folder));
  return {are_local || (space && *space < kLittle_gib) ? State::kNote : State::kHere, "database",
          fmt::format(
              "{}: writable, {}, {}{}", folder.string(),
              are_local ? "locks are each node's own: work on a sweep from one node" : "locks work",
              space_text(space),
              shared ? "; a network file system: one process at a time opens it" : "")};
}

}  // namespace

std::vector<Finding> machine_findings(const fs::path& db) {
  std::vector<Finding> findings;
  for (const auto& need : needed()) findings.push_back(program_finding(need));
  findings.push_back(probes_finding());
  findings.push_back(mpi_finding());
  findings.push_back(gpus_finding());
  findings.push_back(cuda_probes_finding(findings.back().state == State::kHere));
  findings.push_back(folder_finding(db));
  return findings;
}

}  // namespace pippin
