# SPDX-License-Identifier: BSD-3-Clause
#
# Built from source by the README's commands, KUtrace records and can be uninstalled. carol, who may
# use sudo, builds in her own folder; then root, carol, and dave, who joins group tracing, record;
# and everything is removed again.

as carol 'tar -xf /run/test/kutrace.tar.xz && mv kutrace-* source'
is "carol has the source" "$status" 0
since=$SECONDS
as carol 'cd source && make >make.log 2>&1 || { tail make.log; exit 1; }'
is "make" "$status" 0
echo "# make: $((SECONDS - since)) s"
as carol 'cd source && sudo make install >install.log 2>&1'
is "sudo make install" "$status" 0
as carol 'cd source && find . -newer install.log -type f ! -user carol'
is "sudo make install builds nothing, and leaves no file of root" "$said" ""
since=$SECONDS
as carol 'cd source && { make module && sudo make load; } >module.log 2>&1 || { tail module.log; exit 1; }'
is "make module && sudo make load" "$status" 0
echo "# the module: $((SECONDS - since)) s"
as carol 'sudo systemd-sysusers && sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=misc && sudo usermod -aG tracing dave'
is "the group, the device, and dave in the group, as in docs/guide/install.md" "$status" 0
ok "udev gives the device to the group" until_ 30 device_is_tracings
as root 'kutrace_control doctor'
is "doctor finds no error" "$(echo "$said" | grep -w wrong)" ""

rm -f /home/*/*.trace /home/*/*.html
record root kutrace_control
record carol 'sudo kutrace_control'
record dave kutrace_control

as carol 'cd source && sudo rmmod kutrace && sudo make uninstall'
is "sudo rmmod kutrace; sudo make uninstall" "$status" 0
is "no file is left" "$(find /usr/local -type f | grep -v '^/usr/local/sbin/guest-test$\|^/usr/local/bin/\(answer\|backup\|boxwork\|lastly\)$'; ls -d /dev/kutrace 2>/dev/null)" ""
is "the kernel warns of nothing" "$(complaints)" ""
