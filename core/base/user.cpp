// SPDX-License-Identifier: Apache-2.0
#include "core/base/user.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/process.h"
#include "core/base/text.h"

namespace pippin {

namespace {

std::optional<std::string> user_in_file(uid_t id) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> users(std::fopen("/etc/passwd", "re"),
                                                              std::fclose);
  if (!users) return std::nullopt;
  while (const struct passwd* entry = ::fgetpwent(users.get())) {
    if (entry->pw_uid == id) return entry->pw_name;
  }
  return std::nullopt;
}

/// getpwuid() would load what the libc of this machine knows users by (LDAP, …), and a program that
/// is linked statically has no libc that could: `id` is asked instead.
std::string find_own_user() {
  constexpr std::chrono::seconds kPatience{10};
  if (const auto name = user_in_file(::getuid())) return *name;
  if (!find_program("id").empty()) {
    const Answer answer = ask_program({"id", "-un"}, own_environment(), kPatience);
    if (answer.exit_code == 0) return std::string(trim(answer.output));
  }
  return std::to_string(::getuid());
}

}  // namespace

std::string own_user() {
  static const std::string name = find_own_user();
  return name;
}

unsigned own_umask() {
  constexpr mode_t kStrict = 077;  // for what another thread makes meanwhile
  const mode_t mask = ::umask(kStrict);
  ::umask(mask);
  return mask;
}

}  // namespace pippin
