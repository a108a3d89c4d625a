# SPDX-License-Identifier: BSD-3-Clause
#
# apt installs the packages, and DKMS builds the module for the running kernel. The installation
# enables no service and loads no module. Then the module can be loaded.

since=$SECONDS
if apt-get -q -y --no-install-recommends install ./debs/*.deb >/run/apt.log 2>&1; then
	pass "apt installs the packages"
else
	fail "apt installs the packages" "$(tail -n 20 /run/apt.log)"
fi
echo "# installed, and the module built, in $((SECONDS - since)) s"
version=$(dpkg-query -W -f '${Version}' kutrace-dkms)
is "DKMS has built the module for this kernel" "$(dkms status kutrace)" "kutrace/$version, $(uname -r), x86_64: installed"
like "DKMS has signed it" "$(modinfo -F signer kutrace)" DKMS
like "group tracing exists, without members" "$(getent group tracing)" '^tracing:x:[0-9]+:$'
like "the recorder's user cannot log in" "$(getent passwd kutrace)" '^kutrace:.*:/usr/sbin/nologin$'
is "no service is on" "$(systemctl is-enabled kutrace-recorder kutrace-receive.socket | sort -u)" disabled
is "no module is loaded" "$(lsmod | grep -w kutrace)" ""
like "status without the module prints the remedy" "$(kutrace_control status 2>&1)" 'module not loaded: run "sudo modprobe kutrace".*"kutrace_control doctor"'

ok "the module can be loaded by its name" modprobe kutrace mb=8
ok "udev gives the device to the group" until_ 30 device_is_tracings
as root 'kutrace_control doctor'
is "doctor finds no error" "$(echo "$said" | grep -w wrong)" ""
is "nothing records" "$(kutrace_control session list | grep -w recording)" ""
ok "the crash kernel is still loaded" grep -qx 1 /sys/kernel/kexec_crash_loaded
