#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 55
# ci
#
# Returns are merged only while context switches are recorded, so no return joins another task's
# call. The test switches the recording of context switches on and off while two processes return
# from reads of different lengths. Runs on the stock kernel with icount, where calls are short
# enough for their returns to be merged.
. tests/guest/lib.sh
guest_begin merges

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
must insmod /lib/kutrace.ko mb=96
must kutrace_control start
must merges 25 >/out/witness
must kutrace_control stop /out/m.trace
kutrace_control mask all
# another session keeps the hooks attached
must kutrace_control session create other --size 1
must kutrace_control --session other start --wrap
must kutrace_control start
must merges 20 >/out/witness
must kutrace_control stop /out/beside.trace
must kutrace_control session destroy other
must rmmod kutrace
SCRIPT

merge_checks()	# LABEL TRACE
{
	trace_ok "$1" "$2"
	"$BUILD/bin/kuod" "$2" >"$TAP_TMP/words"
	# Prints the reads with their returns: "COUNT DESCRIPTOR LENGTH"
	awk '
	$1 ~ /^[0-9]+$/ && length($2) == 16 && $3 ~ /^[+-][0-9.]+$/ && $4 != "name" &&
		substr($2, 6, 3) == "800" && substr($2, 9, 2) != "00" {
		n[substr($2, 13, 4) " " substr($2, 11, 2)]++
	}
	END { for (k in n) print n[k], k }' "$TAP_TMP/words" >"$TAP_TMP/reads"
	for bytes in 3 5; do
		fd=$(printf '%04x' "$(awk -v b=$bytes '$1 == "fd" && $2 == b { print $3 }' \
			"$OUT/witness")")
		is "$1: no read of $bytes bytes returns another length" \
			"$(awk -v fd="$fd" -v own=0$bytes '$2 == fd && $3 != own' "$TAP_TMP/reads")" ""
		between "$1: reads of $bytes bytes, merged" \
			"$(awk -v fd="$fd" -v own=0$bytes '$2 == fd && $3 == own { n = $1 }
			END { print n + 0 }' "$TAP_TMP/reads")" 100 10000000
	done
}

if guest_run "$TAP_TMP/script" --icount --timeout 500 --file "$GUEST_BIN/merges"; then
	merge_checks alone "$OUT/m.trace"
	merge_checks "beside another" "$OUT/beside.trace"
fi
tap_end
