#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws what a terminal shows as SVG: picture.sh WIDTH TITLE COMMAND… >picture.svg
# The command runs on a terminal of that width; bold, faint, red and the 256 colours are kept. Each character has its
# place: signs that a font lacks come from another, whose are wider.
set -euo pipefail
width=$1 title=$2
shift 2
printf -v command '%q ' "$@"
env -u NO_COLOR TERM=xterm script -qec "stty cols $width; $command" /dev/null |
  tr -d '\r' |
  awk -v width="$width" -v title="$title" '
    function escaped(text) {
      gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
      return text
    }
    function part(level) { return level ? 55 + 40 * level : 0 }
    # What begins where a colour does: of 256, those of the cube and the greys.
    function styled(code) {
      if (code == "1") return "<tspan class=\"bold\">"
      if (code == "2") return "<tspan opacity=\"0.5\">"
      if (code == "31") return "<tspan class=\"red\">"
      if (!sub(/^38;5;/, "", code)) return "</tspan>"
      code += 0
      if (code >= 232) return sprintf("<tspan fill=\"#%02x%02x%02x\">", 10 * code - 2312, 10 * code - 2312, 10 * code - 2312)
      code -= 16
      return sprintf("<tspan fill=\"#%02x%02x%02x\">", part(int(code / 36)), part(int(code / 6) % 6), part(code % 6))
    }
    function drawn(text,   out) {
      text = escaped(text)
      while (match(text, /\033\[[0-9;]*m/)) {
        out = out substr(text, 1, RSTART - 1) styled(substr(text, RSTART + 2, RLENGTH - 3))
        text = substr(text, RSTART + RLENGTH)
      }
      return out text
    }
    { lines[++count] = drawn($0) }
    END {
      cell = 8.4; height = 19; left = 16; top = 58
      w = left * 2 + width * cell; h = top + height * (count + 1)
      printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", w, h, w, h
      printf "<title>%s</title>\n", escaped(title)
      print "<style>text { font: 14px ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace; fill: #d7dae0; white-space: pre }"
      print ".bold { font-weight: bold; fill: #ffffff } .red { fill: #ff7b72 } .prompt { fill: #7ee787 }</style>"
      printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#161b22\"/>\n", w, h
      printf "<text x=\"%d\" y=\"32\" class=\"prompt\">$ %s</text>\n", left, escaped(title)
      for (i = 0; i < width; ++i) places = places sprintf(i ? " %.5g" : "%.5g", left + cell * i)
      for (i = 1; i <= count; ++i)
        printf "<text x=\"%s\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", places, top + height * (i - 1), lines[i]
      print "</svg>"
    }'
