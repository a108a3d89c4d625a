# SPDX-License-Identifier: BSD-3-Clause
#
# Functions for the scripts of guests. boot.sh and bochs.sh put them into each script. If a step does not end as it must,
# they print it on the console and end the script with status 1.
#
#	must COMMAND...		runs a command that must succeed
#	must_fail COMMAND...	runs a command that must fail
#	COMMAND || die TEXT...	prints TEXT; for a pipeline, and for a step that writes to a special file
#
# If the file of a redirection cannot be opened, the shell does not call the function, and the
# script continues. So `must echo 1 >FILE` does not notice that FILE is missing.
die()
{
	echo "guest: $*" >/dev/console
	exit 1
}

must()
{
	"$@" && return
	echo "guest: failed with status $?: $*" >/dev/console
	exit 1
}

must_fail()
{
	"$@" || return 0
	echo "guest: succeeded, but must fail: $*" >/dev/console
	exit 1
}
