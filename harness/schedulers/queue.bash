# pippin's queue on this machine: runs the jobs in FOLDER/waiting one at a time, oldest first, and
# ends when none is left. Started at every submission; the locks let one work and one wait.
set -u
folder=$1 machine_lock=$2
cd "$folder" || exit 3

# Whatever is in running/ while its own lock is free has lost its processes.
bury_the_dead() {
  local name
  for name in running/*; do
    if [ -e "$name" ] && flock --nonblock "$name" true; then
      end "${name#running/}" "its processes are gone"
    fi
  done
}

end() { # NAME HOW
  echo "$2" >"ended/.$1" && mv "ended/.$1" "ended/$1" && rm -f "running/$1" "pids/$1"
}

next() { find waiting -type f -name '[0-9]*' -printf '%f\n' | sort | head -n 1; }

# Another queue that waits already will look into the folder later than this one could.
exec 7>>next.lock || exit 3
flock --nonblock 7 || exit 0

while :; do
  # Jobs inherit the locks: should this queue be killed, the machine stays taken until they end.
  exec 9>>"$machine_lock" || exit 3
  flock 9 || exit 3
  exec 7>&-
  bury_the_dead
  name=$(next)
  [ -n "$name" ] || exit 0
  exec 8<"waiting/$name" || continue
  flock 8
  mv "waiting/$name" "running/$name" || continue
  { read -r script && read -r log; } <&8
  setsid bash "$script" </dev/null >>"$log" 2>&1 &
  job=$!
  echo "$job" >"pids/.$name" && mv "pids/.$name" "pids/$name"
  wait "$job"
  code=$?
  kill -KILL -- "-$job" 2>/dev/null # what it left behind would disturb the next
  end "$name" "exit $code" # while the locks are ours: another queue would bury it
  exec 8<&- 9>&-
done
