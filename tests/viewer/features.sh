#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 600
# takes: 70
#
# The page's tables, calls, pane of a process, tools, rows, search and query in Chromium.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer features" chromium
exec node tests/viewer/together.mjs tables calls process tools rows search query
