/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event text that rawtoevent prints (eventtext/write.h) and eventtospan
 * reads (eventtext/read.h).
 *
 *   -1 1 40 39 getpid                                         name definition
 *   # ## VERSION: 3                                           comment
 *   1207652033 293 2087 0  51 0  44495 51 0 getpid (827)      event
 *
 * A name is the rest of its line. Control characters and backslashes in names
 * are written as \xHH, in hex; blanks stay as they are.
 * Used by eventtext/read.c and eventtext/write.c.
 */
#ifndef KP_EVENTTEXT_FORMAT_H
#define KP_EVENTTEXT_FORMAT_H

#define KP_EVENT_LINE_MAX	65536	/* bytes of a line */
#define KP_EVENT_TIME_MAX	400000000000000000ll	/* 10 ns units */
#define KP_EVENT_CPU_MAX	255

#endif
