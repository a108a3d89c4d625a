# SPDX-License-Identifier: BSD-3-Clause
#
# What the steps have in common; to be sourced by run.sh. Waits here wait for something.

# as USER LINE: what a new login of that user does with the line: $said is what it said, $status how
# it ended.
as()
{
	# shellcheck disable=SC2034 # who calls this uses them
	said=$(runuser -u "$1" -- env -C "/home/$1" HOME="/home/$1" USER="$1" LOGNAME="$1" bash -c "$2" 2>&1 </dev/null)
	status=$?
	[ "$status" = 0 ] || diag "$1: $2: status $status: $said"
}

# until_ SECONDS COMMAND...: whether it comes true within that time
until_()
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt "$end" ] || return 1
		sleep 0.2
	done
}

# unit_is UNIT PROPERTY VALUE
unit_is()
{
	[ "$(systemctl show -P "$2" "$1")" = "$3" ]
}

# session NAME: its line of "session list"; empty: there is none
session()
{
	kutrace_control session list | awk -v name="$1" '$1 == name'
}

# complaints: what AppArmor has refused, and what the kernel warns of, since the boot
complaints()
{
	journalctl -b -k -o cat --no-pager | grep -E 'apparmor="DENIED"|WARNING:|BUG:|Oops|general protection|INFO: task .* blocked|Call Trace'
}
