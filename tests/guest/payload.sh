#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes what goes into the stock guests: fetches the kernel, builds kutrace.ko
# for it, and leaves in $BUILD/guest/env, as shell assignments, where it all is
# (the variables of kernel.sh, and KO, which a patched kernel brings along). `make guest-payload` calls it; lib.sh and
# the benchmarks read the file. It must not leave an env behind that points to a
# module of another build.
#
#	tests/guest/payload.sh [NAME]
#
# With a NAME that kernel.sh knows it is that kernel, and the file $BUILD/guest/env-NAME. The
# demo and kernels.sh call it so. For one of another architecture the programs are made for that, too, as
# by `make guest-arm64`, in $BUILD/arm64. The file's GUEST_BUILD says where the guest's programs are.
# Exit status: 0; 1 with a message; 2 no such name; 77 with a message: it cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
env=$build/guest/env${1:+-$1}
mkdir -p "$build/guest"
trap '[ $? = 0 ] || rm -f "$env"' EXIT
# Tests that run beside each other build the same files: the module of a kernel, the programs of an architecture.
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
	tests/guest/built.sh "$KDIR" "$KVER" "$build" "$KSUITE"
	ko=$build/module/$KVER/kutrace.ko
fi
[ -f "$ko" ] || { echo "payload: make module left no $ko" >&2; exit 1; }
vermagic=$(strings -a "$ko" | sed -n 's/^vermagic=//p')
case $vermagic in
"$KVER "*) ;;
*) echo "payload: $ko is for '$vermagic', not for $KVER" >&2; exit 1 ;;
esac
printf "%s\nKO='%s'\nGUEST_BUILD='%s'\n" "$found" "$ko" "$programs" >"$env.tmp"
mv "$env.tmp" "$env"
