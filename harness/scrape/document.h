// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// Signs that a text was written by a person and only quotes a log: a job script, a Markdown note.
struct DocumentSigns {
  bool script = false;  ///< "#!" first, or scheduler directives (#SBATCH, #PBS, #BSUB)
  bool note = false;    ///< fences, table rules, headings
  bool titled = false;  ///< its first line is a heading, "# Notes": many a log begins like that
  bool fenced = false;  ///< its fences come in pairs
  std::size_t more_logs = 0;  ///< that stand in fences below the steps of a log: no sign of itself
  bool torn = false;          ///< it begins within a fence: what stands before the first is quoted
  std::size_t script_lines = 0;  ///< of the script that a log begins with, all of which was read
                                 ///< behind it; 0: there is none
  bool any() const { return script || note || titled; }
};

/// "#SBATCH -N 2", "#PBS -l select=1", "#BSUB -n 1".
bool is_directive(std::string_view line);

/// Finds such signs in the lines of a text, of which it has to see those that hold one of texts().
class DocumentWatch {
 public:
  static std::vector<std::string_view> texts();

  /// Whether the next line must be seen whatever it holds: until the first that is not blank, and
  /// below a fence.
  bool wants_next_line() const { return first_ || fence_.has_value(); }
  /// `steps`: how many stand before it. What begins behind them is text that a trainer's model
  /// wrote, or was asked; but for another log that is quoted: that stands directly below a fence
  /// which opens. `after_blank`: as FoundLine has it.
  void see(std::string_view line, std::size_t steps = 0, bool after_blank = false);
  /// Whether a line begins as signs do.
  static bool is_marked(std::string_view line);
  /// `steps`: of the whole text.
  DocumentSigns signs(std::size_t steps = 0) const;

 private:
  /// A fence behind steps, while the two lines below it tell what it is.
  struct FenceInLog {
    bool opens = false;  ///< it has a word, or an empty line before it
    std::size_t steps = 0;
    bool has_line = false;  ///< below it
  };

  void see_mark(char mark, std::string_view line, std::size_t steps, bool after_blank);
  void see_fence(std::string_view line, std::size_t steps);
  void see_fence_in_log(std::string_view line, std::size_t steps, bool after_blank);
  void see_below_fence(bool is_blank, std::size_t steps);

  DocumentSigns signs_;
  std::size_t fences_ = 0;
  bool first_ = true;
  std::optional<FenceInLog> fence_;
  bool in_fence_ = false;                     ///< of a log
  std::size_t more_logs_ = 0;                 ///< as DocumentSigns has it
  std::optional<std::size_t> steps_at_more_;  ///< where a text that is torn opens another fence
};

/// Follows the lines of a text through here-documents and fenced blocks.
class Quotation {
 public:
  explicit Quotation(const DocumentSigns& signs) : signs_(signs) {}

  /// Notes a line of a script that may end a here-document; all lines are seen before covers().
  void see(std::string_view line);
  /// True where `line`, the next one, is quoted material. Call it for every line in order.
  bool covers(std::string_view line);
  /// Whether a line opens a here-document that has no end.
  bool misses_end(std::string_view line) const;

 private:
  DocumentSigns signs_;
  std::set<std::string, std::less<>> words_;  // lines of one word: the ends of here-documents
  bool in_fence_ = false;
  std::string here_document_end_;  // empty outside of one
};

}  // namespace pippin
