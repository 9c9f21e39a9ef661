#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# browser_test.bash WORK PIPPIN: pages of `pippin serve` in a real browser. WORK is where the page was built. Pictures of
# them stay in WORK/live_pictures. Exits 77 without a browser, or what npm brings.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd)
work=$1 pippin=$2
browser=$(command -v chromium || true)
if [ -z "$browser" ]; then
  echo "skipped: no chromium here"
  exit 77
fi
if [ ! -d "$work/node_modules" ]; then
  echo "skipped: the page was built without npm"
  exit 77
fi
rm -rf "$work/live_test" "$work/live_pictures"
cp -r "$source/reports/page/test" "$work/live_test"
node "$work/live_test/live.mjs" "$browser" "$pippin" "$source/tests/data" "$work/live_pictures"
