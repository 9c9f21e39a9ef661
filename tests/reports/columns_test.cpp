// SPDX-License-Identifier: Apache-2.0
#include "reports/columns.h"

#include <algorithm>

#include "core/base/text.h"
#include "reports/column_names.h"
#include "reports/exact_columns.h"
#include "reports/presets.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// Two rows with axes of their own, of which only the first has `Z`.
std::vector<Summary> rows() {
  Summary a = test::row_52b("a", 1), b = test::row_52b("b", 2);
  a.point.axes = {{"zero", value_of(1.0)}, {"opt_offl", value_of("yes")}, {"Z", value_of(3.0)}};
  b.point.axes = {{"zero", value_of(2.0)}, {"opt_offl", value_of("no")}, {"z", value_of(4.0)}};
  return {a, b};
}

/// "TITLE<NAME>" or "TITLE<axis NAME>", then the decimals.
std::string described(const std::string& text) {
  std::vector<std::string> all;
  for (const auto& column : columns_named(text, rows())) {
    CHECK(column.asked);
    const std::string name = column.kind ? column.kind->name : "axis " + column.axis;
    const std::string decimals = column.decimals ? ":" + std::to_string(*column.decimals) : "";
    all.push_back(column.title + "<" + name + ">" + decimals);
  }
  return join(all, ", ");
}

}  // namespace

TEST_CASE("a column is named by its canonical name, a title, an alias or an axis") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"gpus", "GPUs<gpus>"},
      {"GPUs", "GPUs<gpus>"},
      {"PP Chunks", "PP Chunks<gas>"},
      {"Mic-BS,Glob-BS", "Mic-BS<mbs>, Glob-BS<gbs>"},
      {"tflops:1", "TFLOPS<tflops>:1"},
      {"TFlops:1", "TFlops<tflops>:1"},
      {"Time [s]=step_time:0", "Time [s]<step_time>:0"},
      {"memory:9", "memory GiB<memory>:9"},
      {" ZeRO = zero ", "ZeRO<axis zero>"},
      {"zero", "zero<axis zero>"},
      {"Opt Offl", "Opt Offl<axis opt_offl>"},
      {"axis_zero", "axis_zero<axis zero>"},
      {"Z", "Z<axis Z>"},
      {"z", "z<axis z>"},
      {"?Z", "Z<axis Z>"},
      {"?tp", "TP<tp>"},
      {"?bucket", ""},
      {"gpus,?bucket,tp", "GPUs<gpus>, TP<tp>"},
      {"a=b=step_time", "(refused)"},
      {"*", "zero<axis zero>, opt_offl<axis opt_offl>, Z<axis Z>, z<axis z>"},
      {"tp,*,ZeRO=zero,?z",
       "TP<tp>, opt_offl<axis opt_offl>, Z<axis Z>, ZeRO<axis zero>, z<axis z>"},
      {"a=*", "(refused)"},
      {"*:1", "(refused)"},
      {"Speed (samples/s)", "Speed (samples/s)<samples_per_s>"},
      {"tp,tp", "TP<tp>, TP<tp>"}};
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    if (expected == "(refused)") {
      CHECK_THROWS(columns_named(text, rows()));
    } else {
      CHECK(described(text) == expected);
    }
  }
}

TEST_CASE("an axis comes before an alias and after a canonical name") {
  Summary row = test::row_52b("a", 1);
  row.point.axes = {{"speed", value_of("fast")}, {"mfu", value_of("high")}};
  const auto columns = columns_named("speed,mfu,axis_mfu", std::vector<Summary>{row});
  CHECK(columns.at(0).axis == "speed");
  CHECK(columns.at(1).kind == find_column_kind("mfu"));
  CHECK(columns.at(2).axis == "mfu");
}

TEST_CASE("a column that is none is refused with what is near") {
  const auto refused = [](const std::string& text) -> std::string {
    try {
      columns_named(text, rows());
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const auto begins = [&](const std::string& text, const std::string& with) {
    CAPTURE(text);
    CHECK(refused(text).substr(0, with.size()) == with);
  };
  begins("tflps", "--columns: no column 'tflps', did you mean 'tflops'? (there is sweep, point, ");
  begins("zerro", "--columns: no column 'zerro', did you mean 'zero'?");
  begins("MSizes", "--columns: no column 'MSizes', did you mean 'MSize'?");
  begins("nothing like it", "--columns: no column 'nothing like it' (there is ");
  begins("tflops:10", "--columns tflops:10: decimals are from 0 to 9");
  begins("tflops:-1", "--columns tflops:-1: decimals are from 0 to 9");
  begins("tflops:x", "--columns: no column 'tflops:x', did you mean 'tflops'?");
  begins("a\nb", "--columns: no column 'a\\nb'");
  for (const std::string text : {"", ",", "tp,", ",tp", "tp,,pp", "X=", "?", " "}) {
    begins(text, "--columns: a name is missing between two commas, or at an end");
  }
  CHECK(refused("tflps").find("; axes: Z, opt_offl, z, zero)") != std::string::npos);
}

TEST_CASE("every column that a row has is known by its name") {
  for (const auto& kind : column_kinds()) {
    CAPTURE(kind.name);
    const ColumnName* known = find_column_name(kind.name);
    REQUIRE(known);
    CHECK(known->name == kind.name);
    CHECK(usual_columns({kind.name}).at(0).title == known->title);
    CHECK((kind.shown || !kind.fields.empty()));
  }
}

TEST_CASE("a name that only other tables have is refused in one line") {
  std::size_t others = 0;
  for (const auto& name : column_names()) {
    if (find_column_kind(name.name)) continue;
    CAPTURE(name.name);
    ++others;
    try {
      columns_named(name.name, rows());
      FAIL("was taken");
    } catch (const std::exception& error) {
      CHECK(std::string(error.what()).rfind("--columns: no column '" + name.name + "'", 0) == 0);
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
  }
  CHECK(others == 2);  // cluster, tag
}

TEST_CASE("axes that a text may mean are known before any row is") {
  CHECK(axes_in_columns("Opt Offl,?Z:1,A=axis_mfu") ==
        std::set<std::string, std::less<>>{"Opt Offl", "Z", "axis_mfu", "mfu", "opt_offl", "z"});
}

TEST_CASE("of axes that all rows have alike, * shows none") {
  std::vector<Summary> alike = rows();
  alike[1].point.axes = alike[0].point.axes;
  CHECK(columns_named("*", alike).empty());
  alike[1].point.axes[1].second = value_of("no");
  CHECK(columns_named("*", alike).size() == 1);
  alike[0].sweep = alike[1].sweep = "";  // of foreign logs, which look the same otherwise
  alike[1].point.name = alike[0].point.name;
  CHECK(columns_named("*", alike).size() == 1);
  alike[1].point.layout.tp = 2;
  CHECK(columns_named("*", alike).empty());
}

TEST_CASE("every preset shows by which axes rows differ") {
  for (const auto& preset : presets()) {
    CAPTURE(preset.name);
    const auto columns = columns_named(preset.columns, rows());
    CHECK(std::any_of(columns.begin(), columns.end(),
                      [](const Column& column) { return column.axis == "zero"; }));
  }
}

TEST_CASE("every preset names columns that any report has") {
  for (const auto& preset : presets()) {
    CAPTURE(preset.name);
    CHECK_FALSE(preset.purpose.empty());
    const auto columns = columns_named(preset.columns, std::vector<Summary>{test::row_52b("a", 1)});
    CHECK(columns.size() > 6);
    for (const auto& column : columns) CHECK(column.kind);
  }
  Summary row = test::row_52b("a", 1);
  row.point.axes = {{"opt_offl", value_of("Y")}};
  const auto offload = columns_named(preset_named("offload").columns, std::vector<Summary>{row});
  CHECK(offload.at(2).axis == "opt_offl");
  CHECK(offload.at(2).title == "Opt Offl");
  CHECK_THROWS_WITH(preset_named("3b"),
                    "unknown preset '3b', did you mean '3d'? (known: max-model-size, performance, "
                    "3d, bucket, zero, offload, variance, utilisation)");
}

TEST_CASE("an asked column for programs is its exact fields and an axis its title") {
  const auto names = [](const std::string& text) {
    std::vector<std::string> all;
    for (const auto& column : exact_columns({rows(), columns_named(text, rows())}))
      all.push_back(column.name);
    return join(all, ",");
  };
  CHECK(names("Speed,Size,Memory:1") == "step_time_s,ci_low_s,ci_high_s,sd_s,params_b,memory_gib");
  CHECK(names("vs,ZeRO=zero,point") == "vs,vs_low,vs_high,ZeRO,point");
  CHECK(names("allocations,runs,iterations") == "allocations,runs,iterations");
  CHECK(names("counts") == "allocations,runs,iterations");
}

TEST_CASE("usual columns for programs grow by runs and by a comparison") {
  const auto names = [](const std::vector<Summary>& of) {
    std::vector<std::string> all;
    for (const auto& column : exact_columns({of})) all.push_back(column.name);
    return all;
  };
  std::vector<Summary> some = rows();
  const auto usual = names(some);
  CHECK(usual.at(2) == "point");
  CHECK(usual.at(3) == "state");
  CHECK(join({usual.end() - 5, usual.end()}, ",") == "notes,zero,opt_offl,Z,z");
  some[0].run = "run-1";
  some[1].vs = Ratio{};
  const auto more = names(some);
  CHECK(join({more.begin(), more.begin() + 6}, ",") == "sweep,campaign,point,run,started,state");
  CHECK(join({more.end() - 8, more.end()}, ",") == "notes,vs,vs_low,vs_high,zero,opt_offl,Z,z");
}
