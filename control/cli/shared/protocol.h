/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The protocol between `stream --through` and `receive`, over any connection in both directions:
 * ssh, socat, stunnel, a socket.
 *
 *	sender						receiver
 *	kutrace-stream 1 NAME KEPT\n			kept KEPT\n
 *	BYTES\n, and BYTES bytes of the trace		kept N\n	N bytes are on the disk
 *	...
 *	end TOTAL\n					whole TOTAL\n	the file has its name
 *
 * KEPT is the offset that the sender has seen acknowledged. A new connection continues there,
 * because the sender still has all later bytes. So every sender writes the same byte at the same
 * offset. If the receiver does not yet know that a connection is dead, two receivers may write
 * the same trace without harm.
 *
 * "gone N": the receiver has only N of the KEPT bytes. Any other line is an error text. TOTAL may
 * be less than the number of sent bytes: the receiver then drops the bytes after it.
 */
#ifndef KU_CLI_SHARED_PROTOCOL_H
#define KU_CLI_SHARED_PROTOCOL_H

#define CMD_PROTOCOL_HELLO		"kutrace-stream 1 "
#define CMD_PROTOCOL_LINE		400	/* maximum bytes of a line */
/* maximum length of a trace's name: letters, digits, . _ - */
#define CMD_PROTOCOL_NAME		160
#define CMD_PROTOCOL_FRAME	65536	/* maximum bytes of the trace after one line */

#endif
