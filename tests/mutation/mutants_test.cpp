// SPDX-License-Identifier: Apache-2.0
#include "tests/mutation/mutants.h"

#include "tests/support/catch.h"

using namespace pippin::mutation;

namespace {

/// All that becomes of a source, as "kind: text".
std::vector<std::string> changes(std::string_view source) {
  std::vector<std::string> texts;
  for (const auto& mutant : mutants_of(source))
    texts.push_back(mutant.kind + ": " + mutated(source, mutant));
  return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace

TEST_CASE("every kind of change is made once where it can be") {
  CHECK(changes("a < b") == std::vector<std::string>{"comparison: a <= b"});
  CHECK(changes("a + b") == std::vector<std::string>{"arithmetic: a - b"});
  CHECK(changes("a && b") == std::vector<std::string>{"logic: a || b"});
  CHECK(changes("!a") == std::vector<std::string>{"negation: a"});
  CHECK(changes("x = true") == std::vector<std::string>{"truth: x = false"});
  CHECK(changes("2'000") == std::vector<std::string>{"number: 2001", "number: 1999"});
  CHECK(changes("0") == std::vector<std::string>{"number: 1"});
  CHECK(changes("0.25") == std::vector<std::string>{"number: 0.25 * 1.5"});
  CHECK(changes("\"a\\\"b\"") == std::vector<std::string>{"text: \"\""});
  CHECK(changes("\"\"") == std::vector<std::string>{"text: \"x\""});
  CHECK(changes("a.begin()") == std::vector<std::string>{"place: a.begin() + 1"});
  CHECK(has(changes("f(a, b)"), "arguments: f(b, a)"));
  CHECK(has(changes("std::min(a, b)"), "extreme: std::max(a, b)"));
  CHECK(has(changes("if (a) b();"), "condition: if (!(a)) b();"));
  CHECK(has(changes("if (int a = f(); a) b();"), "condition: if (int a = f(); !(a)) b();"));
  CHECK(has(changes("{ return a; }"), "return: { return {}; }"));
  CHECK(has(changes("{ a.push_back(b); }"), "statement: { ; }"));
  CHECK(has(changes("{ a[i] += b; }"), "statement: { ; }"));
}

TEST_CASE("what is no code, or no operator, stays as it is") {
  CHECK(changes("// a < 1\n/* a < 1 */").empty());
  CHECK(changes("#include \"a.h\"\n#define A \\\n  1\n").empty());
  CHECK(changes("R\"x(a < 1)\" )x\"").empty());
  CHECK(changes("std::vector<int> f(T&& a, const T* b, char c = '1')").empty());
  CHECK(changes("{ const auto a = b; }").empty());
}

TEST_CASE("a place is told by its line") {
  CHECK(line_of("a\nb\nc", 0) == 1);
  CHECK(line_of("a\nb\nc", 2) == 2);
  CHECK(line_of("a\nb\nc", 4) == 3);
}
