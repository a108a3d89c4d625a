#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ci
#
# Tests the test runner and the TAP helpers with small tests that this file writes. A test that does
# not clearly pass must count as a failure, and the closing line must be right.
. tests/tap.sh
tap_begin
here=$(pwd)

# made NAME TEXT: writes a test script.
made()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$TAP_TMP/$1.sh"
	chmod +x "$TAP_TMP/$1.sh"
}

# runs NAME STATUS CLOSING-LINE TEST...: runs the tests. Passes if the runner has this status and last line.
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
made slow "# timeout: 5
echo 'ok 1 - a'; sleep 30"
made seventyseven "echo '# nothing to test with'; exit 77"

runs "all good" 0 "5 passed, 0 failed, 0 skipped" good
runs "all bad" 1 "0 passed, 7 failed, 0 skipped" bad
runs "some skipped" 0 "1 passed, 0 failed, 1 skipped" some
like "some skipped: the reason is printed" "$(cat "$TAP_TMP/out")" 'b: no such thing here$'
runs "nothing but skips is no success" 1 "0 passed, 0 failed, 1 skipped" skipped
runs "exit 77 alone is a skip" 1 "0 passed, 0 failed, 1 skipped" seventyseven
like "exit 77: the reason is printed" "$(cat "$TAP_TMP/out")" 'nothing to test with$'
runs "no plan" 1 "1 passed, 1 failed, 0 skipped" broken
runs "no test" 1 "0 passed, 1 failed, 0 skipped" silent
runs "bad status" 1 "1 passed, 1 failed, 0 skipped" status
runs "not ok and status 0" 1 "0 passed, 2 failed, 0 skipped" lies
runs "fewer than planned" 1 "1 passed, 1 failed, 0 skipped" short
runs "killed" 1 "1 passed, 1 failed, 0 skipped" signal
like "killed: the end of the output repeats it with the test's name" \
	"$(sed -n '/^failed:$/,$p' "$TAP_TMP/out" | tr '\n' ' ')" '^failed: +[^ ]*-signal: +killed by signal 11 .*1 passed, 1 failed'
like "killed: the result names the signal" "$(cat "$TAP_TMP/out")" 'killed by signal 11'
runs "out of time" 1 "1 passed, 1 failed, 0 skipped" slow
like "out of time: the result names the limit" "$(cat "$TAP_TMP/out")" 'ran out of its 5 seconds'
runs "a test that does not exist" 1 "0 passed, 1 failed, 0 skipped" missing
runs "several" 1 "6 passed, 2 failed, 1 skipped" good some silent missing

# A line "also:" defines another test, with its own variables and words.
made test_base "# timeout: 100
# also: slower NAP=30 timeout: 2 full
# also: other WORD=one OTHER=two needs: it
# also: othermore WORD=three
echo \"begin \$WORD \$OTHER\" >>$TAP_TMP/times; sleep \${NAP:-0}; echo 'ok 1 - a'; echo 1..1"
also()
{
	rm -f "$TAP_TMP/times"
	tests/run -t 20 -l "$TAP_TMP/log" -p it="echo prepared >>$TAP_TMP/times" "$@" >"$TAP_TMP/out" 2>&1
}
also "$TAP_TMP/test_other"
is "also: runs with the variables, after what it needs" "$(tr '\n' ' ' <"$TAP_TMP/times")" "prepared begin one two "
like "also: has a name of its own" "$(cat "$TAP_TMP/out")" '^ok +[^ ]*-test_other  '
also "$TAP_TMP/test_base.sh" "$TAP_TMP/test_othermore"
is "also: the script itself is another test" "$(grep -v prepared "$TAP_TMP/times" | LC_ALL=C sort | tr '\n' ' ')" "begin   begin three  "
also "$TAP_TMP/test_slower"
like "also: has a limit of its own" "$(cat "$TAP_TMP/out")" 'ran out of its 2 seconds'
also "$TAP_TMP/test_more"
like "also: a name that no line has" "$(cat "$TAP_TMP/out")" 'test_more is not there'

# Tests a machine that is stopped for a time. The test itself writes the times of the stop, which the
# runner usually writes, and fails only the first time.
made still "$helpers; now=\$(date +%s%N); [ -e $TAP_TMP/before ] && tries=2 || tries=1
touch $TAP_TMP/before; echo \$((now / 1000 - 40000000)) \$((now / 1000)) >>$TAP_TMP/stalls
is tries \$tries 2; tap_end"
made moved "$helpers; echo x >>$TAP_TMP/moved; ok a false; tap_end"
RUN_STALLS=$TAP_TMP/stalls
export RUN_STALLS
runs "machine stopped: the failed test runs again" 0 "1 passed, 0 failed, 0 skipped" still
like "machine stopped: the result reports it" "$(cat "$TAP_TMP/out")" 'again [^ ]*-still: 1 failed while the machine was stopped for 40 s'
like "machine stopped: the end of the output reports it" "$(tail -n 2 "$TAP_TMP/out")" '^the machine was stopped for up to 40 s'
runs "machine stopped before the test began: the test does not run again" 1 "0 passed, 1 failed, 0 skipped" moved
is "machine stopped before the test began: the test has run once" "$(wc -l <"$TAP_TMP/moved")" 1
rm "$TAP_TMP/stalls"
unset RUN_STALLS

# Tests the order of running: each test logs its beginning and end. A test ends when TOGETHER tests
# have begun.
timed()
{
	made "$1" "$2
echo begin $1 >>$TAP_TMP/times
until [ \$(grep -c begin $TAP_TMP/times) -ge \${TOGETHER:-1} ]; do sleep 0.1; done
echo end $1 >>$TAP_TMP/times
echo 'ok 1 - a'; echo 1..1"
}
# order OPTION... -- TEST...: runs the tests, and prints their log in one line.
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
like "two at a time" "$(export TOGETHER=2; order -j 2 -- brief plain long)" \
	'^begin (long begin plain|plain begin long) end '
# Tests that more tests run if CPUs are idle. An invented /proc has the load of the CPUs, and the first
# test changes it.
mkdir "$TAP_TMP/proc"
memory()
{
	echo "MemAvailable: $1 kB" >"$TAP_TMP/proc/meminfo"
}
# told NAME TIMES STAT: makes a test that writes the line STAT to the invented /proc/stat up to TIMES times. STAT may
# contain the variable n, which counts up.
told()
{
	made "$1" "# takes: 100
echo begin $1 >>$TAP_TMP/times
n=0
until [ \$n -ge $2 ] || [ \$(grep -c begin $TAP_TMP/times) -ge 2 ]; do
	n=\$((n + 1))
	echo $3 >$TAP_TMP/proc/new
	mv $TAP_TMP/proc/new $TAP_TMP/proc/stat
	sleep 0.1
done
echo end $1 >>$TAP_TMP/times
echo 'ok 1 - a'; echo 1..1"
}
told idles 150 "cpu 0 0 0 \$((n * 10)) 0 0 0 0 0 0"
told works 20 "cpu \$((n * 10)) 0 0 \$((n * 2)) 0 0 0 0 0 0"
echo "cpu 0 0 0 0 0 0 0 0 0 0" >"$TAP_TMP/proc/stat"
memory 8000000
made_up()
{
	RUN_PROC=$TAP_TMP/proc RUN_TICK=0.3 order -j 1 "$@"
}
like "one more test begins where CPUs idle" "$(made_up -m 2 -- brief idles)" \
	'^begin idles begin brief end '
is "no more tests begin where CPUs are busy" "$(made_up -m 2 -- brief works)" \
	"begin works end works begin brief end brief "
told idles 20 "cpu 0 0 0 \$((n * 10)) 0 0 0 0 0 0"
is "by default, idle CPUs start no more tests" "$(made_up -- brief idles)" \
	"begin idles end idles begin brief end brief "
memory 3000000
is "no more tests begin where memory is short" "$(made_up -m 2 -- brief idles)" \
	"begin idles end idles begin brief end brief "
is "a test that measures runs last and alone" \
	"$(order -j 3 -- single brief | sed 's/.* begin single/begin single/')" "begin single end single "
printf '#!/bin/sh\necho prepared >>%s\n' "$TAP_TMP/times" >"$TAP_TMP/prepare"
printf '#!/bin/sh\necho no such compiler\nexit 3\n' >"$TAP_TMP/prepare.bad"
chmod +x "$TAP_TMP/prepare" "$TAP_TMP/prepare.bad"
is "a test waits for the preparation that it needs" "$(order -j 1 -p it="$TAP_TMP/prepare" -- needy)" \
	"prepared begin needy end needy "
is "a test does not wait for a preparation that does not exist" "$(order -j 1 -p other="$TAP_TMP/prepare" -- needy |
	sed 's/prepared //')" "begin needy end needy "
is "a preparation that failed: the test runs" \
	"$(order -j 1 -p it="$TAP_TMP/prepare.bad" -- needy)" "begin needy end needy "
like "a preparation that failed: the result names it" "$(cat "$TAP_TMP/out")" \
	'^FAIL preparation it: status 3'
like "a preparation that failed: and why" "$(cat "$TAP_TMP/out")" 'no such compiler$'
like "the times are printed" "$(cat "$TAP_TMP/out")" '^ +[0-9]+\.[0-9] s .*-needy$'
made computes "i=0; while [ \$i -lt 300000 ]; do i=\$((i + 1)); done; sleep 1
echo 'ok 1 - a'; echo 1..1"
tests/run -l "$TAP_TMP/log" "$TAP_TMP/computes.sh" >"$TAP_TMP/out" 2>&1
is "the CPU time is positive, and excludes the sleep" "$(awk '/ CPU  .*-computes$/ {
	print ($3 > 0 && $3 <= $1 - 0.9) }' "$TAP_TMP/out")" 1
# Interrupts the runner while a test and a preparation run, each of which has started another process.
printf '#!/bin/sh\nsleep 1000 &\necho $! >%s/left.$1.new\nmv %s/left.$1.new %s/left.$1\nwait\n' "$TAP_TMP" "$TAP_TMP" "$TAP_TMP" \
	>"$TAP_TMP/lasting"
chmod +x "$TAP_TMP/lasting"
made lasting "exec $TAP_TMP/lasting test"
tests/run -j 2 -l "$TAP_TMP/log" -p it="$TAP_TMP/lasting preparation" "$TAP_TMP/lasting.sh" >"$TAP_TMP/out" 2>&1 &
running=$!
until [ -s "$TAP_TMP/left.test" ] && [ -s "$TAP_TMP/left.preparation" ]; do sleep 0.1; done
kill -TERM $running
wait $running
is "interrupted: exit status" $? 130
for left in test preparation; do
	n=0
	while kill -0 "$(cat "$TAP_TMP/left.$left")" 2>/dev/null && [ $n -lt 300 ]; do
		n=$((n + 1))
		sleep 0.1
	done
	exits "interrupted: nothing of a $left goes on" 1 kill -0 "$(cat "$TAP_TMP/left.$left")"
done
exits "no test at all is a usage error" 2 tests/run
exits "a preparation without a command is a usage error" 2 tests/run -p it "$TAP_TMP/good.sh"
exits "deps.sh: an unknown group" 2 tests/deps.sh nonsense
like "deps.sh: lists the packages that it would install" "$(tests/deps.sh --list guest)" '^qemu-system-x86$'
tap_end
