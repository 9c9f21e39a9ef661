// SPDX-License-Identifier: Apache-2.0
#include "core/base/mount.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "core/base/text.h"

namespace pippin {

namespace {

/// "mnt_id:<tab>27" of the folder, as claim.bash reads it; empty where the kernel does not say.
std::string mount_number(const fs::path& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return "";
  const auto text = disk().read(fmt::format("/proc/self/fdinfo/{}", handle)).value_or("");
  ::close(handle);
  for (std::string_view line : split(text, '\n')) {
    constexpr std::string_view kName = "mnt_id:";
    if (line.starts_with(kName)) return std::string(trim(line.substr(kName.size())));
  }
  return "";
}

/// The number behind "acdirmax=".
std::optional<std::int64_t> option(std::string_view options, std::string_view name) {
  for (std::string_view word : split(options, ',')) {
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
      return parse_integer(word.substr(name.size() + 1));
  }
  return std::nullopt;
}

}  // namespace

Mount mount_in(std::string_view mounts, std::string_view number) {
  for (std::string_view line : split(mounts, '\n')) {
    const auto words = split(line, ' ');
    const auto mark = std::find(words.begin(), words.end(), "-");
    if (words.front() != number || words.end() - mark < 4) continue;
    return {"", std::string(mark[1]), std::string(mark[3])};
  }
  return {};
}

Mount mount_of(const fs::path& folder) {
  const std::string number = mount_number(folder);
  if (number.empty()) return {};
  Mount mount = mount_in(disk().read("/proc/self/mountinfo").value_or(""), number);
  const auto boot = disk().read("/proc/sys/kernel/random/boot_id");
  if (boot) mount.view = fmt::format("{}/{}", trim(*boot), number);
  return mount;
}

std::int64_t longest_kept_s(const Mount& mount) {
  constexpr std::int64_t kNfs_s = 60, kCifs_s = 1;
  const bool is_nfs = mount.type.starts_with("nfs");
  const bool is_cifs = mount.type == "cifs" || mount.type == "smb3";
  if (!is_nfs && !is_cifs) return 0;
  const auto words = split(mount.options, ',');
  if (std::find(words.begin(), words.end(), "noac") != words.end()) return 0;
  const std::int64_t usual_s = option(mount.options, "actimeo").value_or(is_nfs ? kNfs_s : kCifs_s);
  return std::max(option(mount.options, "acregmax").value_or(usual_s),
                  option(mount.options, "acdirmax").value_or(usual_s));
}

bool locks_are_local(const Mount& mount) {
  const auto words = split(mount.options, ',');
  const auto says = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (mount.type == "lustre") return says("localflock");
  if (mount.type.starts_with("nfs"))
    return says("local_lock=all") || says("local_lock=flock") || says("nolock");
  if (mount.type != "beegfs") return false;
  constexpr std::string_view kFile = "cfgFile=";
  const auto file = std::find_if(words.begin(), words.end(),
                                 [&](std::string_view word) { return word.starts_with(kFile); });
  const std::string config =
      file == words.end() ? "" : disk().read(file->substr(kFile.size())).value_or("");
  for (std::string_view line : split(config, '\n')) {
    const auto parts = split(line, '=');
    if (parts.size() == 2 && trim(parts[0]) == "tuneUseGlobalFileLocks")
      return trim(parts[1]) != "true";
  }
  return true;
}

}  // namespace pippin
