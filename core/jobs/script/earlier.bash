# SPDX-License-Identifier: Apache-2.0
# What earlier attempts at a run have left, and whether one more can be noted.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

# A job that is begun again under its id, as its node died, finds in what it was before which runs
# failed last of all: that may have been the node's doing.
pippin_find_suspects() {
  local before=${pippin_job:-local}-$((pippin_restart - 1)) lines line
  if [ -n "${pippin_only:-}" ]; then
    before="$pippin_root/$pippin_only/$pippin_submission-$before/run"
  else
    before="$pippin_jobs/claim-$before"
  fi
  [ -f "$before" ] || return 0
  mapfile -t lines <"$before"
  for line in "${lines[@]}"; do
    case $line in
      'pippin: failing=') pippin_suspects=$'\n' ;;
      'pippin: failing='*) pippin_suspects+=${line#*=}$'\n' ;;
    esac
  done
}

pippin_keep_suspects() { # for the next one that is begun under this id
  local runs run
  mapfile -t runs <<<"$pippin_suspects"
  for run in "${runs[@]}"; do
    if [ -n "$run" ]; then pippin_fails=1 && printf 'pippin: failing=%s\n' "$run" >>"$pippin_claim"; fi
  done
}

pippin_is_refuted() { # RUN ATTEMPT: the last line on it says so
  local file text words=''
  if [ -f "$pippin_root/refuted/$1" ]; then # an older pippin's
    text=$'\n'$(<"$pippin_root/refuted/$1")
    if [[ $text == *$'\n'"$2"$'\t'* ]]; then words=1; fi
  fi
  for file in "$pippin_root"/refuted/[0-9][0-9][0-9][0-9][0-9][0-9]*; do
    [ -f "$file" ] || continue
    text=$'\n'$(<"$file")$'\n'
    if [[ $text == *$'\n'"$1/$2"$'\t'* ]]; then
      words=${text##*$'\n'"$1/$2"$'\t'}
      words=${words%%$'\n'*}
    fi
  done
  [ -n "$words" ]
}

# What the record says last of its end, where that repeats when the run was started; an older pippin's
# jobs left a file `done`.
pippin_read_end() { # ATTEMPT: in pippin_code; false where it has not ended by itself
  local lines line i file="$1/run" started='' exit=''
  pippin_code=''
  if [ ! -f "$file" ] && [ -s "$1/done" ] && read -r line <"$1/done" &&
    [[ $line =~ ^exit=([0-9]+)\ ended=[0-9]+(\ stopped=[a-z_]+\ after=[0-9]+)?$ ]]; then
    pippin_code=${BASH_REMATCH[1]}
    return
  fi
  [ -s "$file" ] || return
  mapfile lines <"$file"
  for ((i = 0; i < ${#lines[@]}; ++i)); do
    line=${lines[i]}
    if [ "$line" = $'pippin: command\n' ]; then
      while ((++i < ${#lines[@]})) && [ "${lines[i]}" != $'pippin: end of command\n' ]; do :; done
    elif [[ -z $started && $line =~ pippin:\ started=([0-9]+)$'\n'$ ]]; then
      started=${BASH_REMATCH[1]}
    elif [[ $line =~ pippin:\ exit=([0-9]+)\ ended=[0-9]+\ started=([0-9]+)(\ stopped=[a-z_]+\ after=[0-9]+)?$'\n'$ ]]; then
      exit=${BASH_REMATCH[1]}
      if [ "${BASH_REMATCH[2]}" = "$started" ]; then pippin_code=$exit; fi
    fi
  done
  [ -n "$pippin_code" ]
}

# A run that removed its own folder has come to its end all the same: without a result.
pippin_put_back() { # RECORD STARTED CODE
  local log="${1%/*}/log"
  mkdir -p "${1%/*}" || return
  if [ "$1" = "$pippin_claim" ]; then echo "$pippin_claimed" >>"$1"; fi
  echo "pippin: started=$2" >>"$1"
  echo "the folder of this run was removed while it ran, and its log with it; it exited $3" >>"$log"
}

# A failure of a machine that cannot write any more is no result.
pippin_can_note() { # RUN FOLDER
  local able
  printf '%65536s' '' 2>/dev/null >"$2/room" && sync "$2/room" 2>/dev/null
  able=$?
  rm -f "$2/room"
  if [ "$able" -ne 0 ]; then pippin_note "$1 is left for another job: nothing can be written to $2"; fi
  return "$able"
}
