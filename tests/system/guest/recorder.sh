# SPDX-License-Identifier: BSD-3-Clause
#
# What the steps about the recorder service have in common; to be sourced by them.

kept=/var/lib/kutrace-recorder

# slow_request NAME: one that waits while a backup has the lock, twice as long as the trigger's time;
# $answer is the answer
slow_request()
{
	rm -f /run/backup.*
	mkfifo /run/backup.end
	/usr/local/bin/backup &
	until_ 60 test -e /run/backup.has
	echo "$1" | socat -t 60 - UNIX-CONNECT:/run/shop.socket >/run/answer &
	# From when it waits the time counts.
	until_ 60 pgrep -x flock
	sleep 0.8
	echo >/run/backup.end
	wait
	answer=$(cat /run/answer)
}

# said_in_journal TEXT [OPTION]...: whether the recorder's journal since the boot has it
said_in_journal()
{
	journalctl -b -u kutrace-recorder -o cat --no-pager "${@:2}" | grep -q -e "$1"
}

# How many traces it has written since the boot, as its journal says.
written()
{
	journalctl -b -u kutrace-recorder -o cat --no-pager | grep -c 'next: rawtohtml'
}

more_written()	# THAN
{
	[ "$(written)" -gt "$1" ]
}

recorder_pid()
{
	systemctl show -P MainPID kutrace-recorder
}

recorder_changed()	# PID
{
	unit_is kutrace-recorder ActiveState active && [ "$(recorder_pid)" != "$1" ] && [ "$(recorder_pid)" != 0 ]
}

recorder_records()
{
	session recorder | grep -q '^recorder  *recording'
}
