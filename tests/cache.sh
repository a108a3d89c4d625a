#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Manages ${XDG_CACHE_HOME:-~/.cache}/kutrace, the cache that all checkouts share. An entry is a
# complete folder, named by its inputs. This script has the operations that all users of the cache
# share: to record that an entry is used, and to drop unused entries. It must never take an entry
# from a run that uses it.
#
#	tests/cache.sh --use DIR	0: the folder exists, and counts as used now; 1: it does not exist. A folder
#				outside of the cache is only looked up.
#	tests/cache.sh --trim	drops entries that were not used for 14 days; of entries of the same kind all but the
#				8 used last, when they are a day old; and leftovers of aborted builds, when they are
#				two days old. Call it after adding an entry. It reports on stderr.
#	tests/cache.sh --clean	drops everything, and prints how much that was: `make clean-cache`
#
# A lock separates use from dropping: an entry that --use has found stays for at least a day.
# ccache's folder has its own limit (3 GB), and only --clean drops it.
# Exit status: 0; 1; 2 usage.
set -eu
export LC_ALL=C
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
days=14		# that an unused entry stays
most=8		# entries of the same kind
busy=1		# days; no run takes longer
broken=2	# days after which no build works in its folder any more

# with_lock s|x: takes the lock for the rest of this process
with_lock()
{
	exec 9>>"$cache/.lock" && flock "-$1" 9
}

# Prints for each entry of the folder $1: seconds since it was used, its name
ages()
{
	find "$1" -mindepth 1 -maxdepth 1 -printf '%T@ %f\n' | awk -v now="$(date +%s)" '{
		age = now - $1
		sub(/^[^ ]* /, "")
		printf "%.0f %s\n", age, $0
	}'
}

# Prints the names to drop, of the ages on stdin, as described at the top. Entries of one kind have
# names that differ only in the hash.
unused()
{
	sort -n | awk -v days=$days -v most=$most -v busy=$busy -v broken=$broken '
	BEGIN { day = 86400 }
	{ age = $1; sub(/^[^ ]* /, "") }
	/^(ccache|passed|[.]lock|qemu[.]lock)$/ { next }
	# a link to a tree that was left for another build, or the lists of packages of a day
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

# Prints the trees that builds left for others. Their folders are used as long as links to them
# exist: links in the cache, and links that a build has taken.
linked()
{
	for link in "$cache"/tree-* "$cache"/.tmp.*/left; do
		[ ! -L "$link" ] || basename "$(dirname "$(readlink "$link")")"
	done
}

# away NAME...: moves existing entries to $dropped, where no run looks for them. A tree goes with
# its link.
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

# Describes the content of $dropped: how many entries, and how much
said()
{
	printf '%s' "$(ls -A "$dropped" | wc -l) entries, $(du -sh "$dropped" | cut -f 1)B"
}

use()
{
	case $1 in
	"$cache"/*)
		# another user's cache can be read only
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
	# shellcheck disable=SC2086 # own names, without spaces
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
	# by kind: the first word of their names
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
