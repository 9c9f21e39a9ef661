# SPDX-License-Identifier: Apache-2.0
# Builds the static libraries that Debian's packages lack, from Debian's sources, for the program that needs
# nothing of a machine (./dev package --portable):
#   bash packaging/static_libraries.bash FOLDER
# leaves FOLDER/lib/lib*.a, and in FOLDER/copyright/ the terms of each. What is there already stays.
set -euo pipefail

folder=$(realpath -m "$1")
sources=$folder/sources

say() { printf '%s\n' "$*" >&2; }

# apt's view of the sources of the system that is installed, whatever its own lists are.
sources_of_debian() {
  local mirror codename
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  # shellcheck disable=SC2016 # the dollar is apt's
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $codename" | head -n 1)
  mkdir -p "$sources/lists/partial"
  printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    "${mirror:-http://deb.debian.org/debian}" "$codename" >"$sources/sources.list"
}

apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$sources/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$sources/lists" -o APT::Sandbox::User="$(id -un)" "$@"
}

# build SOURCE LIBRARY [cmake options]
build() {
  local source=$1 library=$2 tree
  shift 2
  if [ -e "$folder/lib/$library" ]; then return; fi
  say "building $library from Debian's $source"
  if [ ! -e "$sources/sources.list" ]; then
    sources_of_debian
    apt update
  fi
  (cd "$sources" && apt source "$source" >/dev/null)
  tree=$(find "$sources" -maxdepth 1 -type d -name "$source-*" | head -n 1)
  cmake -S "$tree" -B "$sources/build-$source" -G Ninja --log-level=WARNING "${launcher[@]}" -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG" "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" \
    -DCMAKE_INSTALL_PREFIX="$folder" -DCMAKE_INSTALL_LIBDIR=lib "$@" >&2
  cmake --build "$sources/build-$source" >&2
  mkdir -p "$folder/lib" "$folder/copyright"
  cp "$tree/debian/copyright" "$folder/copyright/$source"
  find "$sources/build-$source" -name "$library" -exec cp {} "$folder/lib/$library.new" \;
  mv "$folder/lib/$library.new" "$folder/lib/$library"
}

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
build fmtlib libfmt.a -DFMT_TEST=OFF -DFMT_DOC=OFF -DFMT_FUZZ=OFF
build nlopt libnlopt.a -DNLOPT_CXX=OFF -DNLOPT_FORTRAN=OFF -DNLOPT_PYTHON=OFF -DNLOPT_OCTAVE=OFF -DNLOPT_MATLAB=OFF \
  -DNLOPT_GUILE=OFF -DNLOPT_SWIG=OFF -DNLOPT_TESTS=OFF
build libzip libzip.a -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF \
  -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF \
  -DBUILD_DOC=OFF
rm -rf "$sources"
