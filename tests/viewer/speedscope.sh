#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# takes: 15
#
# speedscope's own page, as npm has it, in Chromium, reads what spantospeedscope writes and says what the spans say
# (speedscope.mjs). Skips when there is no Chromium or no Node.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin speedscope chromium

SPEEDSCOPE=$(templates/modules.sh tests/speedscope)/speedscope
export SPEEDSCOPE
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make -s BUILD="$BUILD" "$BUILD/bin/rawtohtml" "$BUILD/bin/spantospeedscope" >&2
xz -dc tests/golden/patched-4cpu.trace.xz >"$dir/trace"
"$BUILD/bin/rawtohtml" --json "$dir/trace" >"$dir/spans.json" 2>/dev/null
"$BUILD/bin/spantospeedscope" <"$dir/spans.json" >"$dir/profile.json" 2>/dev/null
node tests/viewer/speedscope.mjs "$dir/spans.json" "$dir/profile.json"
