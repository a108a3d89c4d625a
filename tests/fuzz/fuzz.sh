#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 60
#
# Tests the readers with fuzzed input, by libFuzzer, ASan and UBSan: raw traces, event text, span JSON, templates,
# CTF, Perfetto, pages, kallsyms and maps, the state of a stream, memory dumps, and the input of a receiver. The seeds
# are the corpus of broken inputs and the golden files. `make check-ci` tries a fixed number of inputs for each target,
# some thousand. `make check` tries a tenth of them for raw traces and JSON. `make fuzz` runs each target for half an
# hour ($FUZZ_SECONDS) and stores new inputs in $BUILD/fuzz/corpus. An input that fails is stored in $BUILD/fuzz/found.
# Add it to tests/data, with a line in corpus.table.
. tests/tap.sh
tap_begin
. tests/cli/perfetto.inc

BUILD=${BUILD:-build}
FUZZ=$BUILD/fuzz
seconds=${FUZZ_SECONDS:-}
targets='raw events json template ctf perfetto page symbols state crash receive'
[ -z "${KUTRACE_FAST-}" ] || targets='raw json'
targets=${FUZZ_TARGETS:-$targets}
if ! command -v clang >/dev/null || ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long s) { return !d && s; }' |
	clang -x c -fsanitize=fuzzer - -o "$TAP_TMP/try" 2>/dev/null; then
	echo "1..0 # SKIP no clang with libFuzzer (packages clang, libclang-rt-14-dev)"
	echo "no clang with libFuzzer (packages clang, libclang-rt-14-dev)"
	exit 77
fi
# Compiles with ccache, as make check does: see CHECKMAKE in tests/rules.mk.
clang=clang
! command -v ccache >/dev/null || clang='ccache clang'
env -u MAKEFLAGS -u MFLAGS CCACHE_DIR="${XDG_CACHE_HOME:-$HOME/.cache}/kutrace/ccache" CCACHE_MAXSIZE=3G \
	CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$PWD" \
	"${MAKE:-make}" --no-print-directory BUILD="$BUILD" CLANG="$clang" fuzz-progs >"$TAP_TMP/build" 2>&1 ||
	{ cat "$TAP_TMP/build" >&2; exit 1; }
mkdir -p "$FUZZ/found"

# inputs_of TARGET: prints the number of inputs to try, which takes some seconds even on a machine with slow page faults.
# With KUTRACE_FAST, prints a tenth of it.
inputs_of()
{
	local inputs

	case $1 in
	raw | ctf) inputs=6000 ;;
	json) inputs=1000 ;;
	template | symbols) inputs=2500 ;;
	state) inputs=20000 ;;
	receive) inputs=3000 ;;
	crash) inputs=1500 ;;
	*) inputs=2000 ;;
	esac
	[ -z "${KUTRACE_FAST-}" ] || inputs=$((inputs / 10))
	echo $inputs
}

# seeds TARGET: writes the seeds to $TAP_TMP/TARGET.
seeds()
{
	local dir=$TAP_TMP/$1 file
	mkdir -p "$dir"
	case $1 in
	raw)
		cc -O1 tests/data/make_traces.c -o "$TAP_TMP/make_traces"
		cc -O1 tests/fuzz/sparse.c -o "$TAP_TMP/sparse"
		mkdir "$TAP_TMP/traces"
		"$TAP_TMP/make_traces" "$TAP_TMP/traces"
		for file in tests/golden/*.trace.xz; do
			xz -dc "$file" >"$TAP_TMP/traces/$(basename "$file" .xz)"
		done
		for file in "$TAP_TMP"/traces/*.trace tests/data/broken/*.trace; do
			[ -f "$file" ] && "$TAP_TMP/sparse" <"$file" >"$dir/$(basename "$file")"
		done
		;;
	events)
		cp tests/data/good.events tests/data/broken/*.events "$dir"
		for file in tests/golden/*.events.xz; do
			xz -dc "$file" | sed -n '1,200p' >"$dir/$(basename "$file").1"
			xz -dc "$file" | sed -n '3000,3200p' >"$dir/$(basename "$file").2"
		done
		;;
	json)
		cp tests/data/good.json tests/data/broken/*.json "$dir"
		for file in tests/golden/*.json.xz; do
			{ xz -dc "$file" | head -n 300; echo '[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]'
				echo ']}'; } >"$dir/$(basename "$file")"
		done
		;;
	ctf)
		cc -O1 tests/data/make_lttng.c -o "$TAP_TMP/make_lttng"
		for file in '' be large 'be large packets tid'; do
			rm -rf "$TAP_TMP/lttng"
			# shellcheck disable=SC2086 # the option is several words, or none
			"$TAP_TMP/make_lttng" "$TAP_TMP/lttng" $file >/dev/null
			# first the length of the metadata, in 32 bits
			length=$(wc -c <"$TAP_TMP/lttng/metadata")
			# shellcheck disable=SC2059 # the bytes are the format
			{ printf "\\$(printf %03o $((length % 256)))\\$(printf %03o $((length / 256)))\\0\\0"
				cat "$TAP_TMP/lttng/metadata" "$TAP_TMP/lttng/channel0_0"; } >"$dir/lttng${file// /-}"
			tar -cf "$dir/tar${file// /-}" -C "$TAP_TMP" lttng
		done
		;;
	perfetto)
		cc -O1 tests/data/make_traces.c -o "$TAP_TMP/make_traces"
		mkdir -p "$TAP_TMP/traces"
		"$TAP_TMP/make_traces" "$TAP_TMP/traces"
		for file in good good2 points; do
			"$BUILD/bin/rawtoperfetto" "$TAP_TMP/traces/$file.trace" 2>/dev/null | head -c 30000 >"$dir/$file"
		done
		# a trace with parts that rawtoperfetto does not write: columns, statistics, other kernels
		! command -v protoc >/dev/null || perfetto_bytes <tests/data/perfetto.textproto >"$dir/ftrace"
		;;
	page)
		cp tests/data/broken/page-*.html tests/data/original.html "$dir"
		for file in good.json broken/names-hostile.json; do
			[ ! -f "tests/data/$file" ] ||
				"$BUILD/bin/makeself" tests/data/template.html <"tests/data/$file" >"$dir/${file##*/}.html" 2>/dev/null
		done
		;;
	symbols)
		printf 'ffffffff81000000 T _stext\nffffffff81000100 t do_one\nffffffff81000200 T two\t[kutrace]\nffffffff82000000 T _etext\n' >"$dir/kallsyms"
		{ cat "$dir/kallsyms"; printf '\377'; cat /proc/self/maps; } >"$dir/maps"
		printf '\3775580a0000000-5580a0001000 r-xp 00000000 fe:00 1 /bin/x (deleted)\n7f0-7f1 ---p 0 0:0 0 [vdso]\n' >"$dir/odd"
		;;
	state)
		printf 'kutrace-stream 123456789 42 7 9 11\n' >"$dir/waiting"
		printf 'kutrace-stream 1 1\n' >"$dir/short"
		printf 'kutrace-stream 18446744073709551615 0 -1 99999999999999999999999\n' >"$dir/odd"
		;;
	receive)
		printf '\0kutrace-stream 1 n 0\n5\nhello6\n worldend 11\n' >"$dir/whole"
		printf '\1kutrace-stream 1 n 100\n3\nabcend 103\n' >"$dir/more"
		printf '\1kutrace-stream 1 n 40\n3\nabcend 20\n' >"$dir/less"
		printf '\1kutrace-stream 1 n 400\n' >"$dir/gone"
		printf '\2kutrace-stream 1 n 0\nend 0\n' >"$dir/there"
		printf '\0kutrace-stream 1 ../n 0\n99999\n' >"$dir/odd"
		;;
	crash)
		cc -O1 -Icontrol/lib -Icontrol -Icontrol/include -Imodule/uapi tests/data/make_crash.c -lz -o "$TAP_TMP/make_crash"
		for file in 0 1 2 3 5 7; do
			# shellcheck disable=SC2059 # the bytes are the format
			printf "\\0\\$(printf %03o $file)" >"$dir/whole$file"
			printf "\\0\\$(printf %03o $file)\\0\\060\\0\\010\\377\\0\\1\\2\\3\\4\\5\\6" >"$dir/anchor$file"
			printf "\\0\\$(printf %03o $file)\\4\\0\\020\\010\\377\\377\\377\\177\\1\\0\\0\\0" >"$dir/table$file"
		done
		for file in elf kdump; do
			"$TAP_TMP/make_crash" $file "$TAP_TMP/dump"
			{ printf '\1'; head -c 30000 "$TAP_TMP/dump"; } >"$dir/$file"
		done
		;;
	template)
		cp tests/data/template.html tests/data/broken/*.html "$dir"
		printf '<!-- selfcontained0 -->\n<script src="x"></script>\n<!-- selfcontained1 -->\n<!-- selfcontained2 -->\n\377var d3;</script>' \
			>"$dir/original"
		;;
	esac
}

for target in $targets; do
	seeds "$target"
	mkdir -p "$FUZZ/corpus/$target"
	log=$FUZZ/$target.log
	status=0
	least=$(inputs_of "$target")
	until=(-runs="$least")
	# libbabeltrace2 loops in some damaged inputs, up to the limit of fuzz_ctf, and mutations of such inputs loop too.
	[ "$target" != ctf ] || until+=(-max_total_time=240) least=$((least / 20))
	[ -z "$seconds" ] || until=(-max_total_time="$seconds") least=100
	ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=8:malloc_context_size=8 "$FUZZ/fuzz_$target" "${until[@]}" -timeout=60 \
		-rss_limit_mb=2048 -max_len=40000 -print_final_stats=1 \
		-artifact_prefix="$FUZZ/found/$target-" \
		"$FUZZ/corpus/$target" "$TAP_TMP/$target" >"$log" 2>&1 || status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	diag "$target: ${runs:-0} inputs${seconds:+ in $seconds s}"
	if [ "$status" = 0 ] && [ "${runs:-0}" -ge "$least" ]; then
		pass "$target: nothing found"
	else
		fail "$target" "status $status, ${runs:-0} inputs: $(grep -E 'ERROR|SUMMARY|does not hold|runtime error|Test unit' "$log" | head -n 5)"
	fi
done
tap_end
