#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What outlives checkouts, in ${XDG_CACHE_HOME:-~/.cache}/kutrace: in it an entry is a folder that is complete,
# and named by what went into it. Here is what all who keep something there have in common: saying that an entry
# is used, and dropping what nobody uses. It must never take an entry from a run that uses it. Called by built.sh,
# kernel.sh, root.sh, qemu.sh and boot.sh of tests/guest, tests/kept.inc, tests/sshd.sh and templates/modules.sh.
#
#	tests/cache.sh --use DIR	0: it is there, and counts as used now; 1: it is not. Any folder may be asked
#				for; outside of the cache it is only looked for.
#	tests/cache.sh --trim	drops what was not used for 14 days; of the same for other sources only the 8 used
#				last, once a day old; and what builds that broke off left, when it is two days old.
#				Who has kept something new calls it. What it does it says on stderr.
#	tests/cache.sh --clean	drops everything, and says how much that was: `make clean-cache`
#
# Use and dropping exclude each other by a lock: who was told that an entry is there has it for a day at least.
# ccache's folder has a limit of its own (3 GB) and is dropped by --clean alone.
# Exit status: 0; 1; 2 usage.
set -eu
export LC_ALL=C
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
days=14		# that an entry stays which nobody uses
most=8		# of the same for other sources
busy=1		# day that no run takes longer than
broken=2	# days after which nobody works in a build's folder any more

# with_lock s|x: from here on this process has it
with_lock()
{
	exec 9>>"$cache/.lock" && flock "-$1" 9
}

# Of each entry of the folder $1: seconds since it was used, its name
ages()
{
	find "$1" -mindepth 1 -maxdepth 1 -printf '%T@ %f\n' | awk -v now="$(date +%s)" '{
		age = now - $1
		sub(/^[^ ]* /, "")
		printf "%.0f %s\n", age, $0
	}'
}

# Names to drop, of the ages on stdin, as said at the top. Of one kind are those whose names differ in the hash
# alone.
unused()
{
	sort -n | awk -v days=$days -v most=$most -v busy=$busy -v broken=$broken '
	BEGIN { day = 86400 }
	{ age = $1; sub(/^[^ ]* /, "") }
	/^(ccache|passed|[.]lock|qemu[.]lock)$/ { next }
	# a link to a tree that was left for another build, and the lists of packages of a day
	/^([.]|tree-|apt-|npm-.*[.][A-Za-z0-9]+$)/ {
		if (age > broken * day)
			print
		next
	}
	{
		kind = $0
		if (match(kind, /-[0-9a-f]+$/) && RLENGTH > 16)
			kind = substr(kind, 1, RSTART - 1)
		if (age > days * day || (++count[kind] > most && age > busy * day))
			print
	}'
}

# Trees that builds left for others, whose folders are used as long as the links to them are: those in the
# cache, and those that a build has taken.
linked()
{
	for link in "$cache"/tree-* "$cache"/.tmp.*/left; do
		[ ! -L "$link" ] || basename "$(dirname "$(readlink "$link")")"
	done
}

# away NAME...: into $dropped, where nobody looks; what was there. A tree goes with its link.
away()
{
	for name; do
		tree=
		[ ! -L "$cache/$name" ] || tree=$(dirname "$(readlink "$cache/$name")")
		mv -T "$cache/$name" "$dropped/$(echo "$name" | tr / _)" 2>/dev/null || continue
		case $tree in
		"$cache"/.tmp.*) mv -T "$tree" "$dropped/${tree##*/}" 2>/dev/null || : ;;
		esac
	done
}

# What lies in $dropped, in words: how many entries, and how much
said()
{
	printf '%s' "$(ls -A "$dropped" | wc -l) entries, $(du -sh "$dropped" | cut -f 1)B"
}

use()
{
	case $1 in
	"$cache"/*)
		# another's cache may be read
		if [ -w "$cache" ]; then
			with_lock s
			touch -c "$1"
		fi
		;;
	esac
	[ -d "$1" ]
}

trim()
{
	[ -w "$cache" ] || return 0
	with_lock x
	linked >"$cache/.linked"
	names=$(ages "$cache" | unused | grep -vxF -f "$cache/.linked" || :)
	[ ! -d "$cache/passed" ] || names="$names $(ages "$cache/passed" | unused | sed 's|^|passed/|')"
	rm -f "$cache/.linked"
	# shellcheck disable=SC2086 # names of our own, without spaces
	set -- $names
	[ $# != 0 ] || return 0
	dropped=$(mktemp -d "$cache/.dropped.XXXXXX")
	away "$@"
	flock -u 9
	echo "cache: not used for long, and dropped from $cache: $(said)" >&2
	rm -rf "$dropped"
}

clean()
{
	if [ ! -d "$cache" ]; then
		echo "$cache: nothing is there"
		return
	fi
	with_lock x
	dropped=$(mktemp -d "$cache/.dropped.XXXXXX")
	find "$cache" -mindepth 1 -maxdepth 1 ! -name .lock ! -path "$dropped" -exec mv -t "$dropped" {} +
	flock -u 9
	# by what they are: the first word of their names
	du -sm "$dropped"/* "$dropped"/.[!.]* 2>/dev/null | awk '{
		mib = $1
		name = $2
		sub(/.*\//, "", name)
		sub(/^[.].*/, "of builds that broke off", name)
		sub(/-.*/, "", name)
		n[name]++
		sum[name] += mib
		all += mib
	}
	END {
		for (name in n)
			printf "%8d MiB  %s (%d)\n", sum[name], name, n[name] | "sort -rn"
		close("sort -rn")
		printf "%8d MiB  in all\n", all
	}'
	rm -rf "$dropped"
	echo "removed from $cache"
}

case ${1-}:$# in
--use:2) use "$2" ;;
--trim:1) trim ;;
--clean:1) clean ;;
*) sed -n 's/^#	\(tests.*\)/\1/p' "$0" >&2; exit 2 ;;
esac
