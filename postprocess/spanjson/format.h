/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Format of span JSON, which spanjson/read.h reads and spanjson/write.h writes:
 *
 *   {
 *  "Comment" : "V2 with IPC field",
 *  "version" : 3,
 * "events" : [
 * [ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, "kutrace_control.47"],
 * [999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]
 * ]}
 *
 * There are two spaces before the brace and one before each key. So a sort of the lines by bytes
 * keeps the header first, the rows in order of time, and the trailer last. For the same reason,
 * keys that follow the events are in the last line:
 *
 * ], "extra" : [], "savedview" : [["all", null]]}
 */
#ifndef KP_SPANJSON_FORMAT_H
#define KP_SPANJSON_FORMAT_H

#define KP_JSON_NAME_MAX	65536	/* bytes of an unescaped name */
#define KP_JSON_TIME_MAX	999999999900000000ll	/* 10 ns: ten nines in s; starts are less */
#define KP_JSON_CPU_MAX		65535
#define KP_JSON_WIDTH		12	/* of the start field: up to 999 s */

#endif
