// SPDX-License-Identifier: GPL-2.0-only
/*
 * The name table: adds entries (struct kutrace_aux_entry), evicts old ones, and returns the bounds
 * of its content.
 *
 * An entry is reserved and filled under one short lock. So readers never find a partial entry, and
 * no writer stores into space that another entry has taken. Readers in user space copy the buffer
 * without the lock; afterwards they check which entries were overwritten or moved.
 *
 * A name that its object already has takes no new space. When space is low, the oldest entries are
 * evicted:
 *
 *	no readable event has the name		the entry is dropped
 *	the entry is an identity		the entry is dropped
 *	a readable event may have the name	the entry moves to the new end, and keeps its time
 *	the same, but the name was replaced,	the entry is dropped and counted as lost
 *	and space is very low
 *	the same, and no space is left		the entry is dropped and counted as lost
 *
 * Also compiles in user space (core/env.h).
 */
#include "names/table.h"
#include "uapi/kutrace_priority.h"

static_assert(sizeof(struct kutrace_aux_entry) == KUTRACE_AUX_HEADER);
static_assert(sizeof(struct ku_aux_full) == KUTRACE_AUX_MAX);

/* The set of readable events is refreshed each time 1/8 of the buffer has been added. */
#define KU_AUX_REFRESH	8
/* With less than 1/8 free, each new name evicts up to 16 of the oldest entries. */
#define KU_AUX_LOW	8
#define KU_AUX_EVICTIONS	16
/* With less than 1/16 free, replaced names are dropped, and no identity is added. */
#define KU_AUX_VERY_LOW	16
/* Bytes of a task's name: TASK_COMM_LEN without the NUL. */
#define KU_AUX_COMM	15
/* Entries that ku_aux_lives() checks while it holds the lock. */
#define KU_AUX_BATCH	32

/* Identifies a named object: base and number, and for META also the text. */
struct ku_aux_key {
	u16 base;
	u32 number;
	const char *text;
	size_t len;
};

static u32 ku_aux_where(const struct ku_aux *aux, u64 offset)
{
	return (u32)offset & (aux->bytes - 1);
}

/* Returns how many of the @bytes bytes at @offset lie before the end of the buffer. */
static size_t ku_aux_part(const struct ku_aux *aux, u64 offset, size_t bytes)
{
	size_t before_end = aux->bytes - ku_aux_where(aux, offset);

	return bytes < before_end ? bytes : before_end;
}

/* Copies bytes into the buffer, and wraps at its end. */
static void ku_aux_copy_in(struct ku_aux *aux, u64 offset, const void *from, size_t bytes)
{
	size_t part = ku_aux_part(aux, offset, bytes);

	memcpy(aux->buffer + ku_aux_where(aux, offset), from, part);
	memcpy(aux->buffer, (const char *)from + part, bytes - part);
}

void ku_aux_copy_out(struct ku_aux *aux, void *to, u64 offset, size_t bytes)
{
	size_t part = ku_aux_part(aux, offset, bytes);

	memcpy(to, aux->buffer + ku_aux_where(aux, offset), part);
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

/* Copies the entry at @offset to *@full. Returns its length, or 0 if it is invalid. Lock held. */
static u32 ku_aux_get(struct ku_aux *aux, u64 offset, struct ku_aux_full *full)
{
	u32 bytes;

	ku_aux_copy_out(aux, &full->entry, offset, KUTRACE_AUX_HEADER);
	bytes = ku_aux_length(&full->entry);
	if (bytes)
		ku_aux_copy_out(aux, full->name, offset + KUTRACE_AUX_HEADER,
				bytes - KUTRACE_AUX_HEADER);
	return bytes;
}

/* ---- the newest name of each object ---- */

static struct ku_aux_note *ku_aux_note(struct ku_aux *aux, u64 offset)
{
	return &aux->notes[ku_aux_where(aux, offset) / KU_AUX_MIN];
}

static u32 ku_aux_index(const struct ku_aux *aux, const struct ku_aux_note *note)
{
	return (u32)(note - aux->notes) + 1;
}

/*
 * Returns the head of the object's chain. Users choose numbers and texts. The factor is secret, so
 * that no user can choose many of one chain, which would be searched with interrupts off.
 */
static u32 *ku_aux_chain(struct ku_aux *aux, const struct ku_aux_key *key)
{
	u64 hash = ((u64)key->base << 32 | key->number) * aux->key;
	size_t i;

	if (key->base == KUTRACE_NAME_META)
		for (i = 0; i < key->len; i++)
			hash = (hash ^ (u8)key->text[i]) * aux->key;
	/* The high bits depend on all bits of number and text. */
	return &aux->heads[(hash >> 32) * (aux->bytes / 64) >> 32];
}

/* Returns whether the entry's text is @text. Texts are padded with NUL to the entry's length. */
static bool ku_aux_is_text(const struct ku_aux_full *full, u32 bytes, const char *text,
			   size_t len)
{
	size_t room = bytes - KUTRACE_AUX_HEADER;

	return len <= room && !memcmp(full->name, text, len) &&
	       (len == room || !full->name[len]);
}

/*
 * Returns the note of the object's newest name, and copies the entry to *@full; NULL if the object
 * has no name. Entries in a hash chain are complete. Lock held.
 */
static struct ku_aux_note *ku_aux_find(struct ku_aux *aux, const struct ku_aux_key *key,
				       struct ku_aux_full *full)
{
	u32 index = *ku_aux_chain(aux, key);

	while (index) {
		struct ku_aux_note *note = &aux->notes[index - 1];
		u32 bytes = ku_aux_get(aux, note->at, full);

		if (full->entry.base == key->base && full->entry.number == key->number &&
		    (key->base != KUTRACE_NAME_META ||
		     ku_aux_is_text(full, bytes, key->text, key->len)))
			return note;
		index = note->next;
	}
	return NULL;
}

static void ku_aux_link(struct ku_aux *aux, const struct ku_aux_key *key,
			struct ku_aux_note *note)
{
	u32 *head = ku_aux_chain(aux, key);

	note->next = *head;
	*head = ku_aux_index(aux, note);
}

static void ku_aux_unlink(struct ku_aux *aux, const struct ku_aux_key *key,
			  struct ku_aux_note *note)
{
	u32 *link = ku_aux_chain(aux, key);

	while (*link && *link != ku_aux_index(aux, note))
		link = &aux->notes[*link - 1].next;
	if (*link)
		*link = note->next;
	note->next = KU_AUX_OLD;
}

static struct ku_aux_key ku_aux_key_of(const struct ku_aux_full *full, u32 bytes)
{
	u32 len = ku_aux_unpadded(full->name, bytes - KUTRACE_AUX_HEADER);

	return (struct ku_aux_key){ .base = full->entry.base, .number = full->entry.number,
				    .text = full->name, .len = len };
}

/* ---- space ---- */

static void ku_aux_append(struct ku_aux *aux, const struct ku_aux_full *full, u32 bytes,
			  u64 until, const struct ku_aux_key *key)
{
	struct ku_aux_note *note = ku_aux_note(aux, aux->last);

	ku_aux_copy_in(aux, aux->last, full, bytes);
	*note = (struct ku_aux_note){ .until = until, .next = KU_AUX_OLD,
				      .at = ku_aux_where(aux, aux->last) };
	if (key)
		ku_aux_link(aux, key, note);
	aux->last += bytes;
	aux->entries++;
}

enum ku_aux_use {
	KU_AUX_NO_USE,		/* no readable event has this name */
	/* Identities must not push out names, because users choose how many are recorded. */
	KU_AUX_IDENTITY,
	KU_AUX_REPLACED,	/* a readable event may have it, but the object has a newer name */
	KU_AUX_NEEDED,
};

/* Returns true if no readable event was recorded while the name was in force. */
static bool ku_aux_is_past(const struct ku_readable *readable,
			   const struct kutrace_aux_entry *entry, u64 until)
{
	if (until >= readable->begin)
		return false;
	/* Pins are by pid, so for other objects all events of quiet CPUs count. */
	if (!ku_aux_is_of_task(entry->base))
		return until < readable->oldest;
	return !ku_pinned(&readable->pins, entry->number, entry->counts, until);
}

static enum ku_aux_use ku_aux_use_of(const struct ku_aux *aux,
				     const struct kutrace_aux_entry *entry,
				     const struct ku_aux_note *note)
{
	const struct ku_readable *readable = aux->readable;

	if (!note->until || entry->counts > readable->end ||
	    ku_aux_is_past(readable, entry, note->until))
		return KU_AUX_NO_USE;
	if (entry->base == KUTRACE_NAME_TASK)
		return KU_AUX_IDENTITY;
	return note->next == KU_AUX_OLD ? KU_AUX_REPLACED : KU_AUX_NEEDED;
}

/* Drops all entries. Offsets continue from aux->last. Lock held. */
static void ku_aux_clear(struct ku_aux *aux)
{
	memset(aux->heads, 0, aux->bytes / 64 * sizeof(*aux->heads));
	aux->first = aux->last;
	aux->entries = 0;
}

/*
 * Evicts the oldest entry. If its use is above @spare, appends it again at the new end. Otherwise
 * drops it, and counts a loss, except of a name that no event has, or of an identity. If its length
 * is invalid, the next entry cannot be found: drops all entries and counts them as lost. Lock held.
 */
static void ku_aux_evict(struct ku_aux *aux, enum ku_aux_use spare)
{
	struct ku_aux_note *note = ku_aux_note(aux, aux->first);
	bool newest = note->next != KU_AUX_OLD;
	u64 until = note->until;
	struct ku_aux_full full;
	struct ku_aux_key key;
	enum ku_aux_use use;
	u32 bytes;

	bytes = ku_aux_get(aux, aux->first, &full);
	if (!bytes || bytes > aux->last - aux->first) {
		aux->lost += aux->entries;
		ku_aux_clear(aux);
		return;
	}
	key = ku_aux_key_of(&full, bytes);
	use = ku_aux_use_of(aux, &full.entry, note);
	if (newest)
		ku_aux_unlink(aux, &key, note);
	aux->first += bytes;
	aux->entries--;
	if (use > spare)
		ku_aux_append(aux, &full, bytes, until, newest ? &key : NULL);
	else if (use > KU_AUX_IDENTITY)
		aux->lost++;
}

static u32 ku_aux_free(const struct ku_aux *aux)
{
	return aux->bytes - (u32)(aux->last - aux->first);
}

/*
 * Frees at least @room bytes. Begins early: with less than 1/8 free, each call evicts a few
 * entries, and with less than 1/16 it drops replaced names. So a long run of needed names has been
 * moved before space runs out, and no single call has to move all of them. Returns false if the
 * free space is only for names, but not for an @identity. Lock held.
 */
static bool ku_aux_make_room(struct ku_aux *aux, u32 room, bool identity)
{
	u32 evicted;

	for (evicted = 0; evicted < KU_AUX_EVICTIONS && aux->first < aux->last &&
	     ku_aux_free(aux) < aux->bytes / KU_AUX_LOW; evicted++)
		ku_aux_evict(aux, ku_aux_free(aux) < aux->bytes / KU_AUX_VERY_LOW ?
				 KU_AUX_REPLACED : KU_AUX_IDENTITY);
	if (identity && ku_aux_free(aux) < aux->bytes / KU_AUX_VERY_LOW)
		return false;
	while (ku_aux_free(aux) < room)
		ku_aux_evict(aux, KU_AUX_NEEDED);
	return true;
}

/* ---- adding ---- */

/*
 * Ends the object's newest name @before at @counts, and returns KU_IN_FORCE. If @before is later
 * than @counts, changes nothing and returns its time: the new name ends there. Lock held.
 */
static u64 ku_aux_supersede(struct ku_aux *aux, const struct ku_aux_key *key,
			    struct ku_aux_note *note, const struct ku_aux_full *before, u64 counts)
{
	if (counts < before->entry.counts)
		return before->entry.counts;
	if (note->until > counts)
		note->until = counts;
	ku_aux_unlink(aux, key, note);
	return KU_IN_FORCE;
}

/*
 * Appends @full. @newest: its object has no newer name. Returns false if there is no space for this
 * identity. Lock held.
 */
static bool ku_aux_insert(struct ku_aux *aux, const struct ku_aux_key *key,
			  const struct ku_aux_full *full, u64 until, bool newest)
{
	u32 bytes = full->entry.head >> 1;

	/* Also of a refused identity: only a refresh finds names that are of no use. */
	aux->since += bytes;
	if (!ku_aux_make_room(aux, bytes, key->base == KUTRACE_NAME_TASK))
		return false;
	ku_step('w');
	ku_aux_append(aux, full, bytes, until, newest ? key : NULL);
	ku_step('x');
	return true;
}

/* Which names are added. */
enum ku_aux_if {
	KU_AUX_IF_DIFFERENT,	/* except if the object already has this name */
	KU_AUX_IF_REPLACES,	/* only if the object has another name */
	KU_AUX_ALWAYS,
};

/*
 * Adds @full if @when allows it. Returns true if the set of readable events must be refreshed. Lock
 * held.
 */
static bool ku_aux_put_locked(struct ku_aux *aux, const struct ku_aux_key *key,
			      const struct ku_aux_full *full, enum ku_aux_if when)
{
	u64 counts = full->entry.counts, later = KU_IN_FORCE;
	/* A fact (META) that is added during a recording is valid only at its time. */
	u64 until = key->base == KUTRACE_NAME_META && aux->begun ? counts : KU_IN_FORCE;
	struct ku_aux_full before;
	struct ku_aux_note *note = ku_aux_find(aux, key, &before);
	bool ask;

	if (!note && when == KU_AUX_IF_REPLACES)
		return false;
	if (note && when != KU_AUX_ALWAYS &&
	    ku_aux_is_text(&before, before.entry.head >> 1, key->text, key->len)) {
		/* A repetition with an older time must not shorten the validity of the text. */
		if (note->until < until)
			note->until = until;
		return false;
	}
	if (note)
		later = ku_aux_supersede(aux, key, note, &before, counts);
	/* Without the new identity, readers would take the older one for the task's. */
	if (!ku_aux_insert(aux, key, full, later < until ? later : until, later == KU_IN_FORCE) &&
	    note)
		aux->lost++;
	ask = aux->since >= aux->bytes / KU_AUX_REFRESH && !aux->asked;
	aux->asked |= ask;
	return ask;
}

/*
 * Adds @len bytes of @text, which may contain a NUL. With KU_AUX_ALWAYS, from now on the number
 * belongs to another object, so that the same text is another name. Context: see ku_aux_add().
 */
static void ku_aux_put(struct ku_aux *aux, u16 base, u32 number, const char *text, size_t len,
		       enum ku_aux_if when, u64 counts)
{
	struct ku_aux_key key = { .base = base, .number = number, .text = text, .len = len };
	struct ku_aux_full full = { };
	unsigned long flags;
	u32 bytes;
	bool ask;

	bytes = KUTRACE_AUX_HEADER + (((u32)key.len + 7) & ~7U);
	if (bytes < KU_AUX_MIN)
		bytes = KU_AUX_MIN;
	full.entry = (struct kutrace_aux_entry) {
		.head = bytes << 1,
		.base = base,
		.cpu = (u16)ku_this_cpu_number(),
		.number = number,
		.pid = ku_task_pid(),
	};
	memcpy(full.name, text, key.len);

	ku_spin_lock(&aux->lock, flags);
	/* Read the clock under the lock, so that names without a given time are in time order. */
	full.entry.counts = counts ?: ku_clock_by(aux->shift);
	ask = ku_aux_put_locked(aux, &key, &full, when);
	ku_spin_unlock(&aux->lock, flags);
	if (ask && aux->ask)
		aux->ask(aux);
}

/**
 * ku_aux_add() - add a name to a name table
 * @aux: name table
 * @base: type of the object, KUTRACE_NAME_*
 * @number: number of the object
 * @name: name of the object; need not end with a NUL
 * @len: length of @name in bytes; longer names are cut to 56 bytes
 * @counts: time from which the object has this name; 0: now
 *
 * Context: any but NMI; takes a raw spinlock with interrupts off.
 */
void ku_aux_add(struct ku_aux *aux, u16 base, u32 number, const char *name, size_t len,
		u64 counts)
{
	if (len > KUTRACE_NAME_MAX_BYTES)
		len = KUTRACE_NAME_MAX_BYTES;
	ku_aux_put(aux, base, number, name, strnlen(name, len), KU_AUX_IF_DIFFERENT, counts);
}

void ku_aux_add_task(struct ku_aux *aux, u32 pid, const char *comm, enum kutrace_task_kind kind,
		     bool new, u64 counts)
{
	char text[KU_AUX_COMM + 2];
	size_t len = strnlen(comm, KU_AUX_COMM);

	memcpy(text, comm, len);
	text[len++] = 0;
	text[len++] = (char)kind;
	ku_aux_put(aux, KUTRACE_NAME_PID, pid, text, len,
		   new ? KU_AUX_ALWAYS : KU_AUX_IF_DIFFERENT, counts);
}

void ku_aux_add_priority(struct ku_aux *aux, u32 pid, const char *text, size_t len, u64 counts)
{
	bool usual = len == sizeof(KUTRACE_PRIORITY_USUAL) - 1 &&
		     !memcmp(text, KUTRACE_PRIORITY_USUAL, len);

	ku_aux_put(aux, KUTRACE_NAME_PRIORITY, pid, text, len,
		   usual && pid ? KU_AUX_IF_REPLACES : KU_AUX_IF_DIFFERENT, counts);
}

/* Writes @separator, or a blank and the letter @separator, and @number in hex. Returns the end. */
static char *ku_aux_field(char *to, char separator, u64 number)
{
	u32 shift = 60;

	if (separator != '.')
		*to++ = ' ';
	*to++ = separator;
	while (shift && !(number >> shift))
		shift -= 4;
	for (; shift < 64; shift -= 4)	/* ends below 0 */
		*to++ = "0123456789abcdef"[number >> shift & 15];
	return to;
}

void ku_aux_add_identity(struct ku_aux *aux, u32 pid, const struct ku_identity *identity,
			 u64 counts)
{
	/* A text of 22-bit pids fits into a name. The buffer also has room for 32-bit pids. */
	char text[KUTRACE_NAME_MAX_BYTES + 16], *end = text;
	size_t len;

	*end++ = identity->reason;
	end = ku_aux_field(end, 'p', identity->parent);
	if (identity->process != pid)
		end = ku_aux_field(end, 'g', identity->process);
	if (identity->level) {
		end = ku_aux_field(end, 'n', identity->own);
		end = ku_aux_field(end, '.', identity->level);
	}
	if (identity->cgroup)
		end = ku_aux_field(end, 'c', identity->cgroup);
	end = ku_aux_field(end, 's', identity->start);
	if (identity->before)
		end = ku_aux_field(end, 'o', identity->before);
	len = (size_t)(end - text);
	if (len > KUTRACE_NAME_MAX_BYTES)
		len = KUTRACE_NAME_MAX_BYTES;
	ku_aux_put(aux, KUTRACE_NAME_TASK, pid, text, len,
		   identity->reason == KUTRACE_TASK_PRESENT ? KU_AUX_IF_DIFFERENT : KU_AUX_ALWAYS,
		   counts);
}

void ku_aux_forget(struct ku_aux *aux, u16 base, u32 number)
{
	struct ku_aux_key key = { .base = base, .number = number };
	struct ku_aux_full full;
	struct ku_aux_note *note;
	unsigned long flags;

	ku_spin_lock(&aux->lock, flags);
	note = ku_aux_find(aux, &key, &full);
	if (note) {
		ku_aux_unlink(aux, &key, note);
		note->until = 0;
	}
	ku_spin_unlock(&aux->lock, flags);
}

/* Returns the offsets of the oldest and of the next entry, and the number of lost entries. */
void ku_aux_bounds(struct ku_aux *aux, u64 *first, u64 *last, u64 *lost)
{
	unsigned long flags;

	ku_spin_lock(&aux->lock, flags);
	*first = aux->first;
	*last = aux->last;
	*lost = aux->lost;
	ku_spin_unlock(&aux->lock, flags);
}

/* Drops all entries, for a new recording with clock shift @shift. Context: any but NMI. */
void ku_aux_empty(struct ku_aux *aux, u32 shift)
{
	unsigned long flags;

	ku_spin_lock(&aux->lock, flags);
	aux->last = 0;
	ku_aux_clear(aux);
	aux->lost = 0;
	aux->shift = shift;
	memset(aux->readable, 0, sizeof(*aux->readable));
	aux->readable->end = KU_IN_FORCE;
	aux->resets++;
	aux->begun = false;
	aux->since = 0;
	ku_spin_unlock(&aux->lock, flags);
}

/* ---- names that readable events may have ---- */

/*
 * Ends the names of tasks that have exited, a few entries per call. *@at: offset of the next entry
 * to check; 0 before the first call. @lives returns whether a task has this pid, with the lock
 * held. Returns true until all entries are checked. Context: any in which @lives may be called.
 */
bool ku_aux_lives(struct ku_aux *aux, u64 *at, bool (*lives)(u32 pid))
{
	struct kutrace_aux_entry entry;
	unsigned long flags;
	bool more;
	u32 i;

	ku_spin_lock(&aux->lock, flags);
	if (*at < aux->first)
		*at = aux->first;
	for (i = 0; i < KU_AUX_BATCH && *at < aux->last; i++) {
		struct ku_aux_note *note = ku_aux_note(aux, *at);
		u32 bytes;

		ku_aux_copy_out(aux, &entry, *at, sizeof(entry));
		bytes = ku_aux_length(&entry);
		if (!bytes) {
			*at = aux->last;
			break;
		}
		*at += bytes;
		if (!ku_aux_is_of_task(entry.base) || note->next == KU_AUX_OLD)
			continue;
		/* The idle tasks and "-other-" never exit. */
		if (!entry.number || entry.number == KUTRACE_PID_OTHER || lives(entry.number))
			note->until = KU_IN_FORCE;
		else if (note->until == KU_IN_FORCE)
			note->until = ku_clock_by(aux->shift);
	}
	more = *at < aux->last;
	ku_spin_unlock(&aux->lock, flags);
	return more;
}

/*
 * Replaces the set of readable events, after ku_aux_lives() is complete. @resets: aux->resets
 * before the refresh began; if it has changed, @readable is outdated. Returns the set that @aux
 * does not use: the previous set, or @readable if that is outdated.
 */
struct ku_readable *ku_aux_readable(struct ku_aux *aux, u32 resets,
				    struct ku_readable *readable)
{
	struct ku_readable *before = readable;
	unsigned long flags;

	ku_spin_lock(&aux->lock, flags);
	aux->asked = false;
	if (aux->resets == resets) {
		before = aux->readable;
		/* Keep the earliest end that was found. */
		if (before->end < readable->end)
			readable->end = before->end;
		aux->readable = readable;
		aux->since = 0;
	}
	ku_spin_unlock(&aux->lock, flags);
	return before;
}
