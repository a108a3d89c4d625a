#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 75
# ci
#
# What the page draws, pixel by pixel, in Chromium; pauses; what stands around it; what is kept and shared;
# what the User Guide's page has beside rows and spans;
# its columns and sums, its colours, and the picture that is there while it loads.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer layers" headless
exec node tests/viewer/together.mjs layers pauses around kept words calm columns widths sums colours overview guide
