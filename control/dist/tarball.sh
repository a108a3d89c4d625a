#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Packs the source tarball: the files that git tracks, and the built page, so that a build from it
# needs neither git nor esbuild. The same commit always gives the same bytes. It must not pack
# uncommitted changes without a message.
#
#	tarball.sh VERSION PAGE OUT.tar.xz
#
# Exit status: 0 OUT is complete; 1 after an error message.
set -eu

version=$1
page=$2
out=$3
name=kutrace-$version
top=$(git rev-parse --show-toplevel 2>/dev/null) && [ "$top" = "$(pwd -P)" ] || {
	echo "make dist: this folder is not the top of a git checkout: a tarball contains the files that git tracks" >&2
	exit 1
}
[ -z "$(git status --porcelain)" ] ||
	echo "make dist: uncommitted changes are not in the tarball" >&2
stamp=$(git log -1 --format=%ct)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

git archive --prefix="$name/" HEAD | tar -C "$tmp" -xf -
mkdir -p "$tmp/$name/templates/built"
cp "$page" "$tmp/$name/templates/built/show_cpu.html"
# Sorts the names, and sets the same owner, time and modes for all files.
(cd "$tmp" && LC_ALL=C tar --sort=name --format=gnu --mtime="@$stamp" --owner=0 --group=0 \
	--numeric-owner --mode=u+rw,go+rX,go-w -cf - "$name") | xz -T1 -6 >"$tmp/out"
mkdir -p "$(dirname "$out")"
mv "$tmp/out" "$out.new"
mv "$out.new" "$out"
