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
exits "no test at all is a usage error" 2 tests/run
exits "deps.sh: an unknown group" 2 tests/deps.sh nonsense
like "deps.sh: names what it would install" "$(tests/deps.sh --list guest)" '^qemu-system-x86$'
tap_end
