#include "slurm/ask.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <pwd.h>
#include <unistd.h>

#include "core/base/text.h"

namespace pippin::slurm {

namespace {

/// A variable that would change what Slurm's programs do or say.
bool is_theirs(const std::string& name) {
  static const std::vector<std::string> kPrefixes{"SLURM_",    "SBATCH_", "SALLOC_",  "SRUN_",
                                                  "SQUEUE_",   "SACCT_",  "SCANCEL_", "SINFO_",
                                                  "SCONTROL_", "PMI_",    "PMIX_"};
  return name != "SLURM_CONF" && name != "SLURM_CONF_SERVER" &&
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](const std::string& prefix) {
           return name.compare(0, prefix.size(), prefix) == 0;
         });
}

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

Answer ask(const std::vector<std::string>& command, std::chrono::seconds patience) {
  Variables environment = own_environment();
  std::erase_if(environment, [](const auto& variable) { return is_theirs(variable.first); });
  // A job inherits what sbatch has.
  if (command.front() != "sbatch") {
    environment.emplace_back("SLURM_TIME_FORMAT", "%s");
    environment.emplace_back("SLURM_BITSTR_LEN", "0");
  }
  return ask_program(command, environment, patience);
}

std::vector<std::string> dropped_variables() {
  std::vector<std::string> names;
  for (const auto& [name, value] : own_environment())
    if (name.starts_with("SBATCH_")) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string complaint_of(const Answer& answer) {
  const std::string_view errors = trim(answer.errors);
  if (answer.gave_up) return "no answer in time";
  if (errors.empty()) return fmt::format("exit {} without a word", answer.exit_code);
  return printable(split(errors, '\n').front());
}

std::string own_user() {
  static const std::string name = find_own_user();
  return name;
}

}  // namespace pippin::slurm
