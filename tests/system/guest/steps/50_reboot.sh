# SPDX-License-Identifier: BSD-3-Clause
#
# The recorder service after a reboot, of which nobody told it.
. ./recorder.sh

is "the machine has been rebooted" "$(journalctl --list-boots --no-pager -q | wc -l)" 2
ok "the recorder runs" until_ 120 unit_is kutrace-recorder ActiveState active
ok "and records" until_ 60 recorder_records
is "all units are well" "$(systemctl --failed --no-legend --plain | cut -d ' ' -f 1)" ""
is "its traces are there" "$(ls $kept)" "$(cat "$state/kept")"
systemctl start shop
slow_request again
ok "a slow request is written" until_ 120 more_written 0
between "and the folder keeps to its limit over reboots" "$(du -sk $kept | cut -f 1)" 1 8192
as alice 'kutrace_control run -o after.trace -- true'
is "alice is still in the group, and records" "$status" 0
ok "the crash kernel is loaded" until_ 300 grep -qx 1 /sys/kernel/kexec_crash_loaded
