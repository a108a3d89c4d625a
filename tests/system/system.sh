#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The project's packages work on a whole machine, Debian 13 with systemd, udev, AppArmor, journald
# and kdump in QEMU. They are installed as usual, used by several users, by services and in a
# container, over a reboot and a crash, and removed; then the same is done from source. The steps
# are in guest/steps. The script makes the image (image.sh), builds the packages (debs.sh) and runs
# the machine (machine.sh). Needs root. `make check-system` uses it. It must change nothing on this
# machine.
#
# Prints TAP as it comes, then the time of each part. The machine's log, its journal and the
# kernel's log are in build/system. With arguments it runs only these steps, by the numbers at the
# beginning of their names: `tests/system/system.sh 10 20 40`.
set -u
. tests/tap.sh
tap_begin
build=${BUILD:-build}
out=$build/system

if [ "$(id -u)" != 0 ]; then
	echo '1..0 # SKIP not root'
	exit 77
fi
# timed NAME COMMAND...: runs the command, and adds its time to $times
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

# Continue the numbers of the machine's tests.
TAP_N=$(grep -c -E '^(not )?ok ' "$out/machine/said.log")
TAP_FAILED=$(grep -c '^not ok ' "$out/machine/said.log")
is "the machine ended by itself" "$status" 0
like "all steps have been done" "$(cat "$out/machine/said.log")" '^all steps are done$'
# Ignore the crash of step 70, up to the first line of the next kernel.
is "the kernel's log is clean" "$(awk '/sysrq triggered crash/ { asked = 1 } /Linux version/ { asked = 0 } !asked' \
	"$out/machine/console.log" |
	grep -E 'WARNING:|BUG:|Oops|Call Trace|hung task|general protection|Kernel panic' | grep -v 'taints kernel')" ""
echo "# times: ${times%, }"
echo "# $((TAP_N - TAP_FAILED)) passed, $TAP_FAILED failed"
tap_end
