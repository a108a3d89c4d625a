// SPDX-License-Identifier: GPL-2.0-only
/*
 * Auxiliary name buffer: adding an entry (struct kutrace_aux_entry), and what is in
 * it. An entry is reserved and filled under one short lock, so that nobody ever finds
 * one that is not whole and no writer stores into what is another's by then. Readers
 * in user space copy without the lock and ask afterwards what was overwritten. When
 * the buffer is full the oldest names go, and are counted.
 *
 * Compiles in user space, too (ku_env.h).
 */
#include "ku_aux.h"

static_assert(sizeof(struct kutrace_aux_entry) == KUTRACE_AUX_HEADER);
static_assert(sizeof(struct ku_aux_full) == KUTRACE_AUX_MAX);

static void *ku_aux_at(struct ku_aux *aux, u64 offset)
{
	return aux->buffer + (offset & (KUTRACE_AUX_BYTES - 1));
}

/* How many of so many bytes lie before the end of the buffer. */
static size_t ku_aux_part(u64 offset, size_t bytes)
{
	size_t before_end = KUTRACE_AUX_BYTES - (offset & (KUTRACE_AUX_BYTES - 1));

	return bytes < before_end ? bytes : before_end;
}

/* Copies in, over the end of the buffer to its start if need be. */
static void ku_aux_copy_in(struct ku_aux *aux, u64 offset, const void *from, size_t bytes)
{
	size_t part = ku_aux_part(offset, bytes);

	memcpy(ku_aux_at(aux, offset), from, part);
	memcpy(aux->buffer, (const char *)from + part, bytes - part);
}

void ku_aux_copy_out(struct ku_aux *aux, void *to, u64 offset, size_t bytes)
{
	size_t part = ku_aux_part(offset, bytes);

	memcpy(to, ku_aux_at(aux, offset), part);
	memcpy((char *)to + part, aux->buffer, bytes - part);
}

u32 ku_aux_length(const struct kutrace_aux_entry *entry)
{
	u32 bytes = entry->head >> 1;

	if (entry->head & KUTRACE_AUX_INVALID || bytes % 8 ||
	    bytes < KUTRACE_AUX_HEADER || bytes > KUTRACE_AUX_MAX)
		return 0;
	return bytes;
}

/*
 * Pushes the oldest names out until there is room. With the lock. A length that no
 * entry has is not followed: where the next one begins is unknown then, so all go.
 */
static void ku_aux_make_room(struct ku_aux *aux, u32 bytes)
{
	struct kutrace_aux_entry oldest;
	u32 length;

	while (aux->first + KUTRACE_AUX_BYTES < aux->last + bytes) {
		ku_aux_copy_out(aux, &oldest, aux->first, sizeof(oldest));
		length = ku_aux_length(&oldest);
		aux->lost++;
		if (!length || length > aux->last - aux->first)
			aux->first = aux->last;
		else
			aux->first += length;
	}
}

/**
 * ku_aux_add() - keep a name
 * @aux: where
 * @base: KUTRACE_NAME_* code
 * @number: what is named
 * @name: its name; need not be terminated
 * @len: length of the name in bytes; more than 56 are cut off
 * @counts: since when it has that name
 *
 * Context: any but NMI; takes a raw spinlock with interrupts off.
 */
void ku_aux_add(struct ku_aux *aux, u16 base, u32 number, const char *name, size_t len,
		u64 counts)
{
	struct ku_aux_full full = { };
	unsigned long flags;
	u32 bytes;

	if (len > KUTRACE_NAME_MAX_BYTES)
		len = KUTRACE_NAME_MAX_BYTES;
	bytes = KUTRACE_AUX_HEADER + (((u32)len + 7) & ~7U);
	full.entry = (struct kutrace_aux_entry) {
		.head = bytes << 1,
		.base = base,
		.cpu = (u16)ku_this_cpu_number(),
		.counts = counts,
		.number = number,
		.pid = ku_task_pid(),
	};
	memcpy(full.name, name, len);

	ku_spin_lock(&aux->lock, flags);
	ku_aux_make_room(aux, bytes);
	ku_step('w');
	ku_aux_copy_in(aux, aux->last, &full, bytes);
	ku_step('x');
	aux->last += bytes;
	ku_spin_unlock(&aux->lock, flags);
}

/* Where the oldest and the next entry are, and how many were pushed out. */
void ku_aux_bounds(struct ku_aux *aux, u64 *first, u64 *last, u64 *lost)
{
	unsigned long flags;

	ku_spin_lock(&aux->lock, flags);
	*first = aux->first;
	*last = aux->last;
	*lost = aux->lost;
	ku_spin_unlock(&aux->lock, flags);
}
