// SPDX-License-Identifier: Apache-2.0
#include "sweeps/yaml.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "core/base/process.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

namespace pippin {

namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20;
constexpr std::size_t kDeepest = 32;
/// Bytes of text and nodes that one document may unfold to: aliases of aliases grow exponentially.
constexpr std::size_t kLargestTree = std::size_t{128} << 20;

std::string_view name_of(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kText:
      return "a text";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "";
}

std::string described(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kText ? in_quotes(node.text)
                                            : std::string(name_of(node.kind));
}

/// Builds the tree from yaml-cpp's events. Its own nodes keep duplicate keys silently, follow an
/// alias into itself and share what is changed; events with marks do none of that.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(std::make_shared<std::string>(file)) {}

  YamlNode take_root() { return std::move(root_); }
  bool last_is_quoted() const { return last_is_quoted_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(node_at(mark, YamlNode::Kind::kNull), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = node_at(mark, YamlNode::Kind::kText);
    refuse_tag(node, tag);
    refuse_text(node, value);
    last_is_quoted_ = tag == "!";
    node.text = value;
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const YamlNode place = node_at(mark, YamlNode::Kind::kNull);
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) fail(place, "an alias stands inside of what it names");
    spend_all(found->second, place);
    add(found->second, YAML::NullAnchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(node_at(mark, YamlNode::Kind::kList), tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(node_at(mark, YamlNode::Kind::kMap), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::set<std::string> keys;
  };

  YamlNode node_at(const YAML::Mark& mark, YamlNode::Kind kind) const {
    YamlNode node;
    node.kind = kind;
    node.file = file_;
    node.line = mark.line + 1;
    return node;
  }

  /// `where: [!offload]` would silently be an empty text with the tag "!offload".
  static void refuse_tag(const YamlNode& node, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(node,
         "{} is a YAML tag, which means nothing here; put a text that begins with '!' in quotes",
         in_quotes(tag));
  }

  /// What no program can be given as an argument, or in its environment.
  static void refuse_text(const YamlNode& node, const std::string& value) {
    if (value.size() > kLongestArgument)
      fail(node, "a text of {} bytes; a program can be given {} at most", value.size(),
           kLongestArgument);
    if (value.find('\0') != std::string::npos)
      fail(node, "{} holds a NUL, which no program can be given", in_quotes(value));
  }

  void open(YamlNode node, const std::string& tag, YAML::anchor_t anchor) {
    refuse_tag(node, tag);
    if (open_.size() == kDeepest) fail(node, "nested deeper than {} levels", kDeepest);
    open_.push_back({std::move(node), anchor, {}});
  }

  void close() {
    Open last = std::move(open_.back());
    open_.pop_back();
    add(std::move(last.node), last.anchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    spend(node, node);
    if (anchor != YAML::NullAnchor) {
      spend_all(node, node);
      anchored_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    const bool is_key = parent.node.kind == YamlNode::Kind::kMap &&
                        parent.node.keys.size() == parent.node.items.size();
    if (is_key) check_key(parent, node);
    (is_key ? parent.node.keys : parent.node.items).push_back(std::move(node));
  }

  void check_key(Open& parent, const YamlNode& key) {
    if (key.kind != YamlNode::Kind::kText)
      fail(key, "a key must be a text, not {}", described(key));
    if (key.text == "<<") fail(key, "YAML's merge key '<<' is not known here; write the keys out");
    if (parent.keys.insert(key.text).second) return;
    for (const auto& other : parent.node.keys) {
      if (other.text == key.text) {
        fail(key, "key {} is given twice, first in line {}", in_quotes(key.text), other.line);
      }
    }
  }

  void spend(const YamlNode& node, const YamlNode& place) {
    spent_ += sizeof(YamlNode) + node.text.size();
    if (spent_ > kLargestTree)
      fail(place, "the file unfolds to more than {} MiB", kLargestTree >> 20);
  }

  void spend_all(const YamlNode& node, const YamlNode& place) {
    spend(node, place);
    for (const auto& key : node.keys) spend_all(key, place);
    for (const auto& item : node.items) spend_all(item, place);
  }

  std::shared_ptr<const std::string> file_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  YamlNode root_;
  std::size_t spent_ = 0;
  bool last_is_quoted_ = false;
};

YamlNode place_in(const std::string& file, int line) {
  YamlNode place;
  place.file = std::make_shared<std::string>(file);
  place.line = line;
  return place;
}

/// What yaml-cpp says, in the same words whatever its version.
std::string reason_of(const YAML::Exception& error) {
  constexpr std::string_view kNoAnchor = "the referenced anchor is not defined";
  if (error.msg.rfind(kNoAnchor, 0) == 0) return std::string(kNoAnchor);  // 0.8 names it, too
  // It says "bad file" where it nests deeper than its own limit.
  return error.msg == "bad file" ? "nested too deep" : error.msg;
}

YamlNode parse_one_document(std::string_view text, const std::string& file) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder builder(file);
  if (!parser.HandleNextDocument(builder)) fail(place_in(file, 1), "the file is empty");
  // A quote that is never closed ends silently at a last line break, but not without one.
  const std::string_view without_end = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (builder.last_is_quoted() && without_end.size() < text.size()) {
    parse_one_document(without_end, file);
  }
  YamlNode root = builder.take_root();
  TreeBuilder rest(file);
  if (parser.HandleNextDocument(rest)) {
    fail(rest.take_root(), "a second document begins here; one file holds one");
  }
  return root;
}

void emit(const YamlNode& node, YAML::Emitter& out) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      out << YAML::Null;
      break;
    case YamlNode::Kind::kText:
      out << node.text;
      break;
    case YamlNode::Kind::kList:
      out << YAML::BeginSeq;
      for (const auto& item : node.items) emit(item, out);
      out << YAML::EndSeq;
      break;
    case YamlNode::Kind::kMap:
      out << YAML::BeginMap;
      for (std::size_t i = 0; i < node.keys.size(); ++i) {
        out << YAML::Key << node.keys[i].text << YAML::Value;
        emit(node.items[i], out);
      }
      out << YAML::EndMap;
      break;
  }
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

YamlNode parse_yaml(std::string_view text, const std::string& file) {
  try {
    return parse_one_document(text, file);
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    fail(place_in(file, line), "broken YAML: {}", printable(reason_of(error)));
  }
}

YamlNode read_yaml(const fs::path& file) {
  const std::string text = read_input(file, kLargestFile);
  const std::string name = file.string();
  if (trim(text).empty()) fail(place_in(name, 1), "the file is empty");
  if (!is_text(text)) fail(place_in(name, 1), "this is no YAML: the file is binary");
  return parse_yaml(text, name);
}

std::string yaml_text(const YamlNode& node) {
  YAML::Emitter out;
  out.SetSeqFormat(YAML::Flow);
  emit(node, out);
  return std::string(out.c_str()) + "\n";
}

YamlNode text_written_at(const std::string& where, const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kText;
  node.text = text;
  node.file = std::make_shared<const std::string>(where);
  node.line = 0;
  return node;
}

std::string place_text(const YamlNode& node) {
  return node.line > 0 ? fmt::format("in line {}", node.line) : "by " + *node.file;
}

void fail_at(const YamlNode& place, const std::string& message) {
  if (place.line == 0) bad_input("{}: {}", *place.file, message);
  bad_input("{}:{}: {}", *place.file, place.line, message);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t next = length + first_character(text.substr(length)).bytes.size();
    if (next > kLongest) break;
    length = next;
  }
  return fmt::format("'{}{}'", printable(text.substr(0, length)),
                     length < text.size() ? "..." : "");
}

std::string hint(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 60;  // the search takes the product of the lengths
  const std::string meant = did_you_mean(word.substr(0, kLongest), known);
  return meant.empty() ? "; known: " + join(known, ", ") : meant;
}

void expect_map(const YamlNode& node, std::string_view what) {
  if (node.kind != YamlNode::Kind::kMap)
    fail(node, "{} must be a map, not {}", what, described(node));
}

void expect_map(const YamlNode& node, std::string_view what,
                const std::vector<std::string>& known) {
  expect_map(node, what);
  for (const auto& key : node.keys) {
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    fail(key, "unknown key {} in {}{}", in_quotes(key.text), what, hint(key.text, known));
  }
}

const std::string& text_at(const YamlNode& node, std::string_view what) {
  if (node.kind != YamlNode::Kind::kText)
    fail(node, "{} must be a text, not {}", what, described(node));
  return node.text;
}

std::int64_t whole_number_at(const YamlNode& node, std::string_view what, std::int64_t low,
                             std::int64_t high) {
  const auto number = node.kind == YamlNode::Kind::kText ? parse_number(node.text) : std::nullopt;
  if (!number || *number != std::floor(*number)) {
    fail(node, "{} must be a whole number, not {}", what, described(node));
  }
  if (*number < static_cast<double>(low) || *number > static_cast<double>(high)) {
    fail(node, "{} must be between {} and {}, not {}", what, low, high, described(node));
  }
  return static_cast<std::int64_t>(*number);
}

bool truth_at(const YamlNode& node, std::string_view what) {
  const bool is_text = node.kind == YamlNode::Kind::kText;
  const std::string text = is_text ? lower(node.text) : "";
  if (text != "true" && text != "false")
    fail(node, "{} must be true or false, not {}", what, described(node));
  return text == "true";
}

double positive_number_at(const YamlNode& node, std::string_view what) {
  const auto number = node.kind == YamlNode::Kind::kText ? parse_number(node.text) : std::nullopt;
  if (!number || *number <= 0)
    fail(node, "{} must be a number above 0, not {}", what, described(node));
  return *number;
}

std::vector<const YamlNode*> list_at(const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::kText) return {&node};
  if (node.kind != YamlNode::Kind::kList)
    fail(node, "{} must be a list, not {}", what, described(node));
  std::vector<const YamlNode*> items;
  for (const auto& item : node.items) items.push_back(&item);
  return items;
}

}  // namespace pippin
