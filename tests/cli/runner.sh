#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The test runner and the TAP helpers, on tests made up here: whatever does not
# plainly pass must be counted as a failure, and the closing line must be right.
. tests/tap.sh
tap_begin
here=$(pwd)

# made NAME TEXT: a test script
made()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$TAP_TMP/$1.sh"
	chmod +x "$TAP_TMP/$1.sh"
}

# runs NAME STATUS CLOSING-LINE TEST...
runs()
{
	_name=$1
	_want=$2
	_closing=$3
	shift 3
	_tests=
	for _test; do
		_tests="$_tests $TAP_TMP/$_test.sh"
	done
	_got=0
	# shellcheck disable=SC2086
	tests/run -t 20 -l "$TAP_TMP/log" $_tests >"$TAP_TMP/out" 2>&1 || _got=$?
	is "$_name: exit status" "$_got" "$_want"
	is "$_name: closing line" "$(tail -n 1 "$TAP_TMP/out")" "$_closing"
}

helpers=". $here/tests/tap.sh; tap_begin"
made good "$helpers; ok a true; is b x x; like c hello '^h'; between d 3 1 5; exits e 1 false; tap_end"
made bad "$helpers; ok a false; is b x y; like c hello '^x'; between d 7 1 5; exits e 2 false; unlike f yes y; between g x 1 5; tap_end"
made some "$helpers; pass a; skip b 'no such thing here'; tap_end"
made skipped "$helpers; skip a 'not today'; tap_end"
made broken "$helpers; pass a; exit 0"
made silent "exit 0"
made status "$helpers; pass a; echo 1..1; exit 3"
made lies "echo 'not ok 1 - a'; echo 1..1; exit 0"
made short "echo 'ok 1 - a'; echo 1..2; exit 0"
made signal "echo 'ok 1 - a'; echo 1..1; kill -SEGV \$\$"
made slow "# timeout: 1
echo 'ok 1 - a'; sleep 30"
made seventyseven "echo '# nothing to test with'; exit 77"

runs "all good" 0 "5 passed, 0 failed, 0 skipped" good
runs "all bad" 1 "0 passed, 7 failed, 0 skipped" bad
runs "some skipped" 0 "1 passed, 0 failed, 1 skipped" some
like "some skipped: the reason is told" "$(cat "$TAP_TMP/out")" 'b: no such thing here$'
runs "nothing but skips is no success" 1 "0 passed, 0 failed, 1 skipped" skipped
runs "exit 77 alone is a skip" 1 "0 passed, 0 failed, 1 skipped" seventyseven
like "exit 77: the reason is told" "$(cat "$TAP_TMP/out")" 'nothing to test with$'
runs "no plan" 1 "1 passed, 1 failed, 0 skipped" broken
runs "no test" 1 "0 passed, 1 failed, 0 skipped" silent
runs "bad status" 1 "1 passed, 1 failed, 0 skipped" status
runs "not ok and status 0" 1 "0 passed, 2 failed, 0 skipped" lies
runs "fewer than planned" 1 "1 passed, 1 failed, 0 skipped" short
runs "killed" 1 "1 passed, 1 failed, 0 skipped" signal
like "killed: says so" "$(cat "$TAP_TMP/out")" 'killed by signal 11'
runs "out of time" 1 "1 passed, 1 failed, 0 skipped" slow
like "out of time: says so" "$(cat "$TAP_TMP/out")" 'ran out of its 1 seconds'
runs "not there" 1 "0 passed, 1 failed, 0 skipped" missing
runs "several" 1 "6 passed, 2 failed, 1 skipped" good some silent missing

# What runs when: each test writes when it began and ended.
timed()
{
	made "$1" "$2
echo begin $1 >>$TAP_TMP/times; sleep 0.3; echo end $1 >>$TAP_TMP/times
echo 'ok 1 - a'; echo 1..1"
}
# order OPTION... -- TEST...: what was written, in one line
order()
{
	rm -f "$TAP_TMP/times"
	_options=
	while [ "$1" != -- ]; do
		_options="$_options $1"
		shift
	done
	shift
	_tests=
	for _test; do
		_tests="$_tests $TAP_TMP/$_test.sh"
	done
	# shellcheck disable=SC2086
	tests/run -t 20 -l "$TAP_TMP/log" $_options $_tests >"$TAP_TMP/out" 2>&1
	tr '\n' ' ' <"$TAP_TMP/times"
}
timed brief "# takes: 1"
timed long "# takes: 100"
timed plain ""
timed single "# alone
# takes: 1000"
timed needy "# takes: 50
# needs: it"
is "the longest begins first" "$(order -j 1 -- brief plain long)" \
	"begin long end long begin plain end plain begin brief end brief "
like "two at a time" "$(order -j 2 -- brief plain long)" \
	'^begin (long begin plain|plain begin long) end '
is "one that measures runs last, and alone" \
	"$(order -j 3 -- single brief | sed 's/.* begin single/begin single/')" "begin single end single "
printf '#!/bin/sh\necho prepared >>%s\n' "$TAP_TMP/times" >"$TAP_TMP/prepare"
printf '#!/bin/sh\necho no such compiler\nexit 3\n' >"$TAP_TMP/prepare.bad"
chmod +x "$TAP_TMP/prepare" "$TAP_TMP/prepare.bad"
is "a test waits for what it needs" "$(order -j 1 -p it="$TAP_TMP/prepare" -- needy)" \
	"prepared begin needy end needy "
is "but for nothing that nobody prepares" "$(order -j 1 -p other="$TAP_TMP/prepare" -- needy |
	sed 's/prepared //')" "begin needy end needy "
is "a preparation that failed: the test runs" \
	"$(order -j 1 -p it="$TAP_TMP/prepare.bad" -- needy)" "begin needy end needy "
like "a preparation that failed: says so" "$(cat "$TAP_TMP/out")" \
	'^FAIL preparation it: status 3'
like "a preparation that failed: and why" "$(cat "$TAP_TMP/out")" 'no such compiler$'
like "the times are told" "$(cat "$TAP_TMP/out")" '^ +0\.[0-9] s .*-needy$'
exits "no test at all is a usage error" 2 tests/run
exits "a preparation without a command is a usage error" 2 tests/run -p it "$TAP_TMP/good.sh"
exits "deps.sh: an unknown group" 2 tests/deps.sh nonsense
like "deps.sh: names what it would install" "$(tests/deps.sh --list guest)" '^qemu-system-x86$'
tap_end
