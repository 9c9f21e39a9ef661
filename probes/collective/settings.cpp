// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/settings.h"

#include <climits>
#include <map>
#include <utility>

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& kind : operation_kinds()) names.emplace_back(kind.name);
  names.emplace_back("all");
  return names;
}

}  // namespace

OptionTable collective_options(CollectiveSettings& s) {
  constexpr std::int64_t kMany = 1'000'000'000, kLargest = std::int64_t{1} << 40;
  OptionTable table = {
      choice_option("--operation", s.operation, operation_names(), "what to time"),
      size_option("--minbytes", s.minbytes, 1, kLargest, "the smallest size"),
      size_option("--maxbytes", s.maxbytes, 1, kLargest, "the largest size"),
      whole_option("--stepfactor", s.stepfactor, 0, kMany, "from one size to the next; 0 is 2"),
      size_option("--stepbytes", s.stepbytes, 0, kLargest, "adds that much instead"),
      whole_option("--iters", s.iters, 1, kMany, "timed calls of each size"),
      whole_option("--warmup_iters", s.warmup_iters, 0, kMany, "calls before them"),
      whole_option("--check", s.check, 0, kMany, "calls whose data are checked; 0 is none"),
      choice_option("--op", s.op, {"sum", "max"}, "reduction, max for all_reduce"),
      choice_option("--datatype", s.datatype, {"float", "double", "half", "bfloat16", "uint8"},
                    "of an element"),
      whole_option("--root", s.root, 0, INT_MAX, "of broadcast and reduce"),
      bare_option(choice_option("--statistics", s.statistics, {"0", "1"},
                                "times every call, and the barrier before it, too"),
                  "1"),
      word_option("--json", s.json, "FILE for one JSON object per line; - is standard output"),
      bare_option(choice_option("--pairs", s.pairs, {"none", "nodes", "ranks"},
                                "the bandwidth between every two instead"),
                  "nodes"),
      whole_option("--iterations", s.iterations, 0, kMany,
                   "steps of --operation and --bytes, each a line; 0 is the table"),
      size_option("--bytes", s.bytes, 0, kLargest, "the only size; 0: those of the table"),
      number_option("--step-ms", s.step_ms, 0, 1e6, "a step is as many calls as take so long"),
      choice_option("--device", s.device, {"cpu", "cuda"}, "whose memory is sent"),
  };
  for (auto& option : backend_options(s.backend)) table.push_back(std::move(option));
  return table;
}

std::vector<std::string> long_names(std::vector<std::string> arguments) {
  static const std::map<std::string, std::string> kLong = {
      {"-b", "--minbytes"}, {"-e", "--maxbytes"},     {"-f", "--stepfactor"}, {"-i", "--stepbytes"},
      {"-n", "--iters"},    {"-w", "--warmup_iters"}, {"-c", "--check"},      {"-o", "--op"},
      {"-d", "--datatype"}, {"-r", "--root"},
  };
  for (auto& argument : arguments)
    if (const auto name = kLong.find(argument); name != kLong.end()) argument = name->second;
  return arguments;
}

Element element_named(const std::string& datatype) {
  if (datatype == "double") return Element::kDouble;
  if (datatype == "half") return Element::kHalf;
  if (datatype == "bfloat16") return Element::kBFloat16;
  return datatype == "float" ? Element::kFloat : Element::kByte;
}

std::vector<Operation> chosen_operations(const CollectiveSettings& s) {
  std::vector<Operation> chosen;
  for (const auto& kind : operation_kinds())
    if (s.operation == kind.name || s.operation == "all") chosen.push_back(kind.operation);
  return chosen;
}

namespace {

void check_operations(const CollectiveSettings& s) {
  for (const Operation operation : chosen_operations(s)) {
    const OperationKind& kind = kind_of(operation);
    if (kind.reduces && s.datatype == "uint8")
      bad_input(std::string("--datatype uint8 can be moved, not reduced: not for --operation ") +
                kind.name);
    if (s.op == "max" && operation != Operation::kAllReduce)
      bad_input(std::string("--op max is for --operation all_reduce, not ") + kind.name);
  }
}

void check_steps(const CollectiveSettings& s, int ranks) {
  if (s.bytes == 0) bad_input("--iterations wants --bytes, such as 4M");
  if (s.operation == "all") bad_input("--iterations wants one --operation, not all");
  const Operation operation = chosen_operations(s).front();
  if (count_within(operation, s.bytes, element_named(s.datatype), ranks) == 0)
    bad_input("--bytes " + std::to_string(s.bytes) + " is no element of " + s.datatype + " for " +
              s.operation + " over " + std::to_string(ranks) + " ranks");
  if (s.pairs != "none") bad_input("--iterations and --pairs exclude each other; give one");
  if (!s.json.empty()) bad_input("--iterations prints steps, no --json");
}

}  // namespace

CollectiveSettings with_one_size(CollectiveSettings settings) {
  if (settings.bytes > 0) settings.minbytes = settings.maxbytes = settings.bytes;
  return settings;
}

void check(const CollectiveSettings& s, int ranks) {
  if (s.iterations > 0) check_steps(s, ranks);
  if (s.minbytes > s.maxbytes)
    bad_input("--minbytes " + std::to_string(s.minbytes) + " is more than --maxbytes " +
              std::to_string(s.maxbytes));
  if (s.stepfactor > 0 && s.stepbytes > 0)
    bad_input("--stepfactor and --stepbytes exclude each other; give one");
  if (s.stepfactor == 1) bad_input("--stepfactor 1 stays where it is; give 2 or more");
  if (s.root >= ranks)
    bad_input("--root " + std::to_string(s.root) + " is not among " + std::to_string(ranks) +
              " ranks, counted from 0");
  check_operations(s);
}

void check_counts(const CollectiveSettings& s) {
  if (s.maxbytes / bytes_of(element_named(s.datatype)) > INT_MAX)
    bad_input("--maxbytes " + std::to_string(s.maxbytes) + ": more than 2^31 elements of " +
              s.datatype + ", which is as far as MPI counts");
}

std::vector<std::int64_t> sizes_of(const CollectiveSettings& s) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = s.minbytes; size <= s.maxbytes;
       size = s.stepbytes > 0 ? size + s.stepbytes : size * s.factor())
    sizes.push_back(size);
  return sizes;
}

}  // namespace pippin::probes
