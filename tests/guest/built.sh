#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# kutrace.ko for a kernel's build folder, by `make module`; or, where the same sources were
# compiled for that kernel by that compiler before, what came of it then, from
#
#	${XDG_CACHE_HOME:-~/.cache}/kutrace/module-KVER-HASH/
#
# With it comes Module.symvers, which modules that use its symbols are built with.
# It prints what the compiler said, then or now, warnings and all, so that who looks for
# them finds them. Called by payload.sh and by the tests of other stock kernels.
#
#	tests/guest/built.sh KDIR KVER BUILD	leaves kutrace.ko and Module.symvers in BUILD/module/KVER
#
# Exit status: 0, or that of make.
set -euo pipefail
[ $# = 3 ] || { echo "usage: built.sh KDIR KVER BUILD" >&2; exit 2; }
kdir=$1 kver=$2 build=$3
cd "$(dirname "$0")/../.."
. tests/keys.inc
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
ko=$build/module/$kver/kutrace.ko
cc=${CC:-gcc}
cc=${cc#ccache }

inputs()
{
	realpath "$kdir"
	cat "$kdir/.config" "$kdir/Module.symvers" "$kdir/include/generated/utsrelease.h"
	echo "${KBUILD_ARGS-}" "${KCFLAGS-}" "$cc"
	# shellcheck disable=SC2086
	tools_key $cc "$($cc -print-prog-name=cc1)" as ld make objcopy
	files_key module tests/guest/built.sh
}

key=$(inputs | sha256sum | cut -c 1-32)
kept=$cache/module-$kver-$key
if [ ! -f "$kept/kutrace.ko" ]; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	${KU_MAKE:-make} --no-print-directory module KDIR="$kdir" BUILD="$build" 2>&1 | tee "$work/log"
	cp "$ko" "${ko%/*}/Module.symvers" "$work/"
	chmod 755 "$work"
	mv -T "$work" "$kept" 2>/dev/null || [ -d "$kept" ]
else
	mkdir -p "${ko%/*}"
	cat "$kept/log"
	cp "$kept/kutrace.ko" "$kept/Module.symvers" "${ko%/*}/"
fi
