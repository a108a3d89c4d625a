#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Manages ${XDG_CACHE_HOME:-~/.cache}/kutrace, the cache that all checkouts share. An entry is a
# complete folder, named by its inputs. This script has the operations that all users of the cache
# share: it records that an entry is used, and drops unused entries. It must never drop an entry that
# a running program uses.
#
#	tests/cache.sh --use DIR	exits with 0 if the folder exists, otherwise with 1. Marks a folder in the cache
#				as used now.
#	tests/cache.sh --trim	drops entries that were not used for 14 days. Of each kind of entries, also drops
#				those not used for a day, except the 8 used last. Also drops files of aborted builds
#				that are older than two days. Reports on stderr. Call it after adding an entry.
#	tests/cache.sh --clean	drops everything, and prints how much that was: `make clean-cache`
#
# --use and --trim hold a lock, so --trim does not drop an entry for at least a day after --use found
# it. ccache's folder has its own limit (3 GB), and only --clean drops it.
# Exit status: 0; 1 (see --use); 2 usage.
set -eu
export LC_ALL=C
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kutrace
days=14		# an entry that was not used for this long is dropped
most=8		# number of entries of a kind that stay for all these days
busy=1		# days; no program uses an entry for longer
broken=2	# days; no build uses its temporary folder for longer

# with_lock s|x: takes the lock, shared or exclusive, until the end of this process
with_lock()
{
	exec 9>>"$cache/.lock" && flock "-$1" 9
}

# Prints a line for each entry of the folder $1: the seconds since its last use, and its name
ages()
{
	find "$1" -mindepth 1 -maxdepth 1 -printf '%T@ %f\n' | awk -v now="$(date +%s)" '{
		age = now - $1
		sub(/^[^ ]* /, "")
		printf "%.0f %s\n", age, $0
	}'
}

# Reads the lines of ages() from stdin and prints the names to drop, as described at the top. The
# names of entries of one kind differ only in the hash.
unused()
{
	sort -n | awk -v days=$days -v most=$most -v busy=$busy -v broken=$broken '
	BEGIN { day = 86400 }
	{ age = $1; sub(/^[^ ]* /, "") }
	/^(ccache|passed|[.]lock|qemu[.]lock)$/ { next }
	# temporary folders, links to reusable trees, and the package lists of one day
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

# Prints the folders of the trees that builds left for other builds. Such a folder is in use as long
# as a link to it exists: in the cache, or in the folder of a build that claimed the tree.
linked()
{
	for link in "$cache"/tree-* "$cache"/.tmp.*/left; do
		[ ! -L "$link" ] || basename "$(dirname "$(readlink "$link")")"
	done
}

# away NAME...: moves existing entries to $dropped, where no program looks for entries. Moves the tree
# of a link together with the link.
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

# Prints the number and the total size of the entries in $dropped
said()
{
	printf '%s' "$(ls -A "$dropped" | wc -l) entries, $(du -sh "$dropped" | cut -f 1)B"
}

use()
{
	case $1 in
	"$cache"/*)
		# the cache of another user is read-only
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
	# shellcheck disable=SC2086 # names of entries have no spaces
	set -- $names
	[ $# != 0 ] || return 0
	dropped=$(mktemp -d "$cache/.dropped.XXXXXX")
	away "$@"
	flock -u 9
	echo "cache: removed entries from $cache that had not been used for days: $(said)" >&2
	rm -rf "$dropped"
}

clean()
{
	if [ ! -d "$cache" ]; then
		echo "$cache: does not exist"
		return
	fi
	with_lock x
	dropped=$(mktemp -d "$cache/.dropped.XXXXXX")
	find "$cache" -mindepth 1 -maxdepth 1 ! -name .lock ! -path "$dropped" -exec mv -t "$dropped" {} +
	flock -u 9
	# the sizes by kind, which is the first word of the name
	du -sm "$dropped"/* "$dropped"/.[!.]* 2>/dev/null | awk '{
		mib = $1
		name = $2
		sub(/.*\//, "", name)
		sub(/^[.].*/, "of aborted builds", name)
		sub(/-.*/, "", name)
		n[name]++
		sum[name] += mib
		all += mib
	}
	END {
		for (name in n)
			printf "%8d MiB  %s (%d)\n", sum[name], name, n[name] | "sort -rn"
		close("sort -rn")
		printf "%8d MiB  total\n", all
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
