#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace pippin {

/// Signs that a text was written by a person and only quotes a log: a job script, a Markdown note.
struct DocumentSigns {
  bool script = false;  ///< "#!" first, or scheduler directives (#SBATCH, #PBS, #BSUB)
  bool note = false;    ///< fences, table rules, headings
  bool fenced = false;  ///< its fences come in pairs
  bool any() const { return script || note; }
};

DocumentSigns document_signs(std::string_view text);

/// Follows the lines of a text through here-documents and fenced blocks.
class Quotation {
 public:
  Quotation(const DocumentSigns& signs, std::string_view text);

  /// True where `line`, the next one, is quoted material. Call it for every line in order.
  bool covers(std::string_view line);

 private:
  DocumentSigns signs_;
  std::set<std::string, std::less<>> words_;  // lines of one word: the ends of here-documents
  bool in_fence_ = false;
  std::string here_document_end_;  // empty outside of one
};

}  // namespace pippin
