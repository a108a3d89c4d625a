# SPDX-License-Identifier: BSD-3-Clause
#
# Functions that the steps share; run.sh sources it. Functions must wait for a condition, not for a
# fixed time.

# The filters are outside the usual PATH: README.Debian has this line.
export PATH="/usr/lib/kutrace/bin:$PATH"

# as USER LINE: runs the line in a new login of that user. Sets $said to its output and $status to
# its exit status.
as()
{
	# shellcheck disable=SC2034 # the caller uses them
	said=$(runuser -u "$1" -- env -C "/home/$1" HOME="/home/$1" USER="$1" LOGNAME="$1" bash -c "$2" 2>&1 </dev/null)
	status=$?
	[ "$status" = 0 ] || diag "$1: $2: status $status: $said"
}

# record USER COMMAND: runs the README's first steps as that user
record()
{
	as "$1" "$2 run -o slow.trace -- sh -c 'id -un; id -Gn' >who"
	is "$1: run" "$status" 0
	is "$1: the program runs as that user" "$(head -n 1 "/home/$1/who")" "$1"
	is "$1: the trace belongs to that user, and no other can read it" "$(stat -c '%U %a' "/home/$1/slow.trace")" "$1 600"
	like "$1: the next command is printed" "$said" '(rawtohtml|kutrace page) slow\.trace'
	as "$1" 'checktrace slow.trace'
	is "$1: the trace is sound" "$status" 0
	as "$1" 'rawtohtml slow.trace --title "my slow program" -o one.html &&
		rawtoevent slow.trace | sort -n | eventtospan "my slow program" | LC_ALL=C sort | makeself >slow.html'
	is "$1: rawtohtml, and the pipe" "$status" 0
	like "$1: the page" "$(head -c 3000 "/home/$1/slow.html")" '<html'
	as "$1" "$2 start --wrap && $2 snapshot -o rare.trace && printf 'stop last.trace\n' | $2"
	is "$1: start, snapshot, stop at the prompt" "$status" 0
	is "$1: these traces belong to that user" "$(stat -c '%U' "/home/$1/rare.trace" "/home/$1/last.trace" | sort -u)" "$1"
}

# until_ SECONDS COMMAND...: true if the command succeeds within that time
until_()
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt "$end" ] || return 1
		sleep 0.2
	done
}

# unit_is UNIT PROPERTY VALUE: true if the unit's property has that value
unit_is()
{
	[ "$(systemctl show -P "$2" "$1")" = "$3" ]
}

# True if the device has the group and mode that udev must set.
device_is_tracings()
{
	[ "$(stat -c '%G %a' /dev/kutrace/control)" = "tracing 660" ]
}

# session NAME: prints the session's line of "session list", or nothing
session()
{
	kutrace_control session list | awk -v name="$1" '$1 == name'
}

# complaints: prints AppArmor's refusals and the kernel's warnings since the boot
complaints()
{
	journalctl -b -k -o cat --no-pager | grep -E 'apparmor="DENIED"|WARNING:|BUG:|Oops|general protection|INFO: task .* blocked|Call Trace'
}
