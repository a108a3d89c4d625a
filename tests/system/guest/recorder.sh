# SPDX-License-Identifier: BSD-3-Clause
#
# Functions that the steps about the recorder service share; the steps source this file.

kept=/var/lib/kutrace-recorder

# slow_request NAME: sends a request that waits while a backup has the lock, twice as long as the
# trigger's limit. Sets $answer.
slow_request()
{
	rm -f /run/backup.*
	mkfifo /run/backup.end
	/usr/local/bin/backup &
	until_ 60 test -e /run/backup.has
	echo "$1" | socat -t 60 - UNIX-CONNECT:/run/shop.socket >/run/answer &
	# The duration of the call counts from the beginning of the wait.
	until_ 60 pgrep -x flock
	sleep 0.8
	echo >/run/backup.end
	wait
	answer=$(cat /run/answer)
}

# said_in_journal TEXT [OPTION]...: true if the recorder's journal since the boot has the text
said_in_journal()
{
	journalctl -b -u kutrace-recorder -o cat --no-pager "${@:2}" | grep -q -e "$1"
}

# Prints how many traces the recorder has written since the boot, by its journal.
written()
{
	journalctl -b -u kutrace-recorder -o cat --no-pager | grep -c 'next: .*\.trace'
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
