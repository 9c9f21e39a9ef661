// SPDX-License-Identifier: Apache-2.0
// Each call by which a command changes or reads files, or asks SQLite, fails once in turn, does
// half of what it is asked, or is the last before pippin is killed: what a command works on is as
// it was before, or as it is after.
#include <cstdlib>
#include <fmt/format.h>
#include <set>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::Workplace;

namespace {

/// What a command works on, made anew for each try: bash in its folder, and a call of pippin.
struct Work {
  std::string prepare, command;
  std::string state;              ///< prints all that is to be as before, or as after
  bool in_steps = false;          ///< it may end between two of several steps, and then goes on
  std::string never = {};         ///< prints what must not be, at any time
  bool without_database = false;  ///< whose calls need not fail again here
};

/// Of the database all but when it was written, and what can be computed again.
constexpr const char* kRows = R"(
  rm -f copy.db
  if [ -s t.db ]; then
    sqlite3 t.db 'PRAGMA synchronous = off; VACUUM INTO "copy.db"'
    sqlite3 copy.db 'PRAGMA synchronous = off; UPDATE logs SET collected_at = 0;
      UPDATE campaigns SET started = "";
      UPDATE notes SET written_at = 0; UPDATE dropped_runs SET dropped_at = 0;
      UPDATE deleted_runs SET deleted_at = 0; UPDATE deleted_logs SET deleted_at = 0;
      DELETE FROM read_files; DELETE FROM run_digests; DELETE FROM point_summaries;
      DELETE FROM axis_values; DELETE FROM places' .dump | grep ^INSERT | sort
  fi)";

/// Of many logs, which are numbered as they come.
constexpr const char* kLogs = R"(
  if [ -s t.db ]; then
    sqlite3 t.db "SELECT path, runs.name, state, (SELECT count(*) || ' ' || sum(step_time_ms)
      FROM iterations WHERE run = runs.id), (SELECT count(*) FROM arguments WHERE run = runs.id)
      FROM logs LEFT JOIN runs ON log = logs.id ORDER BY path, position"
  fi)";

constexpr const char* kDamage = R"(
  if [ -s t.db ]; then
    sqlite3 t.db 'PRAGMA integrity_check; PRAGMA foreign_key_check' | grep -v '^ok$'
  fi)";

constexpr const char* kCollected = R"(
  cp $DATA/logs/megatron-2021-16-gpus.out $DATA/logs/megatron-deepspeed-3d.out .
  "$PIPPIN" --db t.db --quiet collect megatron-2021-16-gpus.out)";

/// As an older pippin left it, with lists of hosts and iterations that newer ones write otherwise.
constexpr const char* kOldDatabase = R"(
  for version in $DATA/../../db/migrations/000[1-9]*.sql $DATA/../../db/migrations/001[0-3]*.sql; do
    sqlite3 t.db <"$version"
  done
  sqlite3 t.db "PRAGMA application_id = 1885958256; PRAGMA user_version = 13;
    INSERT INTO points (id, name, trainer) VALUES ('p', 'p', 'megatron');
    INSERT INTO allocations (name) VALUES ('a');
    INSERT INTO runs (id, name, point, allocation, position, state, scraper_version, node_list)
    VALUES (1, 'r', 'p', 1, 1, 'ok', 1, 'n[1-3]');
    INSERT INTO iterations (run, position, iteration, step_time_ms, interval, flags)
    VALUES (1, 1, 1, 100.5, 1, 0), (1, 2, 2, 101.5, 1, 0);")";

/// A sweep of two runs, each of which says that it was executed.
constexpr const char* kSweep = R"(
  touch executed
  cat >s.yaml <<TEXT
sweep: s
cluster: local
command: "echo {name} >>${PWD%base}work/executed; for i in 1 2 3; do echo iteration \$i/ 3 '|' elapsed time per iteration '(ms)': 10\$i.0 '|' global batch size: {mbs} '|'; done"
grid: {mbs: [1, 2]}
iterations: 3
repeats: {allocations: 1, runs: 1}
TEXT)";

constexpr const char* kExecuted = R"(
  sort executed
  sqlite3 t.db "SELECT name, state, (SELECT group_concat(step_time_ms) FROM iterations WHERE run =
    runs.id) FROM runs ORDER BY name")";

/// How one try went.
struct Try {
  int exit_code = 0;
  std::string err, state, wrong, left;
};

class Faults {
 public:
  explicit Faults(Work work) : work_(std::move(work)) {
    here_.shell("mkdir base; cd base\n" + in_place(work_.prepare));
    before_ = attempt(0, "error", "--version").state;
    const auto whole = attempt(0, "error", work_.command);
    CAPTURE(whole.err, whole.wrong);
    REQUIRE(whole.exit_code == 0);
    REQUIRE(whole.wrong.empty());
    after_ = whole.state;
    REQUIRE(before_ != after_);
    const std::string calls = here_.text("calls");
    for (const auto line : split(trim(calls), '\n')) calls_.emplace_back(line);
    REQUIRE(calls_.size() > 5);
  }

  /// `how`: error, less, kill; fail_one_call.c says what they are.
  void fail_each(const std::string& how) {
    for (std::size_t call = 1; call <= calls_.size(); ++call) {
      if (!is_to_fail(call, how)) continue;
      INFO(fmt::format("{}: {} at call {}, {}", work_.command, how, call, calls_[call - 1]));
      check(attempt(call, how, work_.command), how);
    }
  }
  void fail_each() {
    for (const char* how : {"error", "less", "kill"}) fail_each(how);
  }

 private:
  bool is_to_fail(std::size_t call, const std::string& how) const {
    const std::string& name = calls_[call - 1];
    const bool of_sqlite = name.find("sqlite3_") == 0, reads = name.find("read") <= 1;
    const bool of_database = of_sqlite || name.find("64") != name.npos || name == "fdatasync";
    if (of_database && (work_.without_database || is_one_of_many(call))) return false;
    if (how == "less") return reads || name.find("write") <= 1;
    if (how == "kill") return !of_sqlite && !reads && name != "open" && name != "close";
    return true;
  }

  /// A database is asked and written to some hundred times, all by the same few lines; with
  /// PIPPIN_FAULTS=all each of these calls fails.
  bool is_one_of_many(std::size_t call) const {
    constexpr std::size_t kMost = 150;
    static const bool all = std::getenv("PIPPIN_FAULTS") != nullptr;
    return !all && call % (calls_.size() / kMost + 1) != 0;
  }

  static std::string in_place(const std::string& command) {
    return fmt::format("export DATA={}/tests/data TMPDIR=$PWD\n{}\n",
                       test::source_directory().string(), command);
  }

  Try attempt(std::size_t call, const std::string& how, const std::string& command) {
    here_.shell("rm -rf work calls; cp -a base work");
    return go_on(call, how, command);
  }

  Try go_on(std::size_t call, const std::string& how, const std::string& command) {
    const std::string run = fmt::format(
        "FAIL_CALL={} FAIL_HOW={} FAIL_PROGRAM=\"$PIPPIN\" {}LD_PRELOAD={} "
        "ASAN_OPTIONS=verify_asan_link_order=0 \"$PIPPIN\" --db t.db {} >../said 2>../complained "
        "</dev/null\n"
        "echo $? >../ended",
        call, how, call == 0 ? "FAIL_LIST=../calls " : "", FAIL_ONE_CALL, command);
    const auto state =
        here_.shell("cd work\n" + in_place(run + "\n" + work_.state + "\n{ :\n" + work_.never +
                                           "\n} >../wrong 2>&1\n"
                                           "find . -name '.*pippin-*' -type f >../left"));
    const std::string ended = here_.text("ended");
    return {static_cast<int>(parse_integer(trim(ended)).value_or(-1)), here_.text("complained"),
            state.out, here_.text("wrong"), here_.text("left")};
  }

  void check(const Try& tried, const std::string& how) {
    CAPTURE(tried.exit_code, tried.err);
    if (how == "kill") {
      CHECK(tried.exit_code == 128 + 9);
    } else if (how == "less" || tried.exit_code == 0) {
      CHECK(tried.exit_code == 0);
      CHECK(difference(tried.state, after_) == "");
    } else {
      CHECK((tried.exit_code == 2 || tried.exit_code == 3));
      CHECK(ends_with_a_complaint(tried.err));
    }
    CHECK(tried.wrong == "");
    if (tried.state == after_) return;
    if (!work_.in_steps) CHECK(difference(tried.state, before_) == "");
    const auto again = go_on(0, "error", work_.command);
    CAPTURE(again.exit_code, again.err);
    CHECK(again.exit_code == 0);
    CHECK(difference(again.state, after_) == "");
    CHECK(again.wrong == "");
    CHECK(again.left == "");
  }

  /// A line that one text has and the other has not, cut to what can be read.
  static std::string difference(const std::string& text, const std::string& other) {
    constexpr std::size_t kReadable = 200;
    std::multiset<std::string_view> lines;
    for (const auto line : split(other, '\n')) lines.insert(line);
    for (const auto line : split(text, '\n')) {
      const auto same = lines.find(line);
      if (same == lines.end()) return "more: " + std::string(line.substr(0, kReadable));
      lines.erase(same);
    }
    return lines.empty() ? "" : "less: " + std::string(lines.begin()->substr(0, kReadable));
  }

  static bool ends_with_a_complaint(const std::string& err) {
    const auto lines = split(trim(err), '\n');
    return lines.back().substr(0, 8) == "pippin: " && err.find("::") == std::string::npos;
  }

  Workplace here_;
  Work work_;
  std::string before_, after_;
  std::vector<std::string> calls_;
};

}  // namespace

TEST_CASE("a collect into a new database stores a log or leaves none, whatever fails") {
  Faults({"cp $DATA/logs/megatron-deepspeed-3d.out .", "collect megatron-deepspeed-3d.out", kRows,
          false, kDamage})
      .fail_each();
}

TEST_CASE("a collect into a database adds a log or leaves it as it was, whatever fails") {
  Faults({kCollected, "collect megatron-deepspeed-3d.out", kRows, false, kDamage}).fail_each();
}

TEST_CASE("a collect of many logs goes on where it ended, whatever failed") {
  Faults({"mkdir l; cp $DATA/logs/*.out $DATA/trainers/l*.log l; gzip l/l*", "collect l", kLogs,
          true, kDamage})
      .fail_each();
}

TEST_CASE("what is said of stored runs is stored or not, whatever fails") {
  const std::string imported =
      "cp $DATA/notes/gpt2.md .; \"$PIPPIN\" --db t.db --quiet import "
      "gpt2.md --seq 1024";
  Faults({kCollected, "note 1 'a slow day'", kRows, false, kDamage}).fail_each();
  Faults({kCollected, "drop 1 --because 'a slow day'", kRows, false, kDamage}).fail_each();
  Faults({kCollected, "drop 1 --forever --yes", kRows, false, kDamage}).fail_each();
}

TEST_CASE("tables of others are taken in or not, whatever fails") {
  Faults({"head -n 80 $DATA/notes/gpt2.md >n.md", "import n.md --seq 1024", kRows, false, kDamage})
      .fail_each();
}

TEST_CASE("a colleague's database is merged or not, whatever fails") {
  Faults({std::string(kCollected) + "\n\"$PIPPIN\" --db o.db --quiet collect "
                                    "megatron-deepspeed-3d.out",
          "merge o.db", kRows, false, kDamage})
      .fail_each();
}

TEST_CASE("a database of an older version becomes one of this or stays, whatever fails") {
  Faults({kOldDatabase, "note 1 'a slow day'", kRows, true, kDamage}).fail_each();
}

TEST_CASE("a document is retabled or left as it was, whatever fails") {
  Faults({"cp $DATA/notes/gpt2.md n.md", "retable n.md --seq 1024 --factor 4", "cat n.md"})
      .fail_each();
}

TEST_CASE("a table in a document is renewed or left as it was, whatever fails") {
  constexpr const char* kDocument = R"(
  cat >n.md <<TEXT
Mine.

<!-- pippin:begin collected -->
<!-- pippin:end -->

Mine, too.
TEXT)";
  Faults({std::string(kCollected) + kDocument, "report --update n.md", "cat n.md", false, kDamage})
      .fail_each();
}

TEST_CASE("a run that meets a failing call goes on afterwards, and executes nothing twice") {
  Faults({kSweep, "run s.yaml", kExecuted, true, "sort executed | uniq -d; " + std::string(kDamage),
          true})
      .fail_each("error");
}

TEST_CASE("a run that is killed before any call goes on afterwards, and executes nothing twice") {
  Faults({kSweep, "run s.yaml", kExecuted, true, "sort executed | uniq -d; " + std::string(kDamage),
          true})
      .fail_each("kill");
}

TEST_CASE("runs are packed and read as before at any time, whatever fails") {
  const std::string finished = std::string(kSweep) + R"(
  "$PIPPIN" --db t.db --quiet run s.yaml
  for i in $(seq 600); do
    find t.db.runs/.local/waiting t.db.runs/.local/running -name '[0-9]*' | grep -q . || break
    sleep 0.1
  done)";
  constexpr const char* kLost = R"(
  "$PIPPIN" --db t.db tail 1 2>/dev/null | grep -c elapsed | sed -n '/^3$/!s/$/ lines of a log/p'
  cp -r t.db.runs n.db.runs
  "$PIPPIN" --db n.db --quiet collect
  sqlite3 n.db "SELECT count(*) FROM iterations" | sed -n '/^6$/!s/$/ iterations/p'
  rm -rf n.db*)";
  Faults({finished, "pack s", "find t.db.runs/s -type f | sort", true, kLost, true}).fail_each();
}
