#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 60
#
# Tests every filter and kutrace_crash with one failing allocation, read, open, write, sync, rename or close
# at a time (a sample, if there are many). The program must not crash, must leave no output file and no
# other file, must name the failure, and must not exit with 0. Or it must complete its work as without the
# failure. tests/cli/faults.c makes allocations fail, and strace makes system calls fail.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
command -v strace >/dev/null || { echo "1..0 # SKIP no strace (package strace)"; echo "no strace (package strace)"; exit 77; }
built "$BUILD/tests/make_crash" "$BIN/kutrace_crash" "$BIN/rawtoevent"
make_traces
sample=6 allocations=24
[ -z "${KUTRACE_FAST-}" ] || sample=2 allocations=6
[ -z "${KUTRACE_FULL-}" ] || sample=40 allocations=400
faults=$TAP_TMP/faults.so
cc -O1 -shared -fPIC tests/cli/faults.c -o "$faults" || exit 1

# --- inputs ---
in=$TAP_TMP/in work=$TAP_TMP/work
mkdir "$in" "$work"
cp "$TRACES/good.trace" "$in/trace"
"$BIN/rawtoevent" "$in/trace" 2>/dev/null | LC_ALL=C sort -n >"$in/events"
"$BIN/eventtospan" test <"$in/events" 2>/dev/null | LC_ALL=C sort >"$in/json"
"$BIN/makeself" tests/data/template.html <"$in/json" >"$in/page" 2>/dev/null
"$BIN/rawtoperfetto" "$in/trace" 2>/dev/null >"$in/perfetto"
"$BUILD/tests/make_crash" kdump "$in/dump"
built "$BUILD/tests/make_lttng"
"$BUILD/tests/make_lttng" "$in/lttng" >/dev/null
printf 'ffffffff81000000 T _stext\nffffffff81000100 t do_one\nffffffff82000000 T _etext\n' >"$in/kallsyms"

# Each line is a run: the tool, its input (- for none) and its arguments. attempt() adds -o $work/out.
cat >"$TAP_TMP/tools" <<TOOLS
checktrace - $in/trace
ctftoevent - $in/lttng
eventtospan $in/events
kuod - $in/trace
kutrace_crash - $in/dump
makeself $in/json tests/data/template.html
perfettotoevent - $in/perfetto
rawtoctf - $in/trace
rawtoevent - $in/trace
rawtohtml - $in/trace
rawtoparquet - $in/trace
rawtoperfetto - $in/trace
rawtosqlite - $in/trace
samptoname $in/json --kallsyms $in/kallsyms
spandiff - $in/json $in/json
spantoprof - $in/json
spantospan $in/json 100
spantospeedscope - $in/json
spantotrim $in/json 0
spantowhy - $in/json
unmakeself - $in/page
TOOLS

# attempt WORD...: runs the tool, with WORD... before it, into $work/out. Sets STATUS and $ERR.
attempt()
{
	rm -rf "$work" && mkdir "$work"
	STATUS=0
	# shellcheck disable=SC2086 # words
	TMPDIR=$work timeout -k 5 60 "$@" "$BIN/$tool" $words -o "$work/out" <"$input" >"$TAP_TMP/stdout" 2>"$ERR" ||
		STATUS=$?
}

# Succeeds if the output itself reports the failure, or if it has only the readable part of a damaged
# dump and stderr reports that.
says_it()
{
	case $tool in
	checktrace | kuod) cat "$work/out" "$ERR" | grep -qiE "$1" ;;
	kutrace_crash) grep -qE "so their content is missing: ($1)" "$ERR" ;;
	*) false ;;
	esac
}

# Prints the page $1 without its findings.
without_findings() { sed '/^<script[^>]* id="kutrace-findings">/,/^<\/script>/d' "$1"; }

# Succeeds if the output is right. Without memory for the findings, a page has the reason instead, and is otherwise the same.
right()
{
	diff -r "$work/out" "$TAP_TMP/good/out" >/dev/null 2>&1 && return
	case $tool in
	makeself | rawtohtml) grep -q '"missing": "memory"' "$work/out" &&
		[ "$(without_findings "$work/out" | cksum)" = "$(without_findings "$TAP_TMP/good/out" | cksum)" ] ;;
	*) false ;;
	esac
}

# Prints the error in the result of the fault $1, or nothing if the result is right. $2 is the regex for the
# error message.
judge()
{
	if [ "$STATUS" -ge 124 ]; then
		echo "$1: status $STATUS: $(tail -n 1 "$ERR")"
	elif [ "$STATUS" = 0 ]; then
		right || echo "$1: status 0, and the output is another"
	elif [ -e "$work/out" ] && ! diff -r "$work/out" "$TAP_TMP/good/out" >/dev/null 2>&1 && ! says_it "$2"; then
		echo "$1: status $STATUS, and there is an output"
	elif ! grep -qiE "^$tool: .*($2)" "$ERR"; then
		echo "$1: status $STATUS, and it is not said: $(head -c 200 "$ERR")"
	elif [ -n "$(find "$work" -mindepth 1 ! -path "$work/out" ! -path "$work/out/*" | head -n 1)" ]; then
		echo "$1: left behind: $(ls -A "$work" | head -n 3)"
	fi
}

# which_ones COUNT HOW_MANY FIRST: prints HOW_MANY of the numbers FIRST ... COUNT: the first
# numbers, and others at even distances.
which_ones()
{
	awk -v n="$1" -v want="$2" -v first="$3" 'BEGIN {
		total = n - first + 1
		for (i = 0; i < total; i++)
			if (total <= want || i < want / 2 || int(i * want / 2 / total) != int((i - 1) * want / 2 / total))
				print first + i
	}'
}

# calls_of CALL LOG: prints the largest number of these calls by one thread.
calls_of()
{
	awk -v call="$1" '{ sub(/\(.*/, "", $2); if ($2 == call) n[$1]++ }
		END { for (t in n) if (n[t] > most) most = n[t]; print most + 0 }' "$2"
}

tried=0 quiet=0
while read -r tool input words; do
	[ -x "$BIN/$tool" ] || { skip "$tool" "it is not built here"; continue; }
	[ "$input" != - ] || input=/dev/null
	: >"$TAP_TMP/wrong"
	attempt env
	rm -rf "$TAP_TMP/good" && mkdir "$TAP_TMP/good"
	if [ "$STATUS" != 0 ] || ! mv "$work/out" "$TAP_TMP/good/out"; then
		fail "$tool: without a fault" "status $STATUS: $(head -c 300 "$ERR")"
		continue
	fi
	# Two runs must give the same output, otherwise a difference would prove nothing.
	attempt env
	ok "$tool: its output is the same each time" diff -r "$work/out" "$TAP_TMP/good/out"
	count=0
	attempt env KUTRACE_COUNT_ALLOC="$TAP_TMP/count" LD_PRELOAD="$faults"
	all=$(cat "$TAP_TMP/count" 2>/dev/null || echo 0)
	between "$tool: allocations" "$all" 1 100000000
	for n in $(which_ones "$all" "$allocations" 1); do
		attempt env KUTRACE_FAIL_ALLOC="$n" LD_PRELOAD="$faults"
		judge "allocation $n of $all" 'memory' >>"$TAP_TMP/wrong"
		[ "$STATUS" != 0 ] || quiet=$((quiet + 1))
		count=$((count + 1))
	done
	calls='read pread64 write pwrite64 writev close openat fsync fdatasync rename renameat renameat2 ftruncate lseek'
	attempt strace -f -qq -o "$TAP_TMP/calls" -e trace="${calls// /,}"
	rm -rf "$work"
	# Skip the system calls of the loader.
	strace -f -qq -o "$TAP_TMP/loader" -e trace="${calls// /,}" "$BIN/$tool" --version >/dev/null 2>&1
	for call in $calls; do
		error=EIO says='Input/output error|I/O error'
		case $call in
		write | pwrite64 | writev | ftruncate) error=ENOSPC says='No space left' ;;
		openat) error=EMFILE says='Too many open files' ;;
		lseek) error=EOVERFLOW says='too large|Value too large' ;;
		esac
		# SQLite has its own error texts.
		[ "$tool" != rawtosqlite ] || says="$says|SQLite: "
		# libbabeltrace2 does not report the cause if it cannot read the metadata or a
		# plugin.
		case $tool$call in
		ctftoeventread | ctftoeventlseek) says="$says|metadata: damaged, or unreadable " ;;
		ctftoeventopenat) says="$says|cannot load the plugin .* more memory and open files" ;;
		esac
		first=$(($(calls_of $call "$TAP_TMP/loader") + 1))
		case $call in
		write) first=1 ;;
		close) first=$((first > 1 ? first - 1 : 1)) ;;
		esac
		for n in $(which_ones "$(calls_of $call "$TAP_TMP/calls")" $sample $first); do
			attempt strace -f -qq -o /dev/null -e trace=$call -e "inject=$call:error=$error:when=$n"
			judge "$call $n: $error" "$says" >>"$TAP_TMP/wrong"
			count=$((count + 1))
		done
	done
	tried=$((tried + count))
	if [ -s "$TAP_TMP/wrong" ]; then
		fail "$tool: $count faults" "$(wc -l <"$TAP_TMP/wrong") of them: $(head -n 6 "$TAP_TMP/wrong" | tr '\n' ';')"
	else
		pass "$tool: $count faults, each is reported or does no harm"
	fi
done <"$TAP_TMP/tools"
diag "$tried faults; with $quiet of those in allocations all was done all the same"
between "faults in all" "$tried" $((sample * 20)) 1000000
tap_end
