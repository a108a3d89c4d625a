#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tables of what kernels.sh has left in $BUILD/kernels:
#
#	tests/guest/kernels_table.sh		kernel by kernel what was run and what came of it
#	tests/guest/kernels_table.sh --doc	docs/kernels.md: which kind of event, which caveat on
#						which kernel, as the module said in the guests; of
#						kernels that were not run this time, what is there
#	tests/guest/kernels_table.sh --same	whether docs/kernels.md says what the guests say of
#						the kernels that were run
#
# Called at the end of `make check-kernels`, and by `make docs-kernels`. It must not say of a
# kernel that was not run how it is.
# Exit status: 0; 1 nothing was run, or with --same: it differs, with the lines.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
top=${BUILD:-build}/kernels

# Stock ones first, in the order of their series and flavours.
in_order()
{
	sort -u -t - -k 1,1r -k 2V
}

# NAMEs of what has been in a guest.
names()
{
	find "$top" -mindepth 3 -name tracepoints.json | sed 's|/[^/]*/[^/]*$||; s|.*/||' | in_order
}

rows()
{
	find "$top" -name row -exec cat {} +
}

# Of rows on stdin.
table()
{
	{
		echo 'kernel|release|CPUs|demo|events|inferred|counters|wrapped: inferred|snapshots|loads|log|s'
		sed 's/^stock/0&/; s/^patched/1&/' | sort -t '|' -k1,1V -k3,3n | sed 's/^[01]//'
	} | column -t -s '|' -o '  ' | sed 's/ *$//'
}

# What lies in docs/kernels.md between these two lines.
between()	# MARK
{
	sed -n "/^<!-- $1 -->\$/,/^<!-- end of $1 -->\$/{//!p}" docs/kernels.md
}

# The doc's own rows, but for those of a kernel and number of CPUs that are in the file ROWS.
rows_kept()	# ROWS
{
	between run | sed '/^```/d; 1,2{/^kernel /d}; s/   */|/g' |
		awk -F '|' 'NR == FNR { new[$1, $3] = 1; next } !(($1, $3) in new)' "$1" -
}

# The columns of one of the doc's tables, ROW=CELL each in a file NAME.what of $work, but for NAMEs that
# have such a file; prints these NAMEs.
columns_kept()	# WHAT
{
	between "$1" | awk -F ' *[|] *' -v work="$work" -v what="$1" '
	/^\| \|/ {
		for (i = 3; i < NF; i++) {
			name[i] = ($i ~ /^patched-/ ? "" : "stock-") $i
			file = work "/" name[i] "." what
			if ((getline line <file) >= 0) {
				close(file)
				delete name[i]
			} else {
				print name[i]
				printf "" >file
			}
		}
		next
	}
	/^\|---/ || !/^\|/ { next }
	{ for (i in name) if ($i != "") print $2 "=" $i >(work "/" name[i] "." what) }'
}

# CATEGORY KIND STATE of a kernel, yes where any guest of it had such events, without what programs
# record by themselves and what is in old traces only.
kinds()	# DIR
{
	awk -F '"' '$2 == "name" && $8 != "" && $8 != "mark" &&
		$4 !~ /^(pc_old|rpc_.*|.*_user|mbit_sec)$/ {
		hits = $0
		sub(/.*"hits": /, "", hits)
		if (!(($8, $4) in state))
			key[++n] = $8 " " $4
		if (!(($8, $4) in state) || hits + 0)
			state[$8, $4] = $12 == "none" ? "no" : hits + 0 ? "yes" : "-"
	}
	END {
		for (i = 1; i <= n; i++) {
			split(key[i], word, " ")
			print key[i], state[word[1], word[2]]
		}
	}' "$1"/*/tracepoints.json
}

caveats()	# DIR
{
	sed -n 's/^"caveats": \[\(.*\)\],*$/\1/p' "$1"/*/status.json | tr -d '",' | tr ' ' '\n' |
		sed '/^$/d' | sort -u
}

# Lines "| WORD ... |" of a table: a row for each line of the file KEYS, a column for each
# name, by the files NAME.what in $work.
matrix()	# WHAT
{
	local name key

	printf '| |'
	for name in "${all[@]}"; do printf ' %s |' "${name#stock-}"; done
	printf '\n|---|'
	for name in "${all[@]}"; do printf '%s' '---|'; done
	echo
	while read -r key; do
		printf '| %s |' "$key"
		for name in "${all[@]}"; do
			printf ' %s |' "$(sed -n "s/^$key=//p" "$work/$name.$1")"
		done
		echo
	done <"$work/$1.keys"
}

doc()
{
	local name run

	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mapfile -t run < <(names)
	for name in "${run[@]}"; do
		kinds "$top/$name" | awk '{ print $1 ": " $2 "=" $3 }' >"$work/$name.kinds"
		caveats "$top/$name" | sed 's/$/=x/' >"$work/$name.caveats"
	done
	mapfile -t all < <({ names; columns_kept kinds; columns_kept caveats; } | in_order)
	# In the module's order.
	sed 's/=.*//' "$work/${run[0]}.kinds" >"$work/kinds.keys"
	cat "$work"/*.caveats | sed 's/=.*//' | sort -u >"$work/caveats.keys"
	sed '/^<!-- kinds -->$/q' docs/kernels.md
	matrix kinds
	sed -n '/^<!-- end of kinds -->$/,/^<!-- caveats -->$/p' docs/kernels.md
	matrix caveats
	sed -n '/^<!-- end of caveats -->$/,/^<!-- run -->$/p' docs/kernels.md
	rows >"$work/rows"
	rows_kept "$work/rows" >>"$work/rows"
	echo '```'
	table <"$work/rows"
	echo '```'
	sed -n '/^<!-- end of run -->$/,$p' docs/kernels.md
}

# The tables' cells, "ROW COLUMN CELL", of the kernels that were run, but for those that had one
# CPU only, and nobody to interrupt.
cells()
{
	awk -F ' *[|] *' -v names=" $(for name in $(names); do
		[ -z "$(find "$top/$name" -path '*/[2-9]/tracepoints.json')" ] || echo "${name#stock-}"
	done | tr '\n' ' ')" '
	/^\| \|/ { n = split($0, head, / *[|] */); next }
	/^\|---/ || !/^\|/ { next }
	{ for (i = 3; i < NF; i++) if (index(names, " " head[i] " ")) print $2 " | " head[i] " | " $i }'
}

[ -n "$(find "$top" -name row 2>/dev/null | head -n 1)" ] ||
	{ echo "kernels_table: no kernel was run: make check-kernels" >&2; exit 1; }
case ${1-} in
'') rows | table ;;
--doc) doc ;;
--same)
	doc >"$top/kernels.md"
	diff <(cells <docs/kernels.md) <(cells <"$top/kernels.md") >"$top/differs" || {
		echo "docs/kernels.md says otherwise (< there, > the guests): make docs-kernels" >&2
		cat "$top/differs" >&2
		exit 1
	}
	;;
esac
