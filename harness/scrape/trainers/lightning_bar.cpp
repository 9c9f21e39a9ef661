#include "harness/scrape/trainers/lightning_bar.h"

#include <string>

#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

/// "41.36s/it" or "1.64it/s" as ms of one. The first tells no time where tqdm has none: "?it/s".
std::optional<Figure> pace_of(std::string_view text) {
  const auto figure = figure_at(text);
  if (!figure || !(figure->value > 0)) return std::nullopt;
  const auto unit = text.substr(figure->size);
  if (unit.starts_with("s/it")) return scaled(*figure, kMsPerSecond);
  if (!unit.starts_with("it/s")) return std::nullopt;
  const double time = kMsPerSecond / figure->value;
  return Figure{time, time * figure->quantum / figure->value, figure->size};
}

/// Behind "Epoch 0:   1%|## | "; moves `epoch` there. 0: no such thing stands there.
std::size_t end_of_percent(std::string_view text, std::int64_t& epoch) {
  constexpr std::string_view kEpoch = "Epoch ";
  const Count number = count_of(figure_at(text.substr(kEpoch.size())));
  const auto percent = text.find("%|");
  if (!number || percent == std::string_view::npos) return 0;
  const auto between = text.substr(kEpoch.size(), percent - kEpoch.size());
  if (between.find_first_not_of("0123456789: ") != std::string_view::npos) return 0;
  const auto bar = text.find("| ", percent + 2);
  if (bar == std::string_view::npos) return 0;
  epoch = *number;
  return bar + 2;
}

}  // namespace

std::optional<Figure> LightningBar::field(std::string_view name) const {
  const auto text = text_of(name);
  return text ? figure_at(*text) : std::nullopt;
}

std::optional<std::string_view> LightningBar::text_of(std::string_view name) const {
  return text_after(fields, std::string(name) + '=');
}

std::optional<LightningBar> lightning_bar_of(std::string_view line) {
  const auto at = line.rfind("Epoch ");
  if (at == std::string_view::npos) return std::nullopt;
  LightningBar bar;
  bar.before = line.substr(0, at);
  const auto counts = end_of_percent(line.substr(at), bar.epoch);
  if (counts == 0) return std::nullopt;
  auto rest = line.substr(at + counts);
  const auto done = figure_at(rest);
  const auto open = rest.find(" ["), close = rest.rfind(']');
  const bool whole = open != std::string_view::npos && close != std::string_view::npos;
  if (!done || !count_of(done) || !whole || close < open) return std::nullopt;
  bar.done = *count_of(done);
  if (rest.substr(done->size).starts_with('/'))
    bar.total = count_of(figure_at(rest.substr(done->size + 1)));
  rest = rest.substr(open + 2, close - open - 2);
  const auto comma = rest.find(", ");
  if (comma == std::string_view::npos) return bar;
  rest = left_trim(rest.substr(comma + 2));
  bar.pace_ms = pace_of(rest);
  const auto fields = rest.find(", ");
  // Without a rate, as NeMo sets its bar up, fields come first.
  bar.fields = rest.substr(0, fields).find('=') != std::string_view::npos ? rest
               : fields == std::string_view::npos                         ? std::string_view()
                                                                          : rest.substr(fields + 2);
  return bar;
}

}  // namespace pippin
