/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `stream --through` and `receive` say to each other, over anything that carries bytes both
 * ways: ssh, socat, stunnel, a socket. Included by both.
 *
 *	sender						receiver
 *	kutrace-stream 1 NAME KEPT\n			kept KEPT\n
 *	BYTES\n, and so many bytes of the trace		kept N\n	the first N are on the disk
 *	...
 *	end TOTAL\n					whole TOTAL\n	so is the file's name
 *
 * KEPT is what the sender has been told to be kept: a trace whose connection broke goes on in
 * another one from there, as the sender has all bytes behind it still. So a byte of a trace
 * is the same whoever writes it, and two receivers of one trace, of which one does not know yet
 * that its connection is dead, cannot harm it. "gone N": the receiver has only N of those.
 * Whatever else it says is an error, in words. TOTAL may be less than what has been sent: what
 * is behind it is left out.
 */
#ifndef KU_CLI_SHARED_WIRE_H
#define KU_CLI_SHARED_WIRE_H

#define CMD_WIRE_HELLO		"kutrace-stream 1 "
#define CMD_WIRE_LINE		400	/* bytes of a line, at most */
#define CMD_WIRE_NAME		160	/* of a trace's name: letters, digits, . _ - */
#define CMD_WIRE_FRAME		65536	/* bytes of the trace at a time */

#endif
