// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/cli/pippin.h"

#include <fmt/format.h>

#include "core/base/process.h"
#include "core/base/text.h"

namespace pippin::test {

Call Workplace::shell(const std::string& command) const {
  const std::string script = fmt::format(
      "cd '{0}' && export TMPDIR='{0}' PIPPIN='{1}' LC_ALL=C.UTF-8 && unset XDG_RUNTIME_DIR\n"
      "{{ {2}\n}} >out.txt 2>err.txt",
      folder_.path().string(), PIPPIN_PROGRAM, command);
  const Outcome outcome = run_program({"bash", "-c", script});
  return {outcome.exit_code, text("out.txt"), text("err.txt")};
}

Call Workplace::pippin(const std::string& arguments) const {
  return shell("\"$PIPPIN\" --db t.db " + arguments);
}

void Workplace::write(const std::string& name, const std::string& text) const {
  disk().write(folder_ / name, text);
}

std::string Workplace::text(const std::string& name) const {
  return disk().read(folder_ / name).value_or("(none)");
}

std::string Workplace::sql(const std::string& query) const {
  return std::string(trim(shell(fmt::format("sqlite3 t.db \"{}\"", query)).out));
}

std::string replay_sweep(const std::string& more) {
  return "sweep: replayed\n"
         "probe: replay\n"
         "cluster: local\n"
         "grid: {tp: [1, 2], pp: [1, 2]}\n"
         "gpus: 16\n"
         "fixed: {step_time_ms: 500, sleep_factor: 0.005}\n"
         "iterations: 5\n"
         "repeats: {allocations: 3, runs: 1}\n" +
         more;
}

}  // namespace pippin::test
