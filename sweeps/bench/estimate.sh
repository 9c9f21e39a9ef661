#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench estimate TABLE.tsv [PEERS]: memory and time that `pippin estimate --points` says of measured layouts, by
# group: with data sheets alone, and with rates learned from four fifths of a cluster's rows, said of the other fifth;
# three shuffles; then how often the bounds hold of layouts unlike those learned from. The table has the columns of
# docs/estimate.md. PEERS is a folder with checkouts of calculon, llm-analysis and Megatron-LM, or some of them: what
# they say of the same rows stands beside it. Writes the tables of sweeps/RESULTS.md. Then how many layouts a second one
# core judges.
set -euo pipefail
table=${1:?"say which table: ./dev bench estimate TABLE.tsv [PEERS]"}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
/usr/bin/python3 -B sweeps/bench/estimate.py "$table" "$folder" ${2:+"$2"}
c++ -std=c++20 -O2 -I. sweeps/bench/estimate_speed.cpp build/sweeps/estimate/libpippin_estimate.a \
  build/core/base/libpippin_base.a -lfmt -o "$folder/speed"
for _ in 1 2 3; do "$folder/speed"; done
