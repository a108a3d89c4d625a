#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the content of the stock guests: fetches the kernel, builds kutrace.ko for it, and writes
# the locations as shell assignments to $BUILD/guest/env (the variables of kernel.sh, and KO). If it
# fails, it removes this file, so that no test uses the module of an earlier build.
#
#	tests/guest/payload.sh [NAME]
#
# With a NAME of kernel.sh, it does this for that kernel, and writes $BUILD/guest/env-NAME. For a
# kernel of another architecture it also builds the programs for it, in $BUILD/arm64 for example, as
# `make guest-arm64` does. GUEST_BUILD in the file is the build folder of that architecture, GUEST_BIN
# its folder of guest programs. Exit status: 0; 1 with a message; 2 no such name; 77 with a message: the kernel is not available.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
env=$build/guest/env${1:+-$1}
mkdir -p "$build/guest"
trap '[ $? = 0 ] || rm -f "$env"' EXIT
# Tests that run at the same time build the same files, such as the module of a kernel.
exec 8>"$env.lock"
flock 8

KO=
found=$(tests/guest/kernel.sh ${1+"$1"})
eval "$found"
programs=$build${KARCH:+/$KARCH}
if [ -n "$KARCH" ]; then
	tests/deps.sh "$KARCH"
	mkdir -p "$programs"
	exec 9>"$programs/lock"
	flock 9
	${KU_MAKE:-make} --no-print-directory -s BUILD="$build" "guest-$KARCH" 9>&-
	exec 9>&-
fi
ko=$KO
if [ -z "$ko" ]; then
	tests/guest/module_build.sh "$KDIR" "$KVER" "$build" "$KSUITE"
	ko=$build/module/$KVER/kutrace.ko
fi
[ -f "$ko" ] || { echo "payload: make module left no $ko" >&2; exit 1; }
vermagic=$(strings -a "$ko" | sed -n 's/^vermagic=//p')
case $vermagic in
"$KVER "*) ;;
*) echo "payload: $ko is for '$vermagic', not for $KVER" >&2; exit 1 ;;
esac
printf "%s\nKO='%s'\nGUEST_BUILD='%s'\nGUEST_BIN='%s'\n" "$found" "$ko" "$programs" "$programs/guest/bin" >"$env.tmp"
mv "$env.tmp" "$env"
