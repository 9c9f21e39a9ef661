# SPDX-License-Identifier: Apache-2.0
# pippin's queue on this machine: runs the jobs in FOLDER/waiting one at a time, oldest first, and
# ends when none is left. Started at every submission; the locks let one work and one wait.
set -u
folder=$1 machine_lock=$2
cd "$folder" || exit 3

# Whatever is in running/ while its own lock is free has lost the processes that held it. (A pippin
# that looks holds the lock too, for a moment.)
bury_the_dead() {
  local name
  for name in running/*; do
    if [ -e "$name" ] && flock --wait 1 "$name" true; then
      end "${name#running/}" "its processes are gone"
    fi
  done
}

end() { # NAME HOW
  kill_all "$1"
  echo "$2" >"ended/.$1" && mv "ended/.$1" "ended/$1" && rm -f "running/$1"
}

# What a job left behind would disturb the next, and may hold the locks for ever. Its environment
# tells it, whatever group, session or parent it has gone to. Thrice: it may be forking.
kill_all() { # NAME
  local found file
  for _ in 1 2 3; do
    found=$(grep -lszFx "PIPPIN_QUEUE_ENTRY=$1" /proc/[0-9]*/environ)
    [ -n "$found" ] || return
    for file in $found; do
      file=${file#/proc/}
      kill -KILL "${file%/environ}" 2>/dev/null
    done
  done
}

next() { find waiting -type f -name '[0-9]*' -printf '%f\n' | sort | head -n 1; }

# Another queue that waits already will look into the folder later than this one could.
exec 7>>next.lock || exit 3
flock --nonblock 7 || exit 0

while :; do
  # Jobs inherit the locks: should this queue be killed, the machine stays taken until they end.
  exec 9>>"$machine_lock" || exit 3
  flock 9 || exit 3
  echo "process $$ on $HOSTNAME, the queue of $folder" >"$machine_lock" # for who waits
  exec 7>&-
  bury_the_dead
  name=$(next)
  [ -n "$name" ] || exit 0
  exec 8<>"waiting/$name" || exit 3 # <>: NFS locks no file that is open for reading only
  flock 8
  mv "waiting/$name" "running/$name" || exit 3
  if ! { IFS= read -r -d '' script && IFS= read -r -d '' log; } <&8; then
    rm -f "running/$name" # cancelled since next() saw it, and made anew by <>
    continue
  fi
  PIPPIN_QUEUE_ENTRY=$name setsid bash "$script" </dev/null >>"$log" 2>&1 &
  wait "$!"
  end "$name" "exit $?" # while the locks are ours: another queue would bury it
  : >"$machine_lock"
  exec 8<&- 9>&-
done
