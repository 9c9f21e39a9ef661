#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws what a terminal shows as SVG: picture.sh WIDTH TITLE COMMAND… >picture.svg
# The command runs on a terminal of that width; bold, red and green are kept.
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
    function drawn(text,   out) {
      out = escaped(text)
      gsub(/\033\[1m/, "<tspan class=\"bold\">", out)
      gsub(/\033\[31m/, "<tspan class=\"red\">", out)
      gsub(/\033\[0m/, "</tspan>", out)
      return out
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
      for (i = 1; i <= count; ++i)
        printf "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", left, top + height * (i - 1), lines[i]
      print "</svg>"
    }'
