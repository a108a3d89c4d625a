#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes the tables of docs/results/everyday.md, between its marks "<!-- everyday -->" and
# "<!-- /everyday -->", from the figures of everyday.sh: for each kernel the instructions, and the
# nanoseconds by the clock if available.
#
# Exit status: 0; 1 with a message if there are no figures.
set -eu
cd "$(dirname "$0")/../.."
json=${BUILD:-build}/bench/everyday.json
doc=docs/results/everyday.md
[ -s "$json" ] || { echo "everyday_table: cannot read $json; run tests/bench/everyday.sh" >&2; exit 1; }
table=$(mktemp)
trap 'rm -f "$table"' EXIT

# of KERNEL HOW: prints the table of this kernel. HOW is insns or wall
of()
{
	sed -n 's/.*"name": "\([^"]*\)", "value": \([0-9.]*\), "unit": "\([^"]*\)".*/\1 \2 \3/p' "$json" | awk -v kernel="$1" -v how="$2" '
	BEGIN { k = length(kernel "-" how "-") }
	function percent(n) { return n > -0.5 && n < 0.5 ? "0" : sprintf("%+.0f %%", n) }
	function human(n) { return n >= 1e7 ? sprintf("%.0f M", n / 1e6) : n >= 1e5 ? sprintf("%.0f k", n / 1e3) : sprintf("%.0f", n) }
	index($1, kernel "-" how "-") == 1 {
		name = substr($1, k + 1)
		work = name
		sub(/.*-/, "", work)
		state = substr(name, 1, length(name) - length(work) - 1)
		v[state, work] = $2
		if (!(state in seen)) { seen[state]; states[++s] = state }
		if (state == "untraced") { works[++w] = work; unit[w] = $3; sub(/.*\//, "", unit[w]) }
	}
	END {
		if (!w)
			exit 0
		printf "| %s%s |", kernel, how == "wall" ? ", ns by the clock" : ""
		for (i = 1; i <= w; i++)
			printf " %s, one %s |", works[i], unit[i]
		print " events | lost | MB |"
		printf "|---|"
		for (i = 1; i <= w + 3; i++)
			printf "---|"
		printf "\n| nothing records |"
		for (i = 1; i <= w; i++)
			printf " %s |", human(v["untraced", works[i]])
		print " | | |"
		for (j = 1; j <= s; j++) {
			if (states[j] == "untraced")
				continue
			printf "| %s |", states[j]
			for (i = 1; i <= w; i++)
				printf " %s |", percent(100 * v[states[j], works[i]] / v["untraced", works[i]] - 100)
			printf " %s | %s | %s |\n", (states[j], "events") in v ? human(v[states[j], "events"]) : "", human(v[states[j], "lost"]), \
				v[states[j], "bytes"] ? sprintf("%.1f", v[states[j], "bytes"] / 1e6) : ""
		}
		print ""
	}'
}
for kernel in $(sed -n 's/.*"name": "\(.*\)-insns-untraced-getpid".*/\1/p' "$json"); do
	of "$kernel" insns
	of "$kernel" wall
done >"$table"
[ -s "$table" ] || { echo "everyday_table: no figures in $json" >&2; exit 1; }
awk -v table="$table" '
/^<!-- everyday -->$/ { print; while ((getline line < table) > 0) print line; inside = 1; next }
/^<!-- \/everyday -->$/ { inside = 0 }
!inside' "$doc" >"$doc.tmp"
mv "$doc.tmp" "$doc"
