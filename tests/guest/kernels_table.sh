#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the tables about kernels from the results that kernels.sh writes to $BUILD/kernels:
#
#	tests/guest/kernels_table.sh		prints a row for each kernel that was run
#	tests/guest/kernels_table.sh --doc	prints docs/results/kernels.md with the new results. Kernels that
#						were not run keep their rows and columns
#	tests/guest/kernels_table.sh --families	prints docs/reference/kernels.md: the tables of docs/results/kernels.md, with
#						a column for each family of kernels. Needs no results
#	tests/guest/kernels_table.sh --same	checks that docs/results/kernels.md has the results of the kernels
#						that were run
#
# `make docs-kernels` writes both documents. The rows and columns of a kernel that was not run must
# not change. Exit status: 0; 1 if no kernel was run, if --same finds a difference, or if a kernel
# is in no family.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
top=${BUILD:-build}/kernels
results=docs/results/kernels.md

# Sorts names: stock kernels first, then by series and flavour.
in_order()
{
	sort -u -t - -k 1,1r -k 2V
}

# Prints the NAME of each kernel that ran in a guest.
names()
{
	find "$top" -mindepth 3 -name tracepoints.json | sed 's|/[^/]*/[^/]*$||; s|.*/||' | in_order
}

rows()
{
	find "$top" -name row -exec cat {} +
}

# Aligns the rows on stdin in columns, below a head.
table()
{
	{
		echo 'kernel|release|CPUs|demo|events|inferred|counters|wrapped: inferred|snapshots|loads|log|s'
		sed 's/^stock/0&/; s/^patched/1&/' | sort -t '|' -k1,1V -k3,3n | sed 's/^[01]//'
	} | awk -F '|' '
	{
		rows[NR] = $0
		for (i = 1; i <= NF; i++)
			if (length($i) > width[i])
				width[i] = length($i)
	}
	END {
		for (r = 1; r <= NR; r++) {
			count = split(rows[r], cells)
			line = ""
			for (i = 1; i <= count; i++)
				line = line sprintf("%-" width[i] "s  ", cells[i])
			sub(/ +$/, "", line)
			print line
		}
	}'
}

# Prints the lines of $results between the marks MARK and "end of MARK".
between()	# MARK
{
	sed -n "/^<!-- $1 -->\$/,/^<!-- end of $1 -->\$/{//!p}" $results
}

# Prints the rows of $results, except those whose kernel and number of CPUs are in the file ROWS.
rows_kept()	# ROWS
{
	between run | sed '/^```/d; 1,2{/^kernel /d}; s/   */|/g' |
		awk -F '|' 'NR == FNR { new[$1, $3] = 1; next } !(($1, $3) in new)' "$1" -
}

# Writes each column of a table of $results to a file NAME.what in $work, as lines ROW=CELL, and prints its
# NAME. Omits each NAME that has such a file.
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

# Prints CATEGORY KIND STATE for each kind of a kernel: yes if a guest with it had such events.
# Omits the kinds of programs and of old traces.
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

# Prints a table with a row for each line of $work/WHAT.keys and a column for each name. The cells come from the
# files NAME.WHAT in $work.
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
	# Keep the order in which the module lists the kinds.
	sed 's/=.*//' "$work/${run[0]}.kinds" >"$work/kinds.keys"
	cat "$work"/*.caveats | sed 's/=.*//' | sort -u >"$work/caveats.keys"
	sed '/^<!-- kinds -->$/q' $results
	matrix kinds
	sed -n '/^<!-- end of kinds -->$/,/^<!-- caveats -->$/p' $results
	matrix caveats
	sed -n '/^<!-- end of caveats -->$/,/^<!-- run -->$/p' $results
	rows >"$work/rows"
	rows_kept "$work/rows" >>"$work/rows"
	echo '```'
	table <"$work/rows"
	echo '```'
	sed -n '/^<!-- end of run -->$/,$p' $results
}

# Prints the cells "ROW COLUMN CELL" of the kernels that ran with two or more CPUs. With one CPU,
# there are no interrupts between CPUs.
cells()
{
	awk -F ' *[|] *' -v names=" $(for name in $(names); do
		[ -z "$(find "$top/$name" -path '*/[2-9]/tracepoints.json')" ] || echo "${name#stock-}"
	done | tr '\n' ' ')" '
	/^\| \|/ { n = split($0, head, / *[|] */); next }
	/^\|---/ || !/^\|/ { next }
	{ for (i = 3; i < NF; i++) if (index(names, " " head[i] " ")) print $2 " | " head[i] " | " $i }'
}

# Prints a table of $results with a column for each family. A cell has the value of most kernels of the family;
# other values are in parentheses, with the names of their kernels. Rows with equal cells are
# joined.
family_table()	# WHAT
{
	between "$1" | awk -F ' *[|] *' '
	function family(name) {
		if (name ~ /^patched-/)
			return "patched"
		if (name ~ /^6[.]12-riscv64$/ || name ~ /^7[.]2-riscv64$/)
			return "riscv64 " substr(name, 1, index(name, "-") - 1)
		if (name ~ /^6[.]12?-arm64$/)
			return "arm64 6.1, 6.12"
		if (name ~ /^7[.]2(-16k)?-arm64$/)
			return "arm64 7.2"
		if (name ~ /^6[.]12?(@[a-z]+|-generic|-rt)?$/)
			return "x86-64 6.1, 6.12"
		if (name ~ /^7[.]2(-generic|-rt)?$/)
			return "x86-64 7.2"
		print "kernels_table: kernel " name " is in no family: add it to family_table()" >"/dev/stderr"
		exit failed = 1
	}
	BEGIN {
		families = split("x86-64 6.1, 6.12|x86-64 7.2|arm64 6.1, 6.12|arm64 7.2|riscv64 6.12|riscv64 7.2|patched", head, "|")
	}
	/^\| \|/ {
		for (i = 3; i < NF; i++)
			of[i] = family(name[i] = $i)
		last = NF
		next
	}
	/^\|---/ || !/^\|/ { next }
	{
		cells = ""
		for (f = 1; f <= families; f++) {
			split("", kernels)
			usual = others = ""
			most = 0
			for (i = 3; i < last; i++)
				if (of[i] == head[f] && ++kernels[$i] > most) {
					most = kernels[$i]
					usual = $i
				}
			for (i = 3; i < last; i++)
				if (of[i] == head[f] && $i != usual)
					others = others (others == "" ? "" : ", ") name[i] ": " $i
			cells = cells " " usual (others == "" ? "" : " (" others ")") " |"
		}
		key = $2
		sub(/^[a-z]+: /, "", key)
		if (!(cells in keys))
			order[++rows] = cells
		keys[cells] = keys[cells] (keys[cells] == "" ? "" : ", ") "`" key "`"
	}
	END {
		if (failed)
			exit failed
		printf "| |"
		for (f = 1; f <= families; f++)
			printf " %s |", head[f]
		printf "\n|---|"
		for (f = 1; f <= families; f++)
			printf "---|"
		print ""
		for (i = 1; i <= rows; i++)
			print "| " keys[order[i]] " |" order[i]
	}'
}

# Prints docs/reference/kernels.md with the tables of $results.
families()
{
	local what

	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	for what in kinds caveats; do
		family_table $what >"$work/$what"
	done
	awk -v work="$work" '
	/^<!-- end of (kinds|caveats) -->$/ { inside = 0 }
	!inside
	/^<!-- (kinds|caveats) -->$/ {
		while ((getline line <(work "/" $2)) > 0)
			print line
		inside = 1
	}' docs/reference/kernels.md
}

[ "${1-}" != --families ] || { families; exit; }
[ -n "$(find "$top" -name row 2>/dev/null | head -n 1)" ] ||
	{ echo "kernels_table: no kernel was run; run make check-kernels" >&2; exit 1; }
case ${1-} in
'') rows | table ;;
--doc) doc ;;
--same)
	doc >"$top/kernels.md"
	diff <(cells <$results) <(cells <"$top/kernels.md") >"$top/differs" || {
		echo "kernels_table: $results differs from the guests (< document, > guests): run make docs-kernels" >&2
		cat "$top/differs" >&2
		exit 1
	}
	;;
esac
