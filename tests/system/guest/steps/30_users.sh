# SPDX-License-Identifier: BSD-3-Clause
#
# Each kind of user can do what docs/guide/security.md lists: root; carol, by sudo; alice and bob, after
# they have joined group tracing; dave never. The commands are the README's.
# tests/guest/test_access.sh tests every single call of the device.

install -d -m 1777 /srv/traces
chmod 755 /home/*

record root kutrace_control
record carol 'sudo kutrace_control'

# alice and dave are not in the group.
for user in alice dave; do
	as $user 'kutrace_control run -o no.trace -- touch ran' 2>/dev/null
	is "$user, who is not in the group: run" "$status" 125
	like "$user: remedy" "$said" "no permission: run as root, or have root put you into group tracing"
	ok "$user: the program did not run, and there is no trace" test ! -e /home/$user/ran -a ! -e /home/$user/no.trace
	as $user 'kutrace_control doctor' 2>/dev/null
	is "$user: doctor" "$status" 1
	like "$user: doctor has the command" "$said" 'sudo usermod -aG tracing'
done

# Join the group as in docs/guide/install.md. New logins are then in the group.
usermod -aG tracing alice
usermod -aG tracing bob
record alice kutrace_control

# Two users record at the same time, without disturbing or accessing each other's recordings.
as alice 'kutrace_control start --wrap'
is "alice records" "$status" 0
like "alice has her own session" "$(session "uid-$(id -u alice)")" "^[^ ]+ +recording .*uid $(id -u alice)"
as bob 'kutrace_control run -o /srv/traces/bob.trace -- ls /'
is "bob records meanwhile" "$status" 0
for line in stop 'session destroy NAME' 'snapshot -o stolen.trace' 'mask -syscall' 'off' 'reset'; do
	case $line in
	*NAME) as bob "kutrace_control ${line%NAME}uid-$(id -u alice)" ;;
	*) as bob "kutrace_control --session uid-$(id -u alice) $line" ;;
	esac 2>/dev/null
	is "bob: $line, of alice's recording: status" "$status" 1
	like "bob: $line, of alice's recording" "$said" 'no permission'
done
as bob 'kutrace_control --session main stop stolen.trace' 2>/dev/null
is "bob: root's recording" "$status" 1
is "bob has got no trace of other users" "$(ls /home/bob)" ""
like "alice's recording continues" "$(session "uid-$(id -u alice)")" '^[^ ]+ +recording'
as alice 'kutrace_control stop /srv/traces/alice.trace'
is "alice ends her recording" "$status" 0
as alice 'checktrace /srv/traces/alice.trace'
is "alice's trace is sound" "$status" 0
as alice 'rawtoevent /srv/traces/alice.trace 2>/dev/null | grep -c -w ls'
between "alice's trace has the program that bob ran" "$said" 1 1000000
as bob 'cat /srv/traces/alice.trace' 2>/dev/null
is "bob cannot read alice's trace" "$status" 1
as dave 'cat /srv/traces/alice.trace /srv/traces/bob.trace /dev/kutrace/control' 2>/dev/null
is "dave cannot read the traces or the device" "$(echo "$said" | grep -c 'Permission denied')" 3
kutrace_control session destroy "uid-$(id -u alice)"
kutrace_control session destroy "uid-$(id -u bob)"
is "no recording is left running" "$(kutrace_control session list | grep -w recording)" ""
