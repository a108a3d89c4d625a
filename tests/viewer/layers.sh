#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1500
# takes: 75
# ci
#
# Tests the page in Chromium: the drawings, pixel by pixel; pauses; stops of the machine; requests of disks; the page around the picture; data that users
# store and share; features of the page in the KUtrace User Guide; columns and sums; colours;
# and the picture that is shown while the page loads.
set -eu
. "$(dirname "$0")/browser.inc"
browser_begin "viewer layers" headless
exec node tests/viewer/together.mjs layers pauses stops disk timer around stored words calm columns widths sums colours overview guide
