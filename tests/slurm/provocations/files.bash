# SPDX-License-Identifier: Apache-2.0
# Files that are missing, late, or do not fit.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

# The nodes do not see the folder of the runs when their jobs begin.
no_output_folder() {
  use --nodes 4
  sed -i 's/time: .*/time: "00:05:00", hold: true}/' cluster.yaml
  write_both
  pippin submit blocks.yaml
  pippin submit array.yaml
  mv t.db.runs away
  jobs_of_both | xargs scontrol release
  within 30 nobody_works
  mv away t.db.runs
  sed -i 's/, hold: true//' cluster.yaml
  start_both
  both_end 0 ok=12
}

full_disk() {
  mkdir disk
  mount -t tmpfs -o size=2m none disk 2>/dev/null || skip "nothing can be mounted here"
  use --nodes 4
  mkdir disk/runs
  ln -s disk/runs t.db.runs
  write_both
  takes 2
  start_both
  within 60 both_run 1
  fill_disk
  sleep 4
  rm disk/filler
  status_of blocks || true
  status_of array || true
  takes 0.1
  start_both
  both_end 0 ok=12
}

fill_disk() { cat /dev/zero >disk/filler 2>/dev/null || true; }

folder_names() {
  use --nodes 4
  local folder
  for folder in 'per%j cent' 'back\slash' '100%\%x'; do
    mkdir "$here/$folder"
    cd "$here/$folder" || exit
    cp ../cluster.yaml .
    write_sweep array
    write_sweep blocks
    run 0 array
    holds array ok=12
    run 0 blocks
    holds blocks ok=12
  done
}

late_files() {
  need_late_view
  use --nodes 4
  sed -i '/^files_late:/d' cluster.yaml
  write_sweep blocks
  write_sweep array '  [ {mbs} = 1 ]'
  late_programs
  show_late 20 &
  PATH=$here/late-bin:$PATH
  view=("${late_view[@]}")
  start_both
  within 60 status_says 'files of its runs may be seen late, for [0-9]+ s more'
  ended 0 blocks
  holds blocks ok=12
  ended 1 array
  holds array failed=6 ok=6
  equal "$(attempts blocks) $(attempts array)" "12 12" # none was launched twice
}

status_says() { grep -qE -- "$1" <<<"$(pippin status)"; }
