#include "harness/commands/steps/schedulers.h"

#include "core/base/error.h"
#include "harness/commands/steps/directories.h"
#include "harness/schedulers/local.h"
#include "slurm/slurm.h"

namespace pippin {

std::unique_ptr<Scheduler> scheduler_of(const fs::path& db, const std::string& scheduler,
                                        const NamedValues& options) {
  if (scheduler == "local") {
    return std::make_unique<LocalScheduler>(runs_directory(db) / ".local", default_machine_lock());
  }
  if (scheduler == "slurm") {
    const auto said = [&](const char* name) {
      const Value* value = find_value(options, name);
      return value ? value->text : std::string();
    };
    return std::make_unique<SlurmScheduler>(
        slurm::Place{said("account"), said("qos"), said("partition"), said("dependency")});
  }
  bad_input("scheduler '{}': pippin knows local and slurm", scheduler);
}

}  // namespace pippin
