/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Format of event text, which eventtext/write.h writes and eventtext/read.h reads.
 *
 *   -1 1 40 39 getpid                                         name definition
 *   # ## VERSION: 3                                           comment
 *   1207652033 293 2087 0  51 0  44495 51 0 getpid (827)      event
 *
 * A name extends to the end of its line, or to the number in parentheses. Control characters and
 * backslashes in names are written as \xHH in hex; spaces are not escaped.
 */
#ifndef KP_EVENTTEXT_FORMAT_H
#define KP_EVENTTEXT_FORMAT_H

#define KP_EVENT_LINE_MAX	65536	/* bytes */
#define KP_EVENT_TIME_MAX	400000000000000000ll	/* 10 ns units */
#define KP_EVENT_CPU_MAX	255

#endif
