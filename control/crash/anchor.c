// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the anchors of sessions in a dump, and reads them (kutrace_anchor.h).
 *
 * Must not accept memory that only looks like an anchor. An anchor contains its own address, so a
 * copy is recognized. Checksums protect the addresses in an anchor.
 */
#include "crash/crash.h"

/*
 * maximum number of words of a list: the list of the largest session, if no two pages are adjacent
 */
#define LIST_MAX	(1ULL << 27)

/*
 * Returns a word of the magic number. The number is computed, because the memory of this program,
 * which may be in the dump, must not contain it.
 */
static uint64_t magic_word(uint64_t hidden)
{
	static volatile uint64_t key = KUTRACE_ANCHOR_KEY;

	return hidden ^ key;
}

static bool is_piece(const struct kutrace_anchor_piece *piece, uint64_t at, uint64_t kind)
{
	return piece->magic[0] == magic_word(KUTRACE_ANCHOR_HIDDEN0) &&
	       piece->magic[1] == magic_word(kind) && piece->self == at;
}

/* Returns whether the head of a list piece is undamaged, by its sum. */
static bool head_is_whole(void *head, size_t bytes)
{
	struct kutrace_anchor_piece *piece = head;
	uint64_t stored = piece->head_sum;
	bool whole;

	piece->head_sum = 0;
	whole = kutrace_anchor_sum(0, head, bytes / sizeof(uint64_t)) == stored;
	piece->head_sum = stored;
	return whole;
}

static bool make_room(struct kc_list *list, size_t words)
{
	uint64_t *more;
	size_t room = list->room ? list->room : KUTRACE_ANCHOR_BYTES / sizeof(uint64_t);

	while (room < list->count + words)
		room *= 2;
	if (room == list->room)
		return true;
	more = realloc(list->words, room * sizeof(uint64_t));
	if (!more)
		return false;
	list->words = more;
	list->room = room;
	return true;
}

static bool add_words(struct kc_memory *memory, struct kc_list *list,
		      const struct kutrace_anchor_piece *piece)
{
	size_t bytes = (size_t)piece->list_words * sizeof(uint64_t);
	uint64_t *words;

	if (piece->list_offset % sizeof(uint64_t) || piece->list_offset > KUTRACE_ANCHOR_BYTES ||
	    piece->list_words > (KUTRACE_ANCHOR_BYTES - piece->list_offset) / sizeof(uint64_t) ||
	    piece->list_words > list->limit - list->count)
		return false;
	if (!make_room(list, (size_t)piece->list_words)) {
		memory->file.error = ENOMEM;
		return false;
	}
	words = list->words + list->count;
	if (!kc_memory_read(memory, piece->self + piece->list_offset, words, bytes))
		return false;
	if (kutrace_anchor_sum(0, words, piece->list_words) != piece->list_sum)
		list->changed = true;
	list->count += (size_t)piece->list_words;
	return true;
}

/* Reads the pieces from address @at on. Limits the number of words: the chain may be a cycle. */
static void read_pieces(struct kc_memory *memory, struct kc_list *list, uint64_t at)
{
	struct kutrace_anchor_piece piece;

	for (; at; at = piece.next) {
		if (!kc_memory_read(memory, at, &piece, sizeof(piece)) ||
		    !is_piece(&piece, at, KUTRACE_ANCHOR_HIDDEN2) ||
		    piece.head_bytes != sizeof(piece) || !head_is_whole(&piece, sizeof(piece)) ||
		    !piece.list_words || !add_words(memory, list, &piece)) {
			list->cut = true;
			return;
		}
	}
}

const uint64_t *kc_anchor_section(const struct kc_anchor *anchor, unsigned int section,
				  size_t *count)
{
	const struct kc_list *list = &anchor->list;
	uint64_t before = 0, words = anchor->head.section_words[section];

	for (unsigned int i = 0; i < section; i++)
		before += anchor->head.section_words[i];
	if (before >= list->count)
		words = 0;
	else if (words > list->count - before)
		words = list->count - before;
	*count = (size_t)words;
	return words ? list->words + before : NULL;
}

static bool read_state(struct kc_memory *memory, const struct kc_anchor *anchor, unsigned int which,
		       struct kutrace_anchor_state *state)
{
	uint64_t at = anchor->at + anchor->head.state_offset + which * sizeof(*state);
	size_t words = offsetof(struct kutrace_anchor_state, sum) / sizeof(uint64_t);

	return kc_memory_read(memory, at, state, sizeof(*state)) && state->number &&
	       kutrace_anchor_sum(0, state, words) == state->sum;
}

static const char *read_states(struct kc_memory *memory, struct kc_anchor *anchor)
{
	struct kutrace_anchor_state *state = &anchor->state, other;
	bool first = read_state(memory, anchor, 0, state);
	bool second = read_state(memory, anchor, 1, &other);

	if (second && (!first || other.number > state->number))
		*state = other;
	if (!first && !second)
		return "both copies of its state are damaged";
	/* a session's first state has only one copy; later, a missing copy means damage */
	anchor->older_state = !(first && second) && state->number > 1;
	state->release[KUTRACE_ANCHOR_UTS - 1] = '\0';
	state->version[KUTRACE_ANCHOR_UTS - 1] = '\0';
	state->machine[KUTRACE_ANCHOR_UTS - 1] = '\0';
	state->nodename[KUTRACE_ANCHOR_UTS - 1] = '\0';
	state->info.name[sizeof(state->info.name) - 1] = '\0';
	state->info.start_comm[sizeof(state->info.start_comm) - 1] = '\0';
	return NULL;
}

static const char *check_head(const struct kutrace_anchor *head)
{
	uint64_t words = 0;

	if (head->version != KUTRACE_ANCHOR_VERSION || head->abi_version != KUTRACE_ABI_VERSION ||
	    head->piece.head_bytes != sizeof(*head) ||
	    head->state_bytes != sizeof(struct kutrace_anchor_state) ||
	    head->causes != KUTRACE_LOST_CAUSES)
		return "a module with another version wrote it";
	if (head->page_bytes < 4096 || head->page_bytes & (head->page_bytes - 1) ||
	    head->word_bytes != sizeof(uint64_t) || head->state_offset % sizeof(uint64_t) ||
	    head->state_offset < sizeof(*head) ||
	    head->state_offset + 2 * head->state_bytes > head->piece.list_offset)
		return "its data contradict each other";
	for (unsigned int i = 0; i < KUTRACE_ANCHOR_SECTIONS; i++) {
		if (head->section_words[i] > LIST_MAX - words)
			return "its data contradict each other";
		words += head->section_words[i];
	}
	return NULL;
}

static void set_limits(struct kc_anchor *anchor)
{
	uint64_t pages = anchor->state.bytes_bytes / anchor->head.page_bytes;

	for (unsigned int i = 0; i < KUTRACE_ANCHOR_SECTIONS; i++)
		anchor->list.limit += anchor->head.section_words[i];
	anchor->bytes.limit = pages < LIST_MAX ? pages : LIST_MAX;
}

enum kc_found kc_anchor_read(struct kc_memory *memory, uint64_t at, struct kc_anchor *anchor,
			     const char **why)
{
	struct kutrace_anchor_piece *piece = &anchor->head.piece;

	memset(anchor, 0, sizeof(*anchor));
	anchor->at = at;
	if (!kc_memory_read(memory, at, piece, sizeof(*piece)) ||
	    !is_piece(piece, at, KUTRACE_ANCHOR_HIDDEN1))
		return KC_NO_ANCHOR;
	*why = "it cannot be read";
	if (!kc_memory_read(memory, at, &anchor->head, sizeof(anchor->head)))
		return KC_DAMAGED;
	*why = "its checksum is wrong";
	if (piece->head_bytes % sizeof(uint64_t) || piece->head_bytes > sizeof(anchor->head) ||
	    !head_is_whole(&anchor->head, piece->head_bytes))
		return KC_DAMAGED;
	*why = check_head(&anchor->head);
	if (!*why)
		*why = read_states(memory, anchor);
	if (*why)
		return KC_DAMAGED;
	set_limits(anchor);
	if (!add_words(memory, &anchor->list, piece))
		anchor->list.cut = true;
	else
		read_pieces(memory, &anchor->list, piece->next);
	read_pieces(memory, &anchor->bytes, anchor->state.bytes_list);
	return KC_ANCHOR;
}

void kc_anchor_free(struct kc_anchor *anchor)
{
	free(anchor->list.words);
	free(anchor->bytes.words);
	anchor->list.words = NULL;
	anchor->bytes.words = NULL;
}

bool kc_anchor_next(struct kc_memory *memory, uint64_t *at,
		    void (*progress)(uint64_t done, uint64_t total))
{
	struct kutrace_anchor_piece piece;

	for (; kc_memory_next(memory, at, KUTRACE_ANCHOR_BYTES); *at += KUTRACE_ANCHOR_BYTES) {
		if (progress)
			progress(*at, memory->end);
		if (kc_memory_read(memory, *at, &piece, sizeof(piece)) &&
		    is_piece(&piece, *at, KUTRACE_ANCHOR_HIDDEN1))
			return true;
	}
	return false;
}
