# SPDX-License-Identifier: BSD-3-Clause
#
# The machine is as the other steps need it, and has nothing of the project.

# The helper as() expects home folders of all users in /home, also of root.
[ -e /home/root ] || ln -s /root /home/root

no_jobs()
{
	[ -z "$(systemctl list-jobs --no-legend)" ]
}

is "the first process is systemd" "$(cat /proc/1/comm)" systemd
ok "all jobs of the boot have ended" until_ 300 no_jobs
is "no unit has failed" "$(systemctl --failed --no-legend --plain | cut -d ' ' -f 1)" ""
is "udev runs" "$(systemctl is-active systemd-udevd)" active
is "AppArmor is in the kernel, and on" "$(cat /sys/module/apparmor/parameters/enabled)" Y
between "AppArmor enforces profiles" "$(grep -c '(enforce)' /sys/kernel/security/apparmor/profiles)" 1 10000
ok "the journal is on the disk" test -n "$(ls /var/log/journal/*/system.journal 2>/dev/null)"
ok "the crash kernel is loaded" until_ 300 grep -qx 1 /sys/kernel/kexec_crash_loaded
is "nothing of KUtrace is here" "$(command -v kutrace_control; getent group tracing; ls -d /dev/kutrace 2>/dev/null)" ""
