/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets by HOST:PORT, see address.c.
 */
#ifndef KU_CLI_SHARED_ADDRESS_H
#define KU_CLI_SHARED_ADDRESS_H

#include <stdbool.h>

/*
 * A socket that is connected to HOST:PORT, or listens there; -1 after a message, and
 * *status is the exit status.
 */
int cmd_socket(const char *what, const char *where, bool listening, int *status);
/*
 * One that is connected within so many seconds, and whose writes wait no longer than that; or
 * -errno, without a message (-EINVAL: no address, -ENXIO: no such host).
 */
int cmd_connect(const char *where, unsigned int seconds);
/* HOST:PORT, as it is written. */
bool cmd_is_address(const char *where);

#endif
