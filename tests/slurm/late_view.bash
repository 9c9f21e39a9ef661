# SPDX-License-Identifier: Apache-2.0
# Sourced by tests in which pippin sees late what nodes write: of $here/t.db.runs, where the nodes' view of it
# is, this machine has another view, $here/late.

# Prefix of a command that is to have that view; its process is the command's.
late_view=(unshare --mount)
if [ "$(id -u)" -ne 0 ]; then late_view+=(--map-current-user); fi
# shellcheck disable=SC2016,SC2154 # for the shell there; helpers.bash has $here
late_view+=(bash -c 'mount --bind "$1/t.db.runs" "$1/nodes" && mount --bind "$1/late" "$1/t.db.runs" && shift && exec "$@"'
  late_view "$here")

need_late_view() {
  need unshare
  mkdir late nodes t.db.runs
  "${late_view[@]}" true 2>/dev/null || skip "nothing can be mounted here"
}

# Programs for PATH, in $here/late-bin. What pippin writes is there at once where jobs are told of it, as a server
# has what was closed.
late_programs() {
  local program
  mkdir late-bin
  for program in sbatch scancel; do
    printf '#!/bin/bash\ncp -au %q/. %q\nexec %q "$@"\n' "$here/t.db.runs" "$here/nodes" "$(command -v "$program")" >"late-bin/$program"
    chmod +x "late-bin/$program"
  done
}

# show_late SECONDS: what nodes write is there so long after it was written.
show_late() {
  cd "$here/t.db.runs" || return
  while sleep 0.5; do
    find . -type f ! -newermt "-$1 seconds" -print0 | xargs -0r cp -pu --parents -t "$here/late" 2>/dev/null || true
  done
}
