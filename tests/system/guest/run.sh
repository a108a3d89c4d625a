#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the test steps in the machine: the files of steps/, in the order of their names, each once.
# If a step sets $reboot, the machine reboots after it and continues with the next step. If a step
# sets $crash, the script runs that command, which crashes the kernel. guest-test runs it after
# every boot, in the folder that the host has filled. Prints TAP without a plan, with numbers that
# continue over reboots, and ends with the line "all steps are done". It must end the machine
# whatever happens.
set -u
state=/var/lib/guest-test
mkdir -p "$state"
. ./tap.sh
. ./lib.sh
tap_begin
TAP_N=$(cat "$state/count" 2>/dev/null || echo 0)
reboot='' crash=''

# Writes the files for the host to the third disk, and powers off.
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
		diag "$crash: the machine continues to run"
		exit
	fi
	trap - EXIT
	systemctl --no-block reboot
	exit
done
echo "all steps are done"
