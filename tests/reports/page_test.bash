#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# page_test.bash WORK: the page in a real browser, by the tests beside its sources. WORK is where it was built. Pictures
# of it stay in WORK/pictures. Exits 77 without a browser, or what npm brings.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../reports/page" && pwd)
work=$1
browser=$(command -v chromium || true)
if [ -z "$browser" ]; then
  echo "skipped: no chromium here"
  exit 77
fi
if [ ! -d "$work/node_modules" ]; then
  echo "skipped: the page was built without npm"
  exit 77
fi
rm -rf "$work/test" "$work/pictures"
cp -r "$source/test" "$source/sample.mjs" "$work"
node "$work/test/all.mjs" "$browser" "$work/pictures"
