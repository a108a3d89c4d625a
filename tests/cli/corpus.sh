#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 45
#
# Tests every filter on broken input (the corpus). Each filter reads each file of its kind from stdin, as a normal
# build and as a build with ASan and UBSan. With KUTRACE_FAST, only normal builds run, on every third file.
# tests/data/corpus.table has the expected results, and tests/data/README.md describes the faults.
#
# In every case, the filter ends within 60 s. The exit status and a line of stderr are the expected ones, and no
# sanitizer reports an error. Output of a failed run must not look complete (no closing brackets of the JSON, no end
# mark of the page). spantotrim reads JSON of a successful run again.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc

# Also runs the filters with sanitizers, if unit tests are built with them.
sanitized=
for filter in rawtoevent eventtospan checktrace spantotrim spantospan makeself rawtohtml rawtoctf ctftoevent rawtoperfetto perfettotoevent rawtosqlite \
		rawtoparquet spantospeedscope unmakeself spantowhy spantoprof spandiff samptoname kuod; do
	case $filter in
	samptoname | rawtosqlite | rawtoparquet | ctftoevent | perfettotoevent)	# need libraries that may be missing
		[ -x "$BIN/$filter" ] || continue ;;
	esac
	[ -f postprocess/tools/$filter.c ] && sanitized="$sanitized $filter"
done
build_sanitized
for filter in $sanitized; do
	if [ ! -x "$SAN/bin/$filter" ]; then
		fail "built with sanitizers: $filter"
		tap_end
	fi
	serve "$SAN/bin/$filter"
done

# given IN PROGRAM ARG...: does the same as run, or as run_served for programs with sanitizers.
given()
{
	case $2 in
	"$SAN"/*) run_served "$@" ;;
	*) run "$@" ;;
	esac
}
# next_builds: sets $builds to the folders of the programs that read the next file.
files=0
next_builds()
{
	files=$((files + 1))
	builds=$SAN/bin
	[ -n "${KUTRACE_FAST-}" ] && [ $((files % 3)) != 1 ] || builds="$BIN $builds"
}

ok "corpus of raw traces" make_traces
FILES=$TAP_TMP/files
mkdir -p "$FILES"
cp "$TRACES"/*.trace "$DATA"/broken/* "$DATA"/good.* "$FILES"

# Make the inputs that are too long or too binary to be stored as files.
head_of() { sed -n '1,/^"events"/p' "$DATA/good.json"; }
tail_of() { tail -n 2 "$DATA/good.json"; }
# row NAME-FORMAT: prints a file with one row, whose name printf makes from the format.
row()
{
	head_of
	printf '[ 11.00000100, 0.00000100, 0, 51, 0, 65587, 0, 0, 0, "'
	# shellcheck disable=SC2059 # the argument is a format
	printf "$1"
	printf '"],\n'
	tail_of
}
row 'w\377o\303rk\355\240\200' >"$FILES/invalid-utf8.json"
row 'w\001o\trk' >"$FILES/control-chars.json"
row 'wo\000rk' >"$FILES/nul-in-name.json"
row "$(head -c 65537 /dev/zero | tr '\0' n)" >"$FILES/name-too-long.json"
row "$(head -c 65536 /dev/zero | tr '\0' n)" >"$FILES/name-just-fits.json"
{ head_of; printf '[ 11.0,'; head -c 3000000 /dev/zero | tr '\0' ' '; tail_of; } >"$FILES/endless-row.json"
{ cat "$DATA/good.json"; printf '\000'; } >"$FILES/nul-behind.json"
cp "$FILES/random.trace" "$FILES/random.json"
cp "$FILES/random.trace" "$FILES/random.events"
cp "$FILES/random.trace" "$FILES/random.html"
: >"$FILES/empty.json"
: >"$FILES/empty.events"
: >"$FILES/empty.html"
head -c 100000 /dev/zero >"$FILES/zeros.json"
head -c 100000 /dev/zero >"$FILES/zeros.events"
{ cat "$DATA/good.events"; head -c 2000000 /dev/zero | tr '\0' 7; echo; } >"$FILES/overlong-line.events"
{ cat "$DATA/good.events"; printf '1100003100 20 2087 0  51 0  0 51 0 '
	head -c 100000 /dev/zero | tr '\0' n; echo; } >"$FILES/long-name.events"
{ cat "$DATA/good.events"; printf '1100003100 20 2087 0  51 0  0 51 0 w\377o\303rk (827)\n'; } >"$FILES/invalid-utf8.events"
{ cat "$DATA/good.events"; printf '1100003100 20 2087 0  51 0  0 51 0 a\000b (827)\n'; } >"$FILES/nul.events"

"$BIN/rawtoctf" "$TRACES/good.trace" >"$FILES/good.tar" 2>/dev/null
head -c 200 "$FILES/good.tar" >"$FILES/short.tar"
head -c 6000 "$FILES/good.tar" >"$FILES/cut.tar"
cp "$FILES/random.trace" "$FILES/random.tar"
: >"$FILES/empty.tar"
head -c 100000 /dev/zero >"$FILES/zeros.tar"
tar -cf "$FILES/no-metadata.tar" -C "$FILES" empty.json good.json
tar -cf "$FILES/loop.tar" -C "$FILES" --transform 's/.*/metadata/' random.json
"$BIN/rawtoperfetto" "$TRACES/good.trace" >"$FILES/good.pf" 2>/dev/null
head -c 1000 "$FILES/good.pf" >"$FILES/cut.pf"
cp "$FILES/random.trace" "$FILES/random.pf"
: >"$FILES/empty.pf"
head -c 100000 /dev/zero >"$FILES/zeros.pf"
printf '\012\002\150\001' >"$FILES/no-kernel.pf"
printf '\012\007\222\003\004\170\234\377\377' >"$FILES/not-packed.pf"
printf '\012\377\377\377\377\017' >"$FILES/endless.pf"

# matches TEXT REGEX: succeeds if a line of TEXT matches, as with grep -E.
matches()
{
	local line
	while IFS= read -r line; do
		[[ ! $line =~ $2 ]] || return 0
	done <<<"$1"
	return 1
}

# judge WHAT STATUS REGEX: checks the last run and prints the errors found. The function is called
# some 5000 times, so it starts a process only for work that the shell cannot do itself.
judge()
{
	local said nul=

	# Read stderr. The builtin read fails if stderr has no NUL.
	if IFS= read -r -d '' said <"$ERR"; then
		nul=1
		said=$(tr -d '\000' <"$ERR")
	fi
	if [ "$STATUS" = 124 ] || [ "$STATUS" = 137 ]; then
		echo "$1: hangs"
	elif [[ $said =~ AddressSanitizer|LeakSanitizer|'runtime error:' ]]; then
		echo "$1: sanitizer: $(grep -E -m 3 'ERROR|SUMMARY|runtime error:' "$ERR" | tr '\n' ' ')"
	elif [ "$STATUS" != "$2" ]; then
		echo "$1: exit status $STATUS, expected $2: $(head -c 300 "$ERR")"
	elif [ -n "$3" ] && ! matches "$said" "$3"; then
		echo "$1: stderr does not match /$3/: $(head -c 300 "$ERR")"
	elif [ "$STATUS" != 0 ] && [ -s "$OUT" ] && grep -aEq '^\]\}|kutrace-end|</html>' "$OUT"; then
		echo "$1: output looks whole in spite of the error"
	elif { [ -n "$nul" ] || [[ $said == *[![:print:][:space:]]* ]]; } &&
		! iconv -f UTF-8 -t UTF-8 "$ERR" >/dev/null 2>&1; then
		echo "$1: control characters or no text on stderr"
	fi
}

# json_again WHAT: checks that the output of the last run is complete span JSON, with one row per line.
json_again()
{
	[ "$STATUS" = 0 ] || return 0
	mv "$OUT" "$TAP_TMP/again"
	run "$TAP_TMP/again" "$BIN/spantotrim" 0
	[ "$STATUS" = 0 ] || echo "$1: its output is no span JSON: $(head -c 300 "$ERR")"
	LC_ALL=C sort "$TAP_TMP/again" >"$TAP_TMP/again.sorted"
	run "$TAP_TMP/again.sorted" "$BIN/spantotrim" 0
	[ "$STATUS" = 0 ] || echo "$1: its sorted output is no span JSON: $(head -c 300 "$ERR")"
}

cases=0
while IFS='|' read -r kind file status regex; do
	case $kind in
	'' | '#'*) continue ;;
	esac
	cases=$((cases + 1))
	in=$FILES/$file
	[ -f "$in" ] || { fail "$kind $file" "no such file"; continue; }
	next_builds
	for bin in $builds; do
		label="$kind $file"
		[ "$bin" = "$BIN" ] || label="$label (sanitized)"
		case $kind in
		raw) tools='rawtoevent kuod' ;;
		html | damaged) tools='rawtohtml rawtoctf rawtoperfetto'
			for tool in rawtosqlite rawtoparquet; do
				[ ! -x "$BIN/$tool" ] || tools="$tools $tool"
			done ;;
		check) tools=checktrace ;;
		events) tools=eventtospan ;;
		json) tools='spantotrim spantospan makeself spantowhy spantoprof spandiff spantospeedscope'
			[ ! -x "$BIN/samptoname" ] || tools="$tools samptoname" ;;
		order) tools=spantospan ;;
		template) tools=makeself ;;
		page) tools=unmakeself ;;
		ctf) tools=ctftoevent ;;
		perfetto) tools=perfettotoevent ;;
		*)
			fail "$label" "unknown kind"
			continue
			;;
		esac
		for tool in $tools; do
			[ -x "$bin/$tool" ] && continue
			if [ -f "postprocess/tools/$tool.c" ]; then
				fail "$label" "$bin/$tool is not built"
			else
				skip "$label" "no $tool"
			fi
		done
		said=$(
			for tool in $tools; do
				[ -x "$bin/$tool" ] || continue
				case $tool in
				rawtohtml)
					given "$in" "$bin/$tool" --template "$DATA/template.html"
					if [ $kind = damaged ]; then
						# the filter writes a complete page of the readable
						# rest, and reports an error
						grep -q kutrace-end "$OUT" || echo "$tool: no page of the rest"
						: >"$OUT"
					fi
					judge $tool "$status" "$regex"
					;;
				rawtoctf | rawtoperfetto | rawtosqlite | rawtoparquet)	# report what rawtohtml reports, and write all or nothing
					given "$in" "$bin/$tool"
					[ "$status" != 0 ] || regex="^$tool: [0-9]+ events"
					judge $tool "$status" "${regex/#^rawtohtml/^$tool}"
					# a damaged trace gives a complete output of the readable
					# rest, a broken trace gives no output
					[ "$kind$status" != html1 ] || [ ! -s "$OUT" ] || echo "$tool: output of a broken trace"
					[ "$kind$status" != damaged1 ] || [ -s "$OUT" ] || echo "$tool: nothing of the rest"
					: >"$OUT"
					;;
				ctftoevent | perfettotoevent)
					given "$in" "$bin/$tool"
					judge $tool "$status" "$regex"
					[ "$status" = 0 ] || [ ! -s "$OUT" ] || echo "$tool: output of a broken trace"
					;;
				rawtoevent | eventtospan)
					given "$in" "$bin/$tool"
					judge $tool "$status" "$regex"
					[ $tool = rawtoevent ] || json_again $tool
					;;
				spantowhy)
					for arg in '' --json '--pid 51'; do
						# shellcheck disable=SC2086 # several words, or none
						given "$in" "$bin/$tool" $arg
						[ "$status$STATUS" != 01 ] || grep -q 'does not run in this trace' "$ERR" && continue
						judge "$tool $arg" "$status" "$regex"
					done
					;;
				spantoprof)
					for arg in --json --folded; do
						given "$in" "$bin/$tool" $arg
						judge "$tool $arg" "$status" "$regex"
					done
					;;
				spantospeedscope)
					given "$in" "$bin/$tool"
					judge $tool "$status" "$regex"
					;;
				samptoname)
					given "$in" "$bin/$tool"
					judge $tool "$status" "$regex"
					json_again $tool
					;;
				spandiff)
					given "$in" "$bin/$tool" "$DATA/good.json" -
					judge $tool "$status" "$regex"
					;;
				kuod)	# dumps blocks that no other filter accepts; a cut file is an error
					given "$in" "$bin/$tool"
					case $file in
					empty.trace | one-byte.trace | words-only.trace | short-block.trace | \
					cut-second-block.trace | ipc-missing.trace | ipc-cut.trace | random.trace | ones.trace)
						judge $tool 1 '^kuod: standard input: (empty|block [0-9]+: cut off)' ;;
					*) judge $tool 0 '' ;;
					esac
					;;
				unmakeself)
					given "$in" "$bin/$tool"
					judge $tool "$status" "$regex"
					json_again $tool
					;;
				checktrace)
					given /dev/null "$bin/$tool" "$in"
					judge $tool "$status" "$regex"
					;;
				spantotrim)
					for arg in '-- 0' '-- -1' '-- xyzzy' '--state -- -1'; do
						# shellcheck disable=SC2086 # several words
						given "$in" "$bin/$tool" $arg
						judge "$tool $arg" "$status" "$([ "$arg" = '-- 0' ] && echo "$regex")"
						json_again "$tool $arg"
					done
					;;
				spantospan)
					for arg in 0 10; do
						[ "$kind$arg" != order0 ] || continue
						given "$in" "$bin/$tool" $arg
						judge "$tool $arg" "$status" "$regex"
						json_again "$tool $arg"
					done
					;;
				makeself)
					if [ $kind = template ]; then
						given "$DATA/good.json" "$bin/$tool" "$in"
					else
						given "$in" "$bin/$tool" "$DATA/template.html"
					fi
					judge $tool "$status" "$regex"
					;;
				esac
			done
		)
		is "$label" "$said" ""
	done
done <"$DATA/corpus.table"
between "there are at least 40 broken inputs" "$cases" 40 1000

# Every raw trace goes through the whole pipeline without a crash, and every complete output is valid.
if [ -f postprocess/tools/rawtoevent.c ] && [ -f postprocess/tools/eventtospan.c ]; then
	for trace in "$TRACES"/*.trace; do
		next_builds
		for bin in $builds; do
			label="pipeline $(basename "$trace")"
			[ "$bin" = "$BIN" ] || label="$label (sanitized)"
			said=$(
				given "$trace" "$bin/rawtoevent"
				judge rawtoevent "$STATUS" ''
				cp "$OUT" "$TAP_TMP/events"
				[ "$STATUS" = 0 ] || [ "$STATUS" = 1 ] || echo "rawtoevent: status $STATUS"
				LC_ALL=C sort -n "$TAP_TMP/events" >"$TAP_TMP/sorted"
				given "$TAP_TMP/sorted" "$bin/eventtospan" "Title"
				judge eventtospan "$STATUS" ''
				[ "$STATUS" = 0 ] || [ "$STATUS" = 1 ] || echo "eventtospan: status $STATUS"
				json_again eventtospan
				for tool in spantospan\ 10 spantotrim\ 0 makeself\ "$DATA/template.html"; do
					# shellcheck disable=SC2086 # tool and its argument
					given "$TAP_TMP/again.sorted" "$bin"/$tool
					judge "$tool" "$STATUS" ''
					[ "$STATUS" = 0 ] || [ "$STATUS" = 1 ] || echo "$tool: status $STATUS"
				done
			)
			is "$label" "$said" ""
		done
	done
else
	skip "pipeline" "no rawtoevent or eventtospan"
fi

# Filters read the beginning of a pipe to find its format, and some read it again. This must not leak memory. The test
# uses no served processes, because their sanitizer ignores globals.
for tool in spantospan\ 10 spantotrim\ 11 'spantotrim -- -1' makeself\ "$DATA/template.html"; do
	[ -x "$SAN/bin/${tool%% *}" ] || { skip "$tool: a pipe, without a leak" "not built"; continue; }
	# shellcheck disable=SC2086 # tool and its arguments
	cat "$DATA/good.json" | "$SAN/bin"/$tool >"$OUT" 2>"$ERR"
	is "$tool: a pipe, without a leak" "${PIPESTATUS[1]} $(grep -c 'Direct leak' "$ERR")" "0 0"
done

tap_end
