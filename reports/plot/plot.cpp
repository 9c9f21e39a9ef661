// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/plot.h"

#include <algorithm>
#include <fmt/format.h>

#include "reports/display_text.h"
#include "reports/plot/axis_labels.h"
#include "reports/plot/canvas.h"
#include "reports/plot/legend.h"

namespace pippin {

namespace {

constexpr std::size_t kLeastWidth = 40, kLeastHeight = 4;
constexpr std::size_t kRowsPerTick = 3;

/// The signs of a frame.
struct Frame {
  const char *side, *tick_left, *corner, *foot, *tick_below;
};
const Frame& frame_in(bool ascii) {
  static constexpr Frame kLines{"│", "┤", "└", "─", "┬"}, kSigns{"|", "+", "+", "-", "+"};
  return ascii ? kSigns : kLines;
}

/// One picture on its way to text.
class Drawing {
 public:
  Drawing(const Plot& plot, const PlotStyle& style)
      : plot_(plot), style_(style), frame_(frame_in(style.ascii)) {
    style_.width = std::max(style.width, kLeastWidth);
    style_.height = std::max(style.height, kLeastHeight);
    y_ticks_ = plot.y.ticks;
    const std::size_t most = style_.height / kRowsPerTick + 1;
    if (y_ticks_.empty())
      y_ticks_ = plot.y.is_log ? log_ticks(plot.y.low, plot.y.high, most)
                               : linear_ticks(plot.y.low, plot.y.high, most);
    for (const auto& tick : y_ticks_) gutter_ = std::max(gutter_, tick.text.size());
    columns_ = style_.width - gutter_ - kBeside;
  }

  std::string text() {
    add_line(label_of(plot_.y.title, style_.width));
    if (!plot_.above.empty()) add_line(std::string(gutter_ + kBeside, ' ') + labels_above());
    const Canvas drawn = canvas();
    const CanvasStyle style = canvas_style();
    add_cells(drawn, style);
    if (!plot_.losses.empty()) add_line(std::string(gutter_ + 1, ' ') + frame_.side + losses());
    add_axis();
    for (const auto& line : legend_lines(plot_, style_, {style.dots, drawn.shows_bars()}))
      add_line(line);
    for (const auto& sentence : plot_.said) {
      for (const auto& line : paragraph_lines(sentence, style_)) add_line(line);
    }
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kBeside = 2;  // a blank and the frame

  std::string label_of(const std::string& text, std::size_t width) const {
    return label_text(text, width, style_.ascii);
  }

  void add_line(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + '\n';
  }

  std::optional<std::size_t> column_at(double value) const {
    return column_of(plot_.x, value, columns_);
  }

  std::size_t row_of(double value) const {
    const double up = std::max(share_of(plot_.y, value), 0.0) * static_cast<double>(style_.height);
    return style_.height - 1 - std::min(static_cast<std::size_t>(up), style_.height - 1);
  }

  Canvas canvas() const {
    Canvas canvas(columns_, style_.height);
    const auto x = [&](double value) { return share_of(plot_.x, value); };
    const auto y = [&](double value) { return share_of(plot_.y, value); };
    for (const double rule : plot_.x.rules) canvas.add_rule(x(rule));
    for (const auto& line : plot_.lines) {
      for (std::size_t i = 1; i < line.places.size(); ++i) {
        const auto &from = line.places[i - 1], &to = line.places[i];
        canvas.add_line(x(from.x), y(from.y), x(to.x), y(to.y), line.pen, line.dashed);
      }
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      for (const auto& point : plot_.series[i].points) {
        if (point.low && point.high)
          canvas.add_bar(x(point.x), y(*point.low), y(*point.high), pen_of(i));
        canvas.add_point(x(point.x), y(point.y), pen_of(i));
      }
    }
    return canvas;
  }

  /// Dots where marks would hide one another, if colours tell series apart or there is one only.
  CanvasStyle canvas_style() const {
    constexpr std::size_t kCellsPerMark = 3;
    std::size_t points = 0;
    for (const auto& series : plot_.series) points += series.points.size();
    const bool many = points > columns_ * style_.height / kCellsPerMark;
    const bool are_told_apart = style_.colours || plot_.series.size() == 1;
    return {many && are_told_apart && !style_.ascii, style_.colours, style_.ascii};
  }

  void add_cells(const Canvas& drawn, const CanvasStyle& style) {
    std::vector<std::string> labels(style_.height);
    for (const auto& tick : y_ticks_) labels[row_of(tick.at)] = tick.text;
    for (std::size_t row = 0; row < style_.height; ++row) {
      const std::string& label = labels[row];
      add_line(std::string(gutter_ - label.size(), ' ') + label + ' ' +
               (label.empty() ? frame_.side : frame_.tick_left) + drawn.line(row, style));
    }
  }

  /// The mark of each column: that of the state most of its losses have.
  std::string losses() const {
    std::vector<std::map<RunState, std::size_t>> counts(columns_);
    for (const auto& loss : plot_.losses) {
      if (const auto column = column_at(loss.x)) ++counts[*column][loss.state];
    }
    std::string line;
    for (const auto& of_column : counts) {
      const auto most =
          std::max_element(of_column.begin(), of_column.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      line += most == of_column.end() ? " " : mark_of(most->first, style_.ascii);
    }
    return line;
  }

  /// Texts that begin at their places; those without room are left out.
  std::string labels_above() const {
    std::string line;
    std::size_t used = 0;
    for (const auto& label : plot_.above) {
      const std::string text = (style_.ascii ? "|" : "┌") + label_of(label.text, kLongestAbove);
      const std::size_t width = display_width(text);
      const auto column = column_at(label.at);
      if (!column || width > columns_) continue;
      const std::size_t start = std::min(*column, columns_ - width);
      if (used > 0 && start < used + 1) continue;
      line += std::string(start - used, ' ') + text;
      used = start + width;
    }
    return line;
  }

  void add_axis() {
    const auto labels = labels_below(plot_.x, {gutter_ + kBeside, columns_}, style_);
    std::vector<const char*> foot(columns_, frame_.foot);
    std::string below;
    std::size_t used = 0;
    for (const auto& label : labels) {
      foot[label.tick] = frame_.tick_below;
      below += std::string(label.start - used, ' ') + label.text;
      used = label.start + label.width;
    }
    std::string line = std::string(gutter_ + 1, ' ') + frame_.corner;
    for (const char* sign : foot) line += sign;
    add_line(line);
    add_line(below);
    const std::string title = label_of(plot_.x.title, columns_);
    add_line(std::string(gutter_ + kBeside + (columns_ - display_width(title)) / 2, ' ') + title);
  }

  static constexpr std::size_t kLongestAbove = 28;

  const Plot& plot_;
  PlotStyle style_;
  const Frame& frame_;
  std::vector<PlotTick> y_ticks_;
  std::size_t gutter_ = 1, columns_ = 1;
  std::string text_;
};

}  // namespace

std::string plot_text(const Plot& plot, const PlotStyle& style) {
  return Drawing(plot, style).text();
}

}  // namespace pippin
