// SPDX-License-Identifier: Apache-2.0
// Two users of one group at one database: by their numbers, which need no account.
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

constexpr uid_t kAnn = 54321, kBob = 54322;
constexpr gid_t kGroup = 54300;

/// A workplace whose folder belongs to the group.
class SharedWorkplace : public Workplace {
 public:
  SharedWorkplace() {
    shell(fmt::format("chgrp {} . && chmod 2775 .", kGroup));
    shell("setpriv --version || echo none >no-setpriv");
  }

  /// bash in the folder, as that user, who lets the group write.
  Call as(uid_t user, const std::string& command) const {
    write("command.bash", "umask 002\n" + command + "\n");
    return shell(fmt::format("setpriv --reuid={} --regid={} --clear-groups bash command.bash", user,
                             kGroup));
  }
  Call pippin_as(uid_t user, const std::string& arguments) const {
    return as(user, "\"$PIPPIN\" --db t.db " + arguments);
  }
  /// "664 54321", of the files that the pattern of bash fits each once.
  std::string modes(const std::string& files) const {
    return std::string(trim(shell(fmt::format("stat -c '%a %u' {} | sort -u", files)).out));
  }
};

/// Why this cannot be tried here; empty: it can.
std::string obstacle(const SharedWorkplace& here) {
  if (::geteuid() != 0) return "to be two users takes root";
  if (here.text("no-setpriv") != "(none)") return "setpriv is not installed";
  const Call reach = here.as(kBob, "\"$PIPPIN\" --version && touch reached && rm reached");
  return reach.exit_code == 0 ? "" : "other users cannot get at the program, or at TMPDIR";
}

}  // namespace

TEST_CASE("two users of a group measure one sweep into one database") {
  const SharedWorkplace here;
  if (const auto why = obstacle(here); !why.empty()) return test::skip(why);
  const std::string sweep = test::replay_sweep("env: {TOKEN: secret}\n");
  here.write("s.yaml", sweep);
  const Call first = here.pippin_as(kAnn, "run s.yaml");
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(here.modes("t.db") == fmt::format("664 {}", kAnn));
  CHECK(here.modes("t.db.runs/replayed/jobs/*/{job,tasks}.sh") == fmt::format("600 {}", kAnn));
  CHECK(here.modes("t.db.runs/replayed/*/*/{done,log}") == fmt::format("664 {}", kAnn));
  CHECK(here.modes("t.db.runs/replayed/*/") == fmt::format("2775 {}", kAnn));

  CHECK_THAT(here.pippin_as(kBob, "run s.yaml").err, Contains("was finished already"));
  CHECK_THAT(here.pippin_as(kBob, "status").out, Contains("12 ok"));
  std::string more = sweep;
  here.write("s.yaml", more.replace(more.find("allocations: 3"), 14, "allocations: 4"));
  const Call second = here.pippin_as(kBob, "run s.yaml");
  CAPTURE(second.err);
  CHECK(second.exit_code == 0);
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "16|16");
  CHECK(here.modes("t.db.runs/replayed/jobs/*/job.sh") ==
        fmt::format("600 {}\n600 {}", kAnn, kBob));

  CHECK(here.pippin_as(kAnn, "run s.yaml").exit_code == 0);
  CHECK(here.pippin_as(kAnn, "run s.yaml --again").exit_code == 0);
  CHECK(here.pippin_as(kBob, "collect").exit_code == 0);
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "32|32");
}
