# SPDX-License-Identifier: BSD-3-Clause
#
# The recorder service runs again after a reboot, without any action.
. ./recorder.sh

is "the machine has been rebooted" "$(journalctl --list-boots --no-pager -q | wc -l)" 2
ok "the recorder runs" until_ 120 unit_is kutrace-recorder ActiveState active
ok "the recorder records" until_ 60 recorder_records
is "no unit has failed" "$(systemctl --failed --no-legend --plain | cut -d ' ' -f 1)" ""
is "the recorder's traces remain" "$(ls $kept)" "$(cat "$state/kept")"
systemctl start shop
slow_request again
ok "a slow request gives a trace" until_ 120 more_written 0
between "the folder keeps its limit over reboots" "$(du -sk $kept | cut -f 1)" 1 8192
as alice 'kutrace_control run -o after.trace -- true'
is "alice is still in the group, and records" "$status" 0
ok "the crash kernel is loaded" until_ 300 grep -qx 1 /sys/kernel/kexec_crash_loaded
