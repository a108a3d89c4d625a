#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Progress of filters at a terminal: from the third second on, with an estimate where the end is known, gone when
# a filter is done; of a pipeline's filters, which have one terminal, one at a time. rawtohtml.sh has its phases.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
command -v script >/dev/null || { skip "progress" "no script(1)"; tap_end; }

xz -dc tests/golden/stock.trace.xz >"$TAP_TMP/stock.trace"
"$BIN/rawtoevent" "$TAP_TMP/stock.trace" 2>/dev/null | sort -n >"$TAP_TMP/events"
split -n l/12 "$TAP_TMP/events" "$TAP_TMP/part."

# slowly: the events, in pieces, over six seconds.
cat >"$TAP_TMP/slowly" <<'E2'
#!/bin/sh
for part in "$0".dir/part.*; do
	cat "$part"
	sleep 0.5
done
E2
chmod 755 "$TAP_TMP/slowly"
mkdir "$TAP_TMP/slowly.dir"
mv "$TAP_TMP"/part.* "$TAP_TMP/slowly.dir/"
bin=$(realpath "$BIN")

# at_terminal LINE: what is on the terminal, a line each time it is written anew; without what the filters say at their end.
at_terminal()
{
	script -qec "$1" /dev/null </dev/null 2>&1 | tr '\r' '\n' | sed 's/\x1b\[K//g' | grep -E '^(eventtospan|makeself|rawtoevent): (reading|copying|writing) '
}
at_terminal "$TAP_TMP/slowly | $bin/eventtospan t | $bin/makeself $PWD/$DATA/template.html >/dev/null" >"$TAP_TMP/said"
between "a pipeline says how far it is" "$(wc -l <"$TAP_TMP/said")" 3 40
is "one of its filters at a time" "$(sed 's/:.*//' "$TAP_TMP/said" | uniq | sort | uniq -d)" ""
is "a pipe has no end that is known, so no estimate" "$(grep -c 'left\|%' "$TAP_TMP/said")" 0

# A file: from the beginning where that is wanted, else not if it is quick.
"$BIN/rawtoevent" "$TAP_TMP/stock.trace" 2>"$ERR" >"$OUT"
between "what is quick says nothing" "$(grep -c '%' "$ERR")" 0 0
run "$TAP_TMP/events" env KUTRACE_PROGRESS=always "$BIN/eventtospan" t
like "a file's end is known" "$(grep -m 1 '%' "$ERR")" '^eventtospan: reading [0-9]+ %, [0-9.]+ of [0-9.]+ MB$'
run "$TAP_TMP/events" env KUTRACE_PROGRESS=never "$BIN/eventtospan" t
is "never is never" "$(grep -c '%' "$ERR")" 0

# A message of one filter does not stand behind another's progress.
at_all()
{
	script -qec "$1" /dev/null </dev/null 2>&1 | tr '\r' '\n' | sed 's/\x1b\[K//g'
}
at_all "$TAP_TMP/slowly | $bin/eventtospan t >/dev/null" >"$TAP_TMP/said"
is "its last words stand in a line of their own" "$(grep -c '[0-9] MB.*eventtospan' "$TAP_TMP/said")" 0
tap_end
