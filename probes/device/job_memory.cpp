// SPDX-License-Identifier: Apache-2.0
#include "probes/device/job_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

#include "probes/common/environment.h"

namespace pippin::probes {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Nothing where it is no number: "max".
std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() && end.ptr != text.data() ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> number_at(const std::string& file) {
  std::string word;
  std::ifstream(file) >> word;
  return number_in(word);
}

/// The names of a version's files.
struct Version {
  const char *limit, *used, *reclaimable;
};
constexpr Version kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                            "total_inactive_file"};
constexpr Version kVersion2{"memory.max", "memory.current", "inactive_file"};

/// "inactive_file 4096" → 4096
std::uint64_t statistic(const std::string& folder, const std::string& name) {
  std::ifstream file(folder + "/memory.stat");
  std::string word;
  for (std::uint64_t value = 0; file >> word >> value;)
    if (word == name) return value;
  return 0;
}

/// What one cgroup has left.
std::uint64_t room_in(const std::string& folder, const Version& version) {
  const auto limit = number_at(folder + "/" + version.limit);
  if (!limit) return kNoLimit;
  const std::uint64_t used = number_at(folder + "/" + version.used).value_or(0);
  const std::uint64_t needed = used - std::min(used, statistic(folder, version.reclaimable));
  return *limit - std::min(*limit, needed);
}

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// A hierarchy of cgroups: where it is mounted, and which part of it.
struct Mount {
  std::string part, folder;
};

/// Lines "31 23 0:28 PART FOLDER OPTIONS… - TYPE SOURCE SUPER_OPTIONS".
std::optional<Mount> mount_of(const std::string& root, bool second) {
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word, type, source, options;
    Mount mount;
    words >> word >> word >> word >> mount.part >> mount.folder;
    while (words >> word && word != "-") continue;
    words >> type >> source >> options;
    const bool is_it = second ? type == "cgroup2" : type == "cgroup" && has_word(options, "memory");
    if (is_it) return mount;
  }
  return std::nullopt;
}

/// The least room from the process's own cgroup up to the mount.
std::uint64_t room_along(const std::string& root, std::string path, bool second) {
  const auto mount = mount_of(root, second);
  if (!mount) return kNoLimit;
  // In a container the mount may show a part of the hierarchy only.
  if (mount->part != "/" && path.rfind(mount->part, 0) == 0) path.erase(0, mount->part.size());
  if (path.find("/..") != std::string::npos) path.clear();
  std::uint64_t room = kNoLimit;
  for (;;) {
    while (!path.empty() && path.back() == '/') path.pop_back();
    const std::string folder = std::string(root).append(mount->folder).append(path);
    room = std::min(room, room_in(folder, second ? kVersion2 : kVersion1));
    if (path.empty()) return room;
    path.erase(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
}

/// Lines "4:memory:/path" of version 1, "0::/path" of version 2.
std::uint64_t room_of_cgroups(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  std::uint64_t room = kNoLimit;
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_second = controllers.empty();
    if (is_second || has_word(controllers, "memory"))
      room = std::min(room, room_along(root, line.substr(second + 1), is_second));
  }
  return room;
}

/// What Slurm has given the job on this node; 0 means all of it.
std::uint64_t room_by_slurm() {
  constexpr std::uint64_t kMib = 1 << 20;
  std::uint64_t mib = number_in(environment("SLURM_MEM_PER_NODE")).value_or(0);
  if (mib == 0)
    mib = number_in(environment("SLURM_MEM_PER_CPU")).value_or(0) *
          number_in(environment("SLURM_CPUS_ON_NODE")).value_or(0);
  return mib == 0 || mib > kNoLimit / kMib ? kNoLimit : mib * kMib;
}

}  // namespace

std::uint64_t job_bytes(const std::string& root) {
  constexpr std::uint64_t kShareOfProgram = 16;
  const std::uint64_t room = std::min(room_of_cgroups(root), room_by_slurm());
  return room == kNoLimit ? room : room - room / kShareOfProgram;
}

}  // namespace pippin::probes
