#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs kutrace_control selftest: on this machine if the module is loaded and the caller may record,
# otherwise in a guest with the stock kernel, where the measured times are those of QEMU. `make bench`
# runs it.
#
#	tests/bench/selftest.sh [OPTION]...	options of selftest, such as --quick
#
# Prints the table. Writes the report to $BUILD/bench/selftest/report.json, and its costs and rate to
# $BUILD/bench/selftest.json. Exit status: 0, or 1 if the selftest has failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
out=$build/bench/selftest
rm -rf "$out" "$build/bench/selftest.json"
mkdir -p "$out"
if "$build/bin/kutrace_control" status >/dev/null 2>&1; then
	echo "selftest: on this machine"
	"$build/bin/kutrace_control" selftest --json "$out/report.json" "$@" || exit 1
else
	echo "selftest: in a guest, because this machine cannot record"
	. "$build/guest/env"
	cat >"$out/script" <<-'END'
		#!/bin/sh
		must insmod /lib/kutrace.ko
		kutrace_control selftest --json /out/report.json "$@" >/out/table
	END
	tests/guest/boot.sh --kernel "$KERNEL_DIR" --cpus 2 --timeout 600 --script "$out/script" --out "$out" \
		--file "$KO:/lib/kutrace.ko" --file "$build/bin/static/kutrace_control" -- "$@" ||
		{ cat "$out/table" >&2; exit 1; }
	cat "$out/table"
fi
perl -MJSON::PP -e '
	local $/;
	my $r = decode_json(<>);
	my @rows = map { my $c = $_; (my $name = "$$c{what}") =~ tr/ /-/;
		map { ["$name-" . tr/_/-/r, $$c{$_}{least_ps} / 1000, "ns"] } "not_recording", "recording" }
		@{$$r{costs}};
	push @rows, ["stream-kept", $$r{stream}{kept_events_per_s}, "events/s"];
	printf "[\n%s\n]\n", join ",\n", map {
		sprintf "  {\"name\": \"%s\", \"value\": %.1f, \"unit\": \"%s\"}", @$_ } @rows;
' "$out/report.json" >"$build/bench/selftest.json"
