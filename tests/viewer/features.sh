#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 80
#
# The page's tables, calls, tools and rows in Chromium, and the questions of docs/questions.md.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer features" headless
exec node tests/viewer/together.mjs tables calls tools saved rows questions
