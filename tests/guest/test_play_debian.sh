#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1800
# takes: 500
# full
#
# `make guest ROOT=debian`: apt installs a server in the guest. The next guest has it, serves a request
# with it, and the recording shows both processes. With --fresh, the changes of earlier guests are gone.
. tests/guest/lib.sh
guest_begin play_debian
unset KERNEL ARCH CPUS MEMORY ROOT CMD
SHARE=$OUT/share
KUTRACE_DEBIAN=$OUT/debian.ext4
export SHARE KUTRACE_DEBIAN

ok "the root is made, or is in the cache" tests/guest/debian.sh
exits "apt installs a server, and the first guest's files stay" 0 tests/guest/play.sh --root debian \
	'echo kept >/root/kept; apt-get -q update && apt-get -q -y install nginx-light; test -x /usr/sbin/nginx'
_status=0
tests/guest/play.sh --root debian 'cat /root/kept; nginx; wget -q -O - http://localhost/ | grep -o "<title>.*</title>"
bash -c "nginx -s stop"; man -w kutrace_control' >"$OUT/out" 2>"$OUT/err" || _status=$?
is "the next guest: exit status" $_status 0
is "the next guest: kept file, page of the server, man page" "$(cat "$OUT/out")" "kept
<title>Welcome to nginx!</title>
/opt/kutrace/share/man/man1/kutrace_control.1"
trace_ok "the next guest" "$SHARE/cmd.trace"
if ok "the filters read the trace" trace_text "$SHARE/cmd.trace"; then
	like "the server is in the trace" "$(cat "$SHARE/cmd.trace.events")" ' nginx$'
	like "the client is in the trace" "$(cat "$SHARE/cmd.trace.events")" ' wget$'
fi
exits "--fresh: the kept file is gone" 3 tests/guest/play.sh --root debian --fresh 'test -e /root/kept || exit 3'
tap_end
