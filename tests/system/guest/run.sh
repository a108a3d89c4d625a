#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What is tried in the machine: the files of steps/, in the order of their names, each once. A step
# that sets $reboot is followed by a reboot, after which the next ones run; one that sets $crash by that command, which
# crashes the kernel. Called by guest-test after
# every boot, in the folder that the host has filled; prints TAP without a plan, whose numbers go on
# over reboots, and ends with the line "all steps are done". It must end the machine whatever happens.
set -u
state=/var/lib/guest-test
mkdir -p "$state"
. ./tap.sh
. ./lib.sh
tap_begin
TAP_N=$(cat "$state/count" 2>/dev/null || echo 0)
reboot='' crash=''

# What the host looks at, onto the third disk; then the end.
leave()
{
	journalctl --no-pager -o short-monotonic >"$state/journal" 2>&1
	dmesg >"$state/dmesg"
	tar -C "$state" -cf /dev/vdc . 2>/dev/null
	sync
	tap_cleanup
	systemctl --no-block poweroff
}
trap leave EXIT

for step in steps/*.sh; do
	[ ! -e "$state/${step##*/}" ] || continue
	since=$SECONDS
	. "./$step"
	echo "# ${step##*/}: $((SECONDS - since)) s"
	: >"$state/${step##*/}"
	echo "$TAP_N" >"$state/count"
	[ -n "$reboot$crash" ] || continue
	sync
	if [ -n "$crash" ]; then
		eval "$crash"
		diag "$crash: and the machine goes on"
		exit
	fi
	trap - EXIT
	systemctl --no-block reboot
	exit
done
echo "all steps are done"
