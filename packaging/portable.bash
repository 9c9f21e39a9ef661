# SPDX-License-Identifier: Apache-2.0
# Packs the archive for a login node without root (target `portable`):
#   bash packaging/portable.bash PROGRAM BUILD ARCHIVE.tar.gz FOLDER LIBRARY.a...
# FOLDER is that of static_libraries.bash, each LIBRARY one that is linked into PROGRAM.
set -euo pipefail

program=$1 build=$2 archive=$3 static=$4
shift 4
here=$(dirname "$(realpath "$0")")
name=$(basename "$archive" .tar.gz)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/$name

# The terms of all that is in the program, as Debian's packages say them, and the licences they name.
terms() { # FOLDER
  local file package
  mkdir -p "$1"
  cp "$static"/copyright/* "$1/"
  printf '%s\n' "$@" "$(c++ -print-file-name=libstdc++.a)" "$(c++ -print-file-name=libc.a)" \
    /usr/include/boost/version.hpp /usr/include/CLI/CLI.hpp /usr/include/nlohmann/json.hpp /usr/include/eigen3/Eigen/Core |
    tail -n +2 | grep -v "^$(realpath "$static")/" | while read -r file; do
    package=$(dpkg -S "$(realpath "$file")" | sed 's/[:,].*//;q')
    cp "/usr/share/doc/$package/copyright" "$1/$(dpkg-query -W -f='${source:Package}\n' "$package" | head -n 1)"
  done
  grep -oh '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$1"/* | sort -u | while read -r file; do
    if [ -e "$file" ]; then cp "$file" "$1/${file##*/}.txt"; fi
  done
}

cmake --install "$build" --prefix "$root" --component documents >/dev/null
install -D "$program" "$root/bin/pippin"
strip "$root/bin/pippin"
install -m 644 "$here/../LICENSE" "$root/LICENSE"
install -m 644 "$here/portable.txt" "$root/README"
terms "$root/share/doc/pippin/linked" "$@"
chmod -R u=rwX,go=rX "$root"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -c "$name" | gzip -9n >"$archive.new"
mv "$archive.new" "$archive"
