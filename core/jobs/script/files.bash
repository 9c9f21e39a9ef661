# What needs a process of its own for each run. pippin's small program takes a third of the time of mkdir and
# sync; where it is not, or cannot run or do it, they do, and say what is wrong.
# shellcheck disable=SC2015 # they do it again

[ -s "${pippin_job_files:-}" ] || pippin_job_files='' # an empty file bash would take for a script that does all

pippin_make_folder() { # FOLDER: without a look for translations
  [ -n "$pippin_job_files" ] && "$pippin_job_files" make "$1" 2>/dev/null || LC_ALL=C mkdir -p "$1"
}

pippin_sync() { # FILE...
  [ -n "$pippin_job_files" ] && "$pippin_job_files" sync "$@" 2>/dev/null || LC_ALL=C sync "$@"
}
