/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The span JSON as text, which spanjson/read.h reads and spanjson/write.h writes:
 *
 *   {
 *  "Comment" : "V2 with IPC field",
 *  "version" : 3,
 * "events" : [
 * [ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, "kutrace_control.47"],
 * [999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
 * ]}
 *
 * (with two blanks before the brace and one before each key), so that sorting
 * the lines by bytes keeps the header first, rows in time order, trailer last.
 * Keys behind the events stand in the last line, for the same reason:
 *
 * ], "extra" : [], "savedview" : [["all", null]]}
 *
 * Used by what reads or writes spans.
 */
#ifndef KP_SPANJSON_FORMAT_H
#define KP_SPANJSON_FORMAT_H

#define KP_JSON_NAME_MAX	65536	/* bytes of a name, unescaped */
#define KP_JSON_TIME_MAX	999999999900000000ll	/* 10 ns units: ten nines in s; starts are below */
#define KP_JSON_CPU_MAX		65535
#define KP_JSON_WIDTH		12	/* of the start field: up to 999 s */

#endif
