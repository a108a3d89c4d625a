# SPDX-License-Identifier: BSD-3-Clause
#
# A container of systemd-nspawn can be recorded from outside, with its names; inside, root has no
# special rights.

box=/srv/box
mkdir -p $box/usr $box/root $box/etc $box/tmp
for top in bin sbin lib lib64; do
	ln -sfn usr/$top $box/$top
done
printf '#!/bin/bash\nread -r line </proc/uptime\necho "$$ $(id -u)"\n' >/usr/local/bin/boxwork
chmod 755 /usr/local/bin/boxwork
# in_box [OPTION]... -- LINE: runs the line in the container. Sets $said and $status
in_box()
{
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	said=$(systemd-nspawn -q -D $box --bind-ro=/usr --pipe "${options[@]}" /bin/bash -c "$2" 2>&1 </dev/null)
	status=$?
	diag "in the box: $2: status $status: $said"
}

# --- from outside ---
kutrace_control run -o /root/box.trace -- systemd-nspawn -q -D $box --bind-ro=/usr --pipe /usr/local/bin/boxwork >/root/box.said 2>/root/box.err </dev/null
is "a container runs while the machine is recorded" "$?" 0
diag "$(cat /root/box.said /root/box.err)"
ok "the trace is sound" checktrace /root/box.trace
rawtoevent /root/box.trace >/root/box.event 2>/dev/null
between "the trace has the container's program by name" "$(grep -c 'boxwork' /root/box.event)" 1 1000000
inside=$(sed -n 's/^\([0-9]*\) 0.*/\1/p' /root/box.said)
outside=$(grep -o 'boxwork\.[0-9]*' /root/box.event | head -n 1 | cut -d . -f 2)
ok "the trace has the program's pid outside the container ($outside), not inside ($inside)" test "$outside" -gt "${inside:-99999999}"
kutrace_control run --cgroup machine.slice -o /root/only.trace -- systemd-nspawn -q -D $box --bind-ro=/usr --pipe /usr/local/bin/boxwork >/dev/null 2>&1 </dev/null
is "a recording with a filter by the container's cgroup succeeds" "$?" 0
rawtoevent /root/only.trace >/root/only.event 2>/dev/null
between "filtered: the program is in the trace" "$(grep -c 'boxwork' /root/only.event)" 1 1000000
between "filtered: other programs have no name" "$(grep -c -e '-other-' /root/only.event)" 1 1000000

# --- from inside ---
in_box -- 'kutrace_control run -o /root/no.trace -- true'
is "inside, without the device: run" "$status" 125
like "inside, without the device: error" "$said" '/dev/kutrace/control.*container'
in_box --bind=/dev/kutrace -- 'kutrace_control run -o /root/no.trace -- true'
is "inside, with the device but without permission: run" "$status" 125
like "inside, with the device but without permission: error" "$said" 'no permission'
in_box --bind=/dev/kutrace --property='DeviceAllow=/dev/kutrace/control rw' --private-users=pick -- \
	'kutrace_control run -o /tmp/no.trace -- true; kutrace_control session destroy recorder'
like "as root of a user namespace: no permission" "$said" 'run: no permission'
like "as root of a user namespace: cannot end the recording of root" "$(session recorder)" '^recorder +recording'
is "nothing was written inside" "$(find $box -name '*.trace' 2>/dev/null)" ""
in_box --bind=/dev/kutrace --property='DeviceAllow=/dev/kutrace/control rw' -- 'kutrace_control run -o /root/inside.trace -- boxwork &&
	/usr/lib/kutrace/bin/checktrace /root/inside.trace'
is "inside, with the device and permission, as root of the machine: recording succeeds" "$status" 0
is "AppArmor has refused nothing, and the kernel warns of nothing" "$(complaints)" ""
