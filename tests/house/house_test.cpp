// SPDX-License-Identifier: Apache-2.0
// The rooms of the house and what each may include. A room knows lower floors and itself; rooms on
// one floor never meet; an inner room (sweeps/estimate) is known to the room around it.
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

const std::map<std::string, int>& floors() {
  static const std::map<std::string, int> kFloors{
      {"harness/cli", 7},
      {"harness/commands", 6},
      {"harness/commands/steps", 5},
      {"harness/campaign", 4},
      {"harness/schedulers", 4},
      {"harness/scrape", 4},
      {"slurm", 4},
      {"pbs", 4},
      {"reports", 4},
      {"reports/statistics", 3},
      {"sweeps", 3},
      {"sweeps/estimate", 3},
      {"db", 3},
      {"core/jobs", 2},
      {"core/records", 1},
      {"core/http", 1},
      {"core/base", 0},
  };
  return kFloors;
}

/// The top folders, and the floor that each stands on.
const std::map<std::string, int>& top_floors() {
  static const std::map<std::string, int> kFloors{
      {"harness", 3}, {"reports", 2}, {"slurm", 2}, {"pbs", 2},
      {"sweeps", 1},  {"db", 1},      {"core", 0},
  };
  return kFloors;
}

std::string top_of(const std::string& path) { return path.substr(0, path.find('/')); }

/// Headers of outside libraries, by what their path begins with, and the rooms that may know them.
const std::map<std::string, std::set<std::string>>& homes() {
  static const std::map<std::string, std::set<std::string>> kHomes{
      {"CLI/", {"harness/cli"}},
      {"yaml-cpp/", {"sweeps"}},
      {"sqlite3.h", {"db"}},
      {"boost/process", {"core/base"}},
      {"boost/asio", {"core/base", "core/http"}},  // processes are waited for by it
      {"boost/beast", {"core/http"}},
      {"boost/math", {"reports/statistics"}},
      {"Eigen/", {"reports/statistics"}},
      {"nlopt", {"reports/statistics"}},
      {"nlohmann/", {"core/jobs", "db", "harness/scrape", "pbs", "reports", "sweeps/estimate"}},
      {"utf8proc.h", {"core/base"}},
      {"xxhash.h", {"core/base"}},
      {"archive", {"core/base"}},
      {"re2/", {"core/base"}},
      {"zlib.h", {"core/base"}},
      {"zip.h", {"core/base"}},
  };
  return kHomes;
}

struct Include {
  std::string file, target;
  bool quoted = false;
};

std::vector<Include> includes_below(const std::string& folder) {
  std::vector<Include> found;
  const fs::path root = test::source_directory();
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    const std::string text = read_input(entry.path());
    for (std::string_view line : split(text, '\n')) {
      line = trim(line);
      if (line.substr(0, 8) != "#include") continue;
      const std::string_view target = trim(line.substr(8));
      const auto end = target.find_first_of("\">", 1);
      found.push_back({fs::relative(entry.path(), root).string(),
                       std::string(target.substr(1, end - 1)), target[0] == '"'});
    }
  }
  return found;
}

/// The room that a path lies in: the longest that is a folder of it; empty where none is.
std::string room_of(const std::string& path) {
  std::string room;
  for (const auto& floor : floors()) {
    const bool inside = path.substr(0, floor.first.size() + 1) == floor.first + "/";
    if (inside && floor.first.size() > room.size()) room = floor.first;
  }
  return room;
}

/// Without data: excerpts of logs, inputs of the fuzzers; and without what people are to copy.
std::vector<fs::path> sources_below(const std::string& folder) {
  static const std::set<std::string> kExtensions{".cpp",  ".h",  ".cu",    ".cuh", ".c",
                                                 ".bash", ".sh", ".cmake", ".py",  ".sql"};
  std::vector<fs::path> found;
  for (auto entry = fs::recursive_directory_iterator(test::source_directory() / folder);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (name == "data" || name == "corpus" || name == "examples" || name == "node_modules")
      entry.disable_recursion_pending();
    else if (kExtensions.count(entry->path().extension().string()) == 1)
      found.push_back(entry->path());
  }
  return found;
}

bool may_include(const std::string& room, const std::string& other) {
  const bool inner = other.substr(0, room.size() + 1) == room + "/";
  return room == other || inner || floors().at(other) < floors().at(room);
}

}  // namespace

TEST_CASE("every room includes from lower floors or itself") {
  std::set<std::string> seen;
  for (const auto& [folder, floor] : top_floors()) {
    for (const auto& include : includes_below(folder)) {
      const std::string room = room_of(include.file);
      CAPTURE(include.file, include.target);
      REQUIRE_FALSE(room.empty());
      seen.insert(room);
      const std::string other = room_of(include.target);
      if (include.quoted) CHECK_FALSE(other.empty());
      if (!other.empty()) CHECK(may_include(room, other));
    }
  }
  CHECK(seen.size() == floors().size());
}

TEST_CASE("at the top every include runs down") {
  for (const auto& [folder, floor] : top_floors()) {
    for (const auto& include : includes_below(folder)) {
      const auto other = top_floors().find(top_of(include.target));
      if (!include.quoted || other == top_floors().end() || other->first == folder) continue;
      CAPTURE(include.file, include.target);
      CHECK(other->second < floor);
    }
  }
}

TEST_CASE("every outside library has its home and stays out of headers") {
  for (const auto& [folder, floor] : top_floors()) {
    for (const auto& include : includes_below(folder)) {
      for (const auto& home : homes()) {
        if (include.quoted || include.target.substr(0, home.first.size()) != home.first) continue;
        CAPTURE(include.file, include.target);
        CHECK(home.second.count(room_of(include.file)) == 1);
        CHECK(fs::path(include.file).extension() == ".cpp");
      }
    }
  }
}

TEST_CASE("probes and harness share no header") {
  for (const auto& include : includes_below("probes")) {
    CAPTURE(include.file, include.target);
    if (include.quoted) CHECK(room_of(include.target).empty());
  }
  for (const auto& [folder, floor] : top_floors()) {
    for (const auto& include : includes_below(folder)) {
      CAPTURE(include.file, include.target);
      CHECK(include.target.substr(0, 7) != "probes/");
    }
  }
}

TEST_CASE("every source says its licence at its head") {
  for (const auto& folder : {"cmake", "core", "db", "docs", "harness", "packaging", "pbs", "probes",
                             "reports", "slurm", "sweeps", "tests"}) {
    const auto sources = sources_below(folder);
    CHECK_FALSE(sources.empty());
    for (const auto& source : sources) {
      CAPTURE(source.string());
      CHECK(read_input(source).substr(0, 200).find("SPDX-License-Identifier: Apache-2.0\n") !=
            std::string::npos);
    }
  }
}

namespace {

/// Where each type of a header stands, by its namespace and name; what functions or other types
/// hold has no name of its own.
std::map<std::string, std::set<std::string>> types_of_headers() {
  static const std::regex kSpace("namespace ([a-z:]+) \\{.*");
  static const std::regex kType(
      "(?:struct|class|enum class|enum) (\\w+)(?: final)?(?: : .*| \\{.*|$)");
  std::map<std::string, std::set<std::string>> places;
  for (const auto& [folder, floor] : top_floors()) {
    for (const auto& source : sources_below(folder)) {
      if (source.extension() != ".h") continue;
      std::string space;
      const std::string text = read_input(source);
      for (const std::string_view line : split(text, '\n')) {
        std::match_results<std::string_view::const_iterator> match;
        if (std::regex_match(line.begin(), line.end(), match, kSpace)) space = match[1];
        if (std::regex_match(line.begin(), line.end(), match, kType) && !line.ends_with(';'))
          places[space + "::" + match[1].str()].insert(source.string());
      }
    }
  }
  return places;
}

}  // namespace

TEST_CASE("no two headers give one name to different types, of which the program would take one") {
  const auto types = types_of_headers();
  CHECK(types.size() > 300);
  for (const auto& [name, places] : types) {
    CAPTURE(name, places);
    CHECK(places.size() == 1);
  }
}
