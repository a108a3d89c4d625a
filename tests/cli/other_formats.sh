#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests the message for a file of another format. The filter names the format and the command that reads it, and
# prints nothing else. The bytes are from the documents of the formats, or from files that the tools themselves make.
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
{ printf '\050\265\057\375'; pad; } >"$F/zstd"
gzip -c "$F/raw" >"$F/gzip"
if command -v xz >/dev/null; then
	xz -c "$F/raw" >"$F/xz"
else
	{ printf '\3757zXZ\0'; pad; } >"$F/xz"
fi

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
	zstd | gzip | xz) echo "packed by $1; try $1 -dc" ;;
	esac
}

# refuses FILTER READS COMMAND...: passes if the filter refuses each format except the one that it reads.
refuses()
{
	local filter=$1 reads=$2 format bad=
	shift 2
	for format in raw json html events perfetto tar metadata stream trace.dat perf.data perf.data-be elf zstd gzip xz; do
		[ $format = "$reads" ] && continue
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
refuses eventtospan events "$BIN/eventtospan"
refuses spantospan json "$BIN/spantospan" 5
refuses spantotrim json "$BIN/spantotrim" 1 2
refuses spantowhy json "$BIN/spantowhy"
refuses spantoprof json "$BIN/spantoprof"
refuses spantospeedscope json "$BIN/spantospeedscope"
refuses makeself json "$BIN/makeself" "$DATA/template.html"
refuses unmakeself html "$BIN/unmakeself"
refuses perfettotoevent perfetto "$BIN/perfettotoevent"
# Perfetto: a kernel's release, and a thread that gets CPU 0. Bytes 8 to 15 could also be a raw trace's second word.
printf '\012\014\352\002\011\032\007\032\0056.1.0\012\103\012\101\010\000\042\075\012\017\200\224\353\334\003\300\204\075\200\341\353\027\300\204\075\022\005\000\200\001\000\001\032\006\254\002\000\254\002\000\042\004xxxx\052\004work\052\011swapper/02\004\000\001\000\001' >"$F/small"
run "$F/small" "$BIN/perfettotoevent"
like "a Perfetto trace with bytes of a raw trace is read" "$STATUS $(cat "$OUT")" 'work\.300'
refuses ctftoevent tar "$BIN/ctftoevent"
tap_end
