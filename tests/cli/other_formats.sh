#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests files of another format. If the filter can unpack or convert the file, it prints the same as for its own
# format. Otherwise it names the format and the command that reads it, and prints nothing else. The bytes are from the
# documents of the formats, or from files that the tools themselves make.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
make_traces >&2 || exit 1
F=$TAP_TMP/formats
mkdir "$F"

cp "$TRACES/good.trace" "$F/raw"
cp "$DATA/good.json" "$F/json"
cp "$DATA/template.html" "$F/html"
"$BIN/rawtoevent" "$F/raw" >"$F/events" 2>/dev/null
"$BIN/rawtoperfetto" "$F/raw" -o "$F/perfetto" 2>/dev/null
"$BIN/rawtoctf" "$F/raw" >"$F/tar" 2>/dev/null
"$BIN/rawtoctf" "$F/raw" --into "$TAP_TMP/ctf" 2>/dev/null
cp "$TAP_TMP/ctf/metadata" "$F/metadata"
cat "$TAP_TMP"/ctf/channel0_0 >"$F/stream"
# pads a file to more than the size of a block
pad() { head -c 70000 /dev/zero; }
{ printf '\027\010\104tracing6\0\0\010'; pad; } >"$F/trace.dat"
{ printf 'PERFILE2\150\0\0\0\0\0\0\0'; pad; } >"$F/perf.data"
{ printf '2ELIFREP\0\0\0\0\0\0\0\150'; pad; } >"$F/perf.data-be"
{ printf '\177ELF\002\001\001'; pad; } >"$F/elf"
packers="gzip $(for packer in xz zstd; do ! command -v $packer || :; done | sed 's,.*/,,' | tr '\n' ' ')"
for packer in $packers; do
	$packer -c "$F/raw" >"$F/$packer"
done
{ printf '\102\132\150'; pad; } >"$F/bzip2"
"$BIN/rawtohtml" --json "$F/raw" >"$F/spans" 2>/dev/null
"$BIN/makeself" "$DATA/template.html" <"$F/spans" >"$F/page" 2>/dev/null

# named FORMAT: prints the text that a refusal of this format must contain.
named()
{
	case $1 in
	raw) echo 'a raw trace; try rawtohtml' ;;
	json) echo 'JSON; if it is of spans, try makeself' ;;
	html) echo 'a page \(HTML\); try unmakeself' ;;
	events) echo 'event text; try eventtospan' ;;
	perfetto) echo 'a Perfetto trace; try perfettotoevent' ;;
	tar) echo 'an archive \(tar\); try ctftoevent' ;;
	metadata) echo 'the metadata of a CTF trace; try ctftoevent' ;;
	stream) echo 'a stream of a CTF trace; try ctftoevent' ;;
	trace.dat) echo 'trace\.dat of trace-cmd; try .*CTF' ;;
	perf.data) echo 'perf\.data of perf; try perf data convert --to-ctf' ;;
	perf.data-be) echo 'perf\.data of perf, of a big-endian machine; try perf data convert --to-ctf' ;;
	elf) echo 'a dump of memory \(ELF\); try kutrace_crash' ;;
	zstd | gzip | xz | bzip2) echo "packed by $1; try $1 -dc" ;;
	esac
}

# refuses FILTER "READS..." COMMAND...: passes if the filter refuses each format except those that it reads.
refuses()
{
	local filter=$1 reads=" $2 " format bad=
	shift 2
	for format in raw json html events perfetto tar metadata stream trace.dat perf.data perf.data-be elf bzip2; do
		case $reads in *" $format "*) continue ;; esac
		run "$F/$format" "$@"
		[ "$STATUS" = 1 ] && [ ! -s "$OUT" ] && grep -Eq "^$filter: .*not? .*, but .*$(named $format)" "$ERR" ||
			bad="$bad $format: status $STATUS, $(wc -c <"$OUT") bytes, $(head -n 1 "$ERR" | cut -c1-120);"
	done
	is "$filter names each format that it does not read" "$bad" ""
}
for filter in rawtoevent rawtohtml rawtoctf rawtoperfetto checktrace; do
	template=
	[ $filter = rawtohtml ] && template="--template $DATA/template.html"
	# shellcheck disable=SC2086 # two words, or none
	refuses $filter raw "$BIN/$filter" $template
done
refuses eventtospan "events raw" "$BIN/eventtospan"
refuses spantospan "json raw events html" "$BIN/spantospan" 5
refuses spantotrim "json raw events html" "$BIN/spantotrim" 1 2
refuses spantowhy "json raw events html" "$BIN/spantowhy"
refuses spantoprof "json raw events html" "$BIN/spantoprof"
refuses spantospeedscope "json raw events html" "$BIN/spantospeedscope"
refuses makeself "json raw events html" "$BIN/makeself" "$DATA/template.html"

# same FILTER OWN "FORMATS..." FILE|PIPE COMMAND...: passes if the filter prints the same for each format as for OWN. With
# FILE, the file is also the last argument.
same()
{
	local filter=$1 own=$2 formats=$3 how=$4 format bad=
	shift 4
	run "$F/$own" "$@"
	cp "$OUT" "$TAP_TMP/own"
	for format in $formats; do
		run "$F/$format" "$@"
		[ "$STATUS" = 0 ] && cmp -s "$OUT" "$TAP_TMP/own" || bad="$bad $format: status $STATUS, $(head -n 1 "$ERR");"
		# the bytes arrive one by one
		run /dev/null sh -c 'dd if="$1" bs=1 count=20 2>/dev/null | { cat; tail -c +21 "$1"; } | { shift; "$@"; }' sh "$F/$format" "$@"
		[ "$STATUS" = 0 ] && cmp -s "$OUT" "$TAP_TMP/own" || bad="$bad $format in a pipe: status $STATUS, $(head -n 1 "$ERR");"
		[ "$how" = FILE ] || continue
		run /dev/null "$@" "$F/$format"
		[ "$STATUS" = 0 ] && cmp -s "$OUT" "$TAP_TMP/own" || bad="$bad $format as an argument: status $STATUS, $(head -n 1 "$ERR");"
	done
	is "$filter prints the same for $formats" "$bad" ""
}
[ -s "$F/spans" ] && [ -s "$F/page" ] || exit 1
for filter in rawtoevent rawtoperfetto kuod; do
	same $filter raw "$packers" FILE "$BIN/$filter"
done
same checktrace raw "$packers" PIPE "$BIN/checktrace"
same rawtohtml raw "$packers" FILE "$BIN/rawtohtml" --template "$DATA/template.html" --title x
same eventtospan events "raw $packers" FILE "$BIN/eventtospan" x
for filter in spantowhy spantoprof spantospeedscope; do
	same $filter spans "raw events page $packers" FILE "$BIN/$filter"
done
same spantospan spans "raw events page $packers" FILE "$BIN/spantospan" 5
same spantotrim spans "raw events page $packers" FILE "$BIN/spantotrim" 0
same makeself spans "raw events page $packers" PIPE "$BIN/makeself" "$DATA/template.html"
gzip -c "$F/page" >"$F/page.gz"
same unmakeself page page.gz FILE "$BIN/unmakeself"
mkdir -p "$TAP_TMP/prefix/share/kutrace" "$TAP_TMP/prefix/bin"
cp "$BIN/makeself" "$BIN/rawtohtml" "$TAP_TMP/prefix/bin"
cp "$DATA/template.html" "$TAP_TMP/prefix/share/kutrace/show_cpu.html"
run /dev/null "$TAP_TMP/prefix/bin/makeself" "$F/gzip"
is "makeself: a file that is no template is the input" "$STATUS $(cmp "$OUT" "$F/page" 2>&1)" "0 "
run "$F/raw" "$BIN/spantowhy"
like "a message names the conversion" "$(cat "$ERR")" '^spantowhy: standard input is a raw trace: reading it through rawtohtml$'
# The first byte of a raw trace is the low byte of a time, so it can be any character.
for first in '{' '<' ' {' '\n<'; do
	cp "$F/raw" "$F/brace"
	printf "$first" | dd of="$F/brace" conv=notrunc 2>/dev/null
	run "$F/brace" "$BIN/spantowhy"
	is "a raw trace that begins as \"$first\" is recognized" "$STATUS $(grep -c 'is a raw trace: reading' "$ERR")" "0 1"
done
run /dev/null "$BIN/spandiff" "$F/gzip" "$F/page"
cp "$OUT" "$TAP_TMP/converted"
run /dev/null "$BIN/spandiff" "$F/spans" "$F/spans"
ok "spandiff converts both files" cmp <(sed "s,$F/[a-z]*,,g" "$OUT") <(sed "s,$F/[a-z]*,,g" "$TAP_TMP/converted")

# what goes wrong in the other programs
head -c $(($(wc -c <"$F/gzip") / 2)) "$F/gzip" >"$F/cut"
run /dev/null "$BIN/rawtoevent" "$F/cut" -o "$TAP_TMP/cut.out"
like "a packed file that is cut off fails" "$STATUS $(tr '\n' ' ' <"$ERR")" '^1 .*unexpected end of file'
ok "a packed file that is cut off leaves no output" test ! -e "$TAP_TMP/cut.out"
gzip -c "$F/spans" >"$F/crc"
printf '\125' | dd of="$F/crc" bs=1 seek=$(($(wc -c <"$F/crc") - 6)) conv=notrunc 2>/dev/null
cp "$F/raw" "$F/crc-raw"
gzip -f "$F/crc-raw"
printf '\125' | dd of="$F/crc-raw.gz" bs=1 seek=$(($(wc -c <"$F/crc-raw.gz") - 6)) conv=notrunc 2>/dev/null
bad=
for tool in spantotrim\ 0 makeself\ "$DATA/template.html"; do
	# shellcheck disable=SC2086 # words
	run "$F/crc" "$BIN/"$tool -o "$TAP_TMP/crc.out"
	[ "$STATUS" = 1 ] && [ ! -e "$TAP_TMP/crc.out" ] || bad="$bad $tool: $STATUS;"
done
for tool in rawtoevent rawtohtml\ --json rawtoperfetto rawtoctf $([ ! -x "$BIN/rawtosqlite" ] || echo rawtosqlite); do
	# shellcheck disable=SC2086 # words
	run "$F/crc-raw.gz" "$BIN/"$tool -o "$TAP_TMP/crc.out"
	[ "$STATUS" = 1 ] && [ ! -e "$TAP_TMP/crc.out" ] || bad="$bad $tool: $STATUS;"
done
run "$F/crc-raw.gz" "$BIN/rawtoctf" --into "$TAP_TMP/crc.out"
[ "$STATUS" = 1 ] && [ ! -e "$TAP_TMP/crc.out" ] || bad="$bad rawtoctf --into: $STATUS;"
is "a wrong checksum at the end of a packed file: exit 1, no output file" "$bad" ""
run /dev/null bash -c "trap '' CHLD; exec \"\$1\" 0 \"\$2\"" sh "$BIN/spantotrim" "$F/crc"
is "also if the caller ignores SIGCHLD" "$STATUS" 1
cp "$F/raw" "$F/nested"
for i in 1 2 3 4 5 6; do gzip -c "$F/nested" >"$F/nested.gz" && mv "$F/nested.gz" "$F/nested"; done
run /dev/null "$BIN/rawtoevent" "$F/nested"
like "a file that is packed many times is refused" "$STATUS $(cat "$ERR")" '^1 rawtoevent: cannot read .*: it is packed more than 4 times$'
run /dev/null bash -c '"$1" 5 <(cat "$2")' sh "$BIN/spantospan" "$F/spans"
is "a pipe as an argument" "$STATUS" 0
mkfifo "$TAP_TMP/named"
cat "$F/spans" >"$TAP_TMP/named" &
run /dev/null "$BIN/spantospan" 5 "$TAP_TMP/named"
wait $!
is "a named pipe is opened only once" "$STATUS $?" "0 0"
run "$F/spans" "$BIN/spantospan" 5 -
is "standard input as an argument" "$STATUS" 0
# The programs of an interrupted filter end with it, so the reader of its output sees the end.
mkfifo "$TAP_TMP/in" "$TAP_TMP/made"
{ cat "$F/gzip"; exec sleep 60; } >"$TAP_TMP/in" &
writer=$!
"$BIN/rawtoevent" <"$TAP_TMP/in" >"$TAP_TMP/made" 2>/dev/null &
filter=$!
{ sleep 1; kill -TERM $filter; } &
ok "the end of an interrupted filter is the end of its output" timeout 30 cat "$TAP_TMP/made"
kill $writer 2>/dev/null
wait
run /dev/null env PATH=/nowhere "$BIN/checktrace" "$F/gzip"
like "a missing program is named" "$STATUS $(cat "$ERR")" '^1 checktrace: cannot read .*: cannot run gzip: No such file'
run /dev/null "$BIN/spantowhy" "$F/html"
is "a page without data fails" "$STATUS $(cat "$ERR")" "1 spantowhy: $F/html is a page: reading it through unmakeself
unmakeself: $F/html: not a page with a trace, neither of this version nor of KUtrace 3"
run /dev/null "$BIN/spantowhy" "$F/cut"
like "after the messages of the other programs comes none" "$STATUS $(tail -n 1 "$ERR")" "^1 rawtohtml: $F/cut: "
run /dev/null "$BIN/rawtoevent" "$F/cut"
is "after the message of gzip comes none" "$STATUS $(grep -c '^rawtoevent: ' "$ERR")" "1 0"
head -c 100 "$F/gzip" >"$F/cut"
run /dev/null "$BIN/spantowhy" "$F/cut"
is "nothing is unpacked: only gzip prints a message" "$STATUS $(grep -c '^spantowhy: ' "$ERR") $(grep -c 'unexpected end of file' "$ERR")" "1 0 1"
mkdir "$TAP_TMP/killed"
printf '#!/bin/sh\nkill -KILL $$\n' >"$TAP_TMP/killed/gzip"
chmod +x "$TAP_TMP/killed/gzip"
run /dev/null env PATH="$TAP_TMP/killed:$PATH" "$BIN/spantowhy" "$F/gzip"
is "a program that a signal ends" "$STATUS $(cat "$ERR")" "1 spantowhy: a program that converts the input was ended by signal 9"

# Output that is not text does not go to a terminal.
terminal() { script -qec "$(printf '%q ' "$@")" /dev/null </dev/null 2>&1 | tr -d '\r'; }
if command -v script >/dev/null; then
	for filter in rawtohtml rawtoctf rawtoperfetto $(for tool in rawtosqlite rawtoparquet; do [ ! -x "$BIN/$tool" ] || echo $tool; done); do
		like "$filter writes nothing to a terminal" "$(terminal "$BIN/$filter" "$F/raw" | head -c 300 | tr '\n' ' ')" \
			"^$filter: cannot write .* to a terminal; name a file with -o FILE try '$filter --help' \$"
	done
	like "makeself writes nothing to a terminal" "$(terminal "$BIN/makeself" "$F/spans" | head -c 300)" '^makeself: cannot write a page to a terminal'
else
	skip "output to a terminal" "no script(1)"
fi
refuses unmakeself html "$BIN/unmakeself"
refuses perfettotoevent perfetto "$BIN/perfettotoevent"
# Perfetto: a kernel's release, and a thread that gets CPU 0. Bytes 8 to 15 could also be a raw trace's second word.
printf '\012\014\352\002\011\032\007\032\0056.1.0\012\103\012\101\010\000\042\075\012\017\200\224\353\334\003\300\204\075\200\341\353\027\300\204\075\022\005\000\200\001\000\001\032\006\254\002\000\254\002\000\042\004xxxx\052\004work\052\011swapper/02\004\000\001\000\001' >"$F/small"
run "$F/small" "$BIN/perfettotoevent"
like "a Perfetto trace with bytes of a raw trace is read" "$STATUS $(cat "$OUT")" 'work\.300'
refuses ctftoevent tar "$BIN/ctftoevent"
tap_end
