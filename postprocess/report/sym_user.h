/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the names of addresses of programs, with elfutils.
 */
#ifndef KP_REPORT_SYM_USER_H
#define KP_REPORT_SYM_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kp_sym_user;

struct kp_sym_user *kp_sym_user_open(FILE *maps, const char *root, const char *debug,
				     char *message, size_t size);
/*
 * Writes "outer>inlined>inlined" to @text, and cuts off what does not fit. Returns false if the
 * address has no name.
 */
bool kp_sym_user_name(struct kp_sym_user *user, uint64_t address, char *text, size_t size);
void kp_sym_user_close(struct kp_sym_user *user);

#endif
