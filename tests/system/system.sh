#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A whole machine: Debian 13 with systemd, udev, AppArmor, journald and kdump in QEMU, on which the
# project's packages are installed as anybody would, used by several users, by services and in a
# container, over a reboot and a crash, and taken away; then the same from source. What is tried is in guest/steps. From nothing to its
# end: makes the image (image.sh), builds the packages (debs.sh), runs the machine (machine.sh). For
# root. Called by `make check-system`. It must change nothing on this machine.
#
# Prints TAP as it comes, then how long what took; the machine's log, its journal and what the kernel
# said lie in build/system. Steps whose names are given are run, and not the others, as in
# `tests/system/system.sh 10 20 40`: by the numbers that their names begin with.
set -u
. tests/tap.sh
tap_begin
build=${BUILD:-build}
out=$build/system

if [ "$(id -u)" != 0 ]; then
	echo '1..0 # SKIP not root'
	exit 77
fi
# timed NAME COMMAND...: $times has how long it took
times=
timed()
{
	local name=$1 since=$SECONDS status=0
	shift
	"$@" || status=$?
	times="$times$name $((SECONDS - since)) s, "
	return $status
}

version=$(sed -n 's/^VERSION := //p' Makefile)
timed "tarball" make --no-print-directory dist >&2 || exit 1
timed "packages" tests/system/debs.sh "$build/dist/kutrace-$version.tar.xz" "$out/debs" || exit 1
timed "image" tests/system/image.sh >"$TAP_TMP/image" || exit 1

payload=$TAP_TMP/payload
mkdir -p "$payload"
cp -R tests/system/guest/{run.sh,lib.sh,recorder.sh,files,steps} tests/tap.sh "$out/debs" "$payload/"
cp "$build/dist/kutrace-$version.tar.xz" "$payload/kutrace.tar.xz"
if [ $# -gt 0 ]; then
	for step in "$payload"/steps/*; do
		case " $* " in
		*" $(basename "$step" | cut -d _ -f 1) "*) ;;
		*) rm "$step" ;;
		esac
	done
fi
rm -rf "$out/machine"
timed "machine" tests/system/machine.sh --image "$(cat "$TAP_TMP/image")" --payload "$payload" --out "$out/machine"
status=$?

# The numbers of what is said here go on after the machine's.
TAP_N=$(grep -c -E '^(not )?ok ' "$out/machine/said.log")
TAP_FAILED=$(grep -c '^not ok ' "$out/machine/said.log")
is "the machine ended by itself" "$status" 0
like "after all steps" "$(cat "$out/machine/said.log")" '^all steps are done$'
# But for the crash of step 70, up to the next kernel's first line.
is "the kernel's log is clean" "$(awk '/sysrq triggered crash/ { asked = 1 } /Linux version/ { asked = 0 } !asked' \
	"$out/machine/console.log" |
	grep -E 'WARNING:|BUG:|Oops|Call Trace|hung task|general protection|Kernel panic' | grep -v 'taints kernel')" ""
echo "# times: ${times%, }"
echo "# $((TAP_N - TAP_FAILED)) passed, $TAP_FAILED failed"
tap_end
