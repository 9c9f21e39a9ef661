#include "db/axes_text.h"

#include <unordered_map>

#include "harness/base/text.h"

namespace pippin::db {

namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

std::string unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  return out;
}

/// The first line of `rest`, which it takes away.
std::string_view next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

std::string_view name_in(std::string_view line) { return line.substr(0, line.find('\t')); }

void append_axis(NamedValues& axes, std::string_view line) {
  const auto fields = split(line, '\t');
  axes.emplace_back(unescaped(fields[0]), Value{unescaped(fields[2]), parse_number(fields[1])});
}

}  // namespace

std::string text_of_axes(const NamedValues& axes) {
  std::string text;
  for (const auto& [name, value] : axes) {
    append_escaped(text, name);
    text += '\t';
    if (value.number) text += number_text(*value.number);
    text += '\t';
    append_escaped(text, value.text);
    text += '\n';
  }
  return text;
}

NamedValues axes_in(const std::string& text) {
  NamedValues axes;
  for (std::string_view rest = text; !rest.empty();) append_axis(axes, next_line(rest));
  return axes;
}

NamedValues axes_in(const std::string& text, const std::set<std::string, std::less<>>& names) {
  NamedValues axes;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (names.count(name_in(line))) append_axis(axes, line);
  }
  return axes;
}

std::set<std::string, std::less<>> varying_axes(const std::vector<std::string>& texts) {
  std::set<std::string, std::less<>> varying;
  if (texts.empty()) return varying;
  std::vector<std::string_view> first;
  std::unordered_map<std::string_view, std::string_view> line_of;
  for (std::string_view rest = texts[0]; !rest.empty();) {
    first.push_back(next_line(rest));
    line_of[name_in(first.back())] = first.back();
  }
  for (const auto& text : texts) {
    if (text == texts[0]) continue;
    std::size_t i = 0, shared = 0;
    for (std::string_view rest = text; !rest.empty(); ++i) {
      const std::string_view line = next_line(rest);
      if (i < first.size() && first[i] == line) {  // the usual case: the same order
        ++shared;
        continue;
      }
      const auto known = line_of.find(name_in(line));
      shared += known != line_of.end();
      if (known == line_of.end() || known->second != line) varying.emplace(name_in(line));
    }
    if (shared == first.size()) continue;
    std::set<std::string_view> names;
    for (std::string_view rest = text; !rest.empty();) names.insert(name_in(next_line(rest)));
    for (const auto& line : first) {
      if (!names.count(name_in(line))) varying.emplace(name_in(line));
    }
  }
  return varying;
}

}  // namespace pippin::db
