#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 80
#
# The page's tables, calls, tools and rows in Chromium, idle time as all that add it up have it, and the questions of docs/guide/questions.md; with
# KUTRACE_FAST these alone.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer features" headless
make -s BUILD="$BUILD" tools "$BUILD/tests/make_traces" >&2
features="idle tables calls tools saved rows"
[ -z "${KUTRACE_FAST-}" ] || features=
exec node tests/viewer/together.mjs $features questions
