# SPDX-License-Identifier: BSD-3-Clause
#
# The packages can be removed while the recorder runs, and nothing remains.

systemctl disable --now shop >/dev/null 2>&1
if apt-get -q -y purge kutrace kutrace-interop kutrace-dkms kutrace-doc libkutrace1 libkutrace-dev >/run/apt.log 2>&1; then
	pass "apt purges the packages"
else
	fail "apt purges the packages" "$(tail -n 20 /run/apt.log)"
fi
is "no recorder runs" "$(ps -eo comm= | grep kutrace_control)" ""
is "the recorder's traces are gone" "$(ls -d /var/lib/kutrace-recorder 2>/dev/null)" ""
is "no module is left on the disk" "$(find "/lib/modules/$(uname -r)" -name 'kutrace*')" ""
ok "the loaded module can be unloaded" rmmod kutrace
is "the device is gone" "$(ls -d /dev/kutrace 2>/dev/null)" ""
is "the kernel warns of nothing" "$(complaints)" ""
