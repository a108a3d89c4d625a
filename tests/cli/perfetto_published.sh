#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# takes: 5
# full
#
# Compares each number, type and name in tests/data/perfetto.fields with Perfetto's published definitions. The other
# tests use this table to read and write Perfetto traces. Also compares postprocess/interop/perfetto.proto with the
# table. With the published file, protoc decodes the output of rawtoperfetto to the same text, and encodes the inputs of
# the perfettotoevent test to the same bytes. $KUTRACE_PERFETTO_PROTO names the published file:
# protos/perfetto/trace/perfetto_trace.proto of Perfetto's source, v58 or later.
. tests/tap.sh
tap_begin
. tests/cli/filter.inc
. tests/cli/perfetto.inc

table=tests/data/perfetto.fields
rows() { grep -v '^#\|^$' "$table"; }

# against PUBLISHED: prints the rows of the table (stdin) that are different or missing in the published file.
against()
{
	awk 'NR == FNR { there[$0]; field[$1 " " $4] = $0; next }
		!($0 in there) { print "here: " $0 "; there: " field[$1 " " $4] }' "$1" -
}

# Tests that the comparison detects differences. The table is compared with itself after conversion
# to definitions and back.
awk -f tests/cli/perfetto_proto.awk "$table" | awk -f tests/cli/perfetto_fields.awk >"$TAP_TMP/own"
is "the table, as definitions and back" "$(rows | against "$TAP_TMP/own" | head -n 3)" ""
between "number of rows in the table" "$(rows | wc -l)" 200 1000
for change in 's/^TracePacket 10 /TracePacket 9 /' 's/^TrackEvent 11 uint64/TrackEvent 11 uint32/' 's/^BuiltinClock 6 /BuiltinClock 7 /' \
	's/switch_timestamp packed/switch_timestamp repeated/' 's/ flow_ids / flows /'; do
	is "another number, type or name is seen: $change" "$(rows | sed "$change" | against "$TAP_TMP/own" | wc -l)" 1
done

# Prints each field on stdin that differs from the table. Ignores that perfettotoevent reads texts and some messages as
# bytes, and enums as uint32, and that its message BundleHead is a part of FtraceEventBundle.
unlike_table()
{
	awk 'NR == FNR { if (/^[^#]/) type[$1 " " $2 " " $4 " " $5] = $3; next }
		{ sub(/^BundleHead /, "FtraceEventBundle "); wanted = type[$1 " " $2 " " $4 " " $5] }
		$3 != wanted && !($3 == "bytes" && wanted ~ /^(string|[A-Z])/) && !($3 == "uint32" && wanted ~ /^[A-Z]/)' \
		"$table" -
}
awk -f tests/cli/perfetto_fields.awk postprocess/interop/perfetto.proto >"$TAP_TMP/read"
between "number of fields that perfettotoevent reads" "$(wc -l <"$TAP_TMP/read")" 100 1000
is "perfettotoevent reads fields of the table" "$(unlike_table <"$TAP_TMP/read")" ""
for change in 's/^TracePacket 10 /TracePacket 9 /' 's/^SysExitFtraceEvent 2 int64/SysExitFtraceEvent 2 int32/' 's/ cpu_id$/ cpu/' \
	's/^FtraceEventBundle 2 FtraceEvent event repeated/FtraceEventBundle 2 FtraceEvent event/' 's/^BundleHead 5 /BundleHead 4 /'; do
	between "a field that perfettotoevent reads differently is seen: $change" "$(sed "$change" "$TAP_TMP/read" | unlike_table | wc -l)" 1 2
done

published=${KUTRACE_PERFETTO_PROTO:-}
if [ -z "$published" ]; then
	skip "Perfetto's published definitions" "it comes with no package; KUTRACE_PERFETTO_PROTO names no perfetto_trace.proto"
	tap_end
fi
awk -f tests/cli/perfetto_fields.awk "$published" >"$TAP_TMP/published"
between "number of published definitions" "$(wc -l <"$TAP_TMP/published")" 5000 100000
is "each number, type and name of the table is as Perfetto publishes it" "$(rows | against "$TAP_TMP/published" | head -n 5)" ""
if ! command -v protoc >/dev/null; then
	skip "by the publication itself" "no protoc"
	tap_end
fi
perfetto_bytes "$published" <tests/data/perfetto.textproto >"$TAP_TMP/there" 2>"$ERR"
perfetto_bytes <tests/data/perfetto.textproto >"$TAP_TMP/here" || exit 1
ok "the inputs of the perfettotoevent test have the same bytes with the published definitions" cmp "$TAP_TMP/there" "$TAP_TMP/here"
make_traces >&2 || exit 1
xz -dc tests/golden/stock-4cpu.trace.xz >"$TAP_TMP/golden.trace"
for trace in "$TAP_TMP/golden.trace" "$TRACES"/good-ipc.trace "$TRACES"/good-rpc.trace; do
	name=$(basename "$trace" .trace)
	"$BIN/rawtoperfetto" -o "$TAP_TMP/pf" "$trace" 2>/dev/null
	perfetto_text "$published" <"$TAP_TMP/pf" >"$TAP_TMP/there" 2>"$ERR"
	perfetto_text <"$TAP_TMP/pf" >"$TAP_TMP/here" || exit 1
	between "$name: number of lines" "$(wc -l <"$TAP_TMP/there")" 100 10000000
	is "$name: all field numbers of rawtoperfetto are published" "$(grep -cE '^ *[0-9]+(:| \{)' "$TAP_TMP/there")" 0
	ok "$name: the published definitions give the same text" cmp "$TAP_TMP/there" "$TAP_TMP/here"
done
tap_end
