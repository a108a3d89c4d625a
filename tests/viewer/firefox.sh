#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 60
# ci
#
# Tests the page in Firefox: it draws what Chromium draws (twin.mjs), and mouse, wheel and keys move its rows. In
# `make check-full`, or with KUTRACE_FULL=1, also tests its tables and tools. More tests can be run in Firefox by
# hand: BROWSER=firefox node tests/viewer/run.mjs
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer in Firefox" chromium firefox
BROWSER=firefox exec node tests/viewer/together.mjs twin rows ${KUTRACE_FULL:+tables tools saved}
