// SPDX-License-Identifier: GPL-2.0-only
/*
 * Definitions of typed tracepoints, of programs and of kernel modules. A definition has an id, and
 * a flag that is set while the tracepoint is on and some session records this kind. A byte in each
 * tracepoint's object follows the flag. This file writes the bytes of kernel modules, bytes.c those
 * of programs. Must not trust the creator of a definition: texts are checked, and the number of
 * definitions is limited.
 *
 * If only users who may only mark use a definition, it counts against the limit of the user of its
 * oldest use. An unused definition still counts against its last user. When a new definition needs
 * room, an unused one is freed if every session has been reset since it was last recorded. Ids are
 * assigned in a cycle, so an id is reused as late as possible.
 *
 * Locking: ku_session_lock > ku_point_lock > ku_point_bytes_lock, the lock of the session table and
 * spinlocks. No memory is allocated with ku_point_lock held. Recording takes no lock: definitions
 * are protected by RCU.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "names/table.h"
#include "point/point.h"
#include "record/all.h"
#include "record/record.h"
#include "session/sessions.h"
#include "session/state.h"
#include "uapi/kutrace_point.h"
#include "users/user.h"

#define KU_POINT_DEFS		4096	/* limit of all definitions */
#define KU_POINT_MARKER_DEFS	1024	/* limit of all users who may only mark, together */
#define KU_POINT_USER_DEFS	256	/* limit of each of these users */
#define KU_POINT_USER_USES	4096	/* limit of each of them: definitions that files use */
#define KU_POINT_DEAD		(INT_MIN / 2)
#define KU_POINT_HASH_BITS	9

static DEFINE_MUTEX(ku_point_lock);
static DEFINE_HASHTABLE(ku_point_table, KU_POINT_HASH_BITS);
/* Its nodes are charged to the cgroup of the caller that defines a tracepoint. */
static DEFINE_XARRAY_FLAGS(ku_point_ids, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
static LIST_HEAD(ku_point_all);		/* in order of creation */
static u32 ku_point_next_id, ku_point_count, ku_point_marker_count;
static bool ku_point_wanted;		/* some session records typed tracepoints */

/*
 * Updates the flag, and the bytes of kernel modules. ku_point_bytes_changed() writes the bytes of
 * programs.
 */
static void ku_point_flag(struct ku_point *point)
{
	struct kutrace_point *object;

	WRITE_ONCE(point->flag, point->on && ku_point_wanted);
	for (object = point->objects; object; object = object->next)
		WRITE_ONCE(object->on, point->flag);
}

/* ---- definitions ---- */

static struct ku_point *ku_point_find(const char *text, size_t len, u32 hash)
{
	struct ku_point *point;

	hash_for_each_possible(ku_point_table, point, node, hash)
		if (point->hash == hash && point->len == len && !memcmp(point->text, text, len))
			return point;
	return NULL;
}

/*
 * Returns whether the newest definition with this name is on, or true if no definition has the
 * name. So a tracepoint that was switched off stays off when its fields change.
 */
static bool ku_point_was_on(const char *name, size_t len)
{
	struct ku_point *point;

	list_for_each_entry_reverse(point, &ku_point_all, all)
		if (point->name_len == len && !memcmp(point->text, name, len))
			return point->on;
	return true;
}

/* ---- users of definitions; ku_point_lock is held ---- */

/* The use of a definition by a file. A file that defines it several times has one such record. */
struct ku_point_use {
	struct rb_node of_file;
	struct list_head of_point;	/* in order of creation */
	struct ku_point *point;
	struct ku_point_file *file;
};

static void ku_point_charge(struct ku_point *point, struct ku_user *user)
{
	if (user == point->user)
		return;
	if (user)
		user->defs++;
	if (point->user)
		point->user->defs--;
	ku_user_get(user);
	ku_user_put(point->user);
	point->user = user;
}

static void ku_point_of_control(struct ku_point *point)
{
	ku_point_charge(point, NULL);
	ku_point_marker_count -= point->marker;
	point->marker = false;
}

/*
 * Decides which user's limit the definition counts against: the user of its oldest use, if only
 * files that may mark use it. If a file that may also control uses it, it counts against no user's
 * limit. An unused definition still counts against its last user.
 */
static void ku_point_assign_account(struct ku_point *point)
{
	const struct ku_point_use *use;

	use = list_first_entry_or_null(&point->uses, struct ku_point_use, of_point);
	if (point->control_uses)
		ku_point_of_control(point);
	else if (use)
		ku_point_charge(point, use->file->user);
}

/* Returns the counter that counts a use by @file. */
static u32 *ku_point_use_count(struct ku_point *point, const struct ku_point_file *file)
{
	return file->user ? &file->user->uses : &point->control_uses;
}

static void ku_point_unuse(struct ku_point_use *use)
{
	--*ku_point_use_count(use->point, use->file);
	rb_erase(&use->of_file, &use->file->uses);
	list_del(&use->of_point);
	ku_point_assign_account(use->point);
	kfree(use);
}

/* Calls @name for each part of the text, of at most 56 bytes. */
static void ku_point_pieces(const struct ku_point *point,
			    void (*name)(void *arg, u32 number, const char *text, size_t len),
			    void *arg)
{
	u32 at, piece = 0;

	for (at = 0; at < point->len; at += KUTRACE_NAME_MAX_BYTES, piece++)
		name(arg, KUTRACE_POINT_NUMBER(point->id, piece), point->text + at,
		     min_t(size_t, point->len - at, KUTRACE_NAME_MAX_BYTES));
}

static void ku_point_forget(void *unused, u32 number, const char *text, size_t len)
{
	ku_sessions_forget(KUTRACE_NAME_EVENTDEF, number);
}

/*
 * Frees the definition if nothing uses it, and each session has been reset since it was last
 * recorded. @since: the value of ku_sessions_first_reset(). No event needs the names then, so drops
 * them from the name tables.
 */
static bool ku_point_free(struct ku_point *point, u64 since)
{
	if (!list_empty(&point->uses) || point->objects ||
	    READ_ONCE(point->recorded) > since ||
	    atomic_cmpxchg(&point->bytes, 0, KU_POINT_DEAD))
		return false;
	ku_point_pieces(point, ku_point_forget, NULL);
	ku_point_of_control(point);
	ku_point_count--;
	hash_del(&point->node);
	list_del(&point->all);
	xa_erase(&ku_point_ids, point->id);
	kfree_rcu(point, rcu);
	return true;
}

static void ku_point_free_unused(u64 since)
{
	struct ku_point *point, *next;

	list_for_each_entry_safe(point, next, &ku_point_all, all)
		ku_point_free(point, since);
}

static bool ku_point_user_room(const struct ku_user *user)
{
	return !user || user->uses < KU_POINT_USER_USES;
}

static bool ku_point_room(const struct ku_user *user)
{
	if (!user)
		return ku_point_count < KU_POINT_DEFS;
	return ku_point_user_room(user) &&
	       ku_point_count < KU_POINT_DEFS && user->defs < KU_POINT_USER_DEFS &&
	       ku_point_marker_count < KU_POINT_MARKER_DEFS;
}

/* What a definition and its use need, allocated before the lock is taken. */
struct ku_point_new {
	struct ku_point_use *use;
	struct ku_point *point;	/* NULL: not needed so far */
	u32 id;			/* 0: no id is reserved */
	bool added;		/* the definition was added, so sessions need its names */
};

static void ku_point_new_free(struct ku_point_new *new)
{
	if (new->id)
		xa_release(&ku_point_ids, new->id);
	kfree(new->point);
	kfree(new->use);
}

/* Allocates a definition and reserves its id. Readers do not find the id yet. */
static int ku_point_new_alloc(struct ku_point_new *new, const char *text, size_t len,
			      size_t name)
{
	struct ku_point *point = kzalloc(struct_size(point, text, len + 1), GFP_KERNEL_ACCOUNT);
	int err;

	if (!point)
		return -ENOMEM;
	new->point = point;
	memcpy(point->text, text, len);
	point->len = (u16)len;
	point->name_len = (u8)name;
	INIT_LIST_HEAD(&point->uses);
	err = xa_alloc_cyclic(&ku_point_ids, &new->id, NULL,
			      XA_LIMIT(1, KUTRACE_POINT_IDS - 1), &ku_point_next_id,
			      GFP_KERNEL_ACCOUNT);
	if (err >= 0)
		return 0;
	new->id = 0;
	return err == -EBUSY ? -ENOSPC : err;
}

static struct ku_point *ku_point_add(struct ku_point_new *new, u32 hash, struct ku_user *user)
{
	struct ku_point *point = new->point;

	point->hash = hash;
	point->id = new->id;
	point->on = ku_point_was_on(point->text, point->name_len);
	ku_point_flag(point);
	hash_add(ku_point_table, &point->node, hash);
	list_add_tail(&point->all, &ku_point_all);
	point->marker = user;
	ku_point_marker_count += point->marker;
	ku_point_count++;
	/* The entry is reserved, so xa_store() allocates no memory. */
	xa_store(&ku_point_ids, point->id, point, 0);
	new->point = NULL;
	new->id = 0;
	new->added = true;
	return point;
}

static int ku_point_use_cmp(struct rb_node *node, const struct rb_node *other)
{
	const struct ku_point *a = rb_entry(node, struct ku_point_use, of_file)->point;
	const struct ku_point *b = rb_entry(other, struct ku_point_use, of_file)->point;

	return a < b ? -1 : a > b;
}

/* Records that @file uses the definition. Returns 0, or -ENOSPC if its user has too many uses. */
static int ku_point_add_use(struct ku_point_new *new, struct ku_point *point,
			    struct ku_point_file *file)
{
	struct ku_point_use *use = new->use;

	use->point = point;
	use->file = file;
	if (rb_find_add(&use->of_file, &file->uses, ku_point_use_cmp))
		return 0;
	if (!ku_point_user_room(file->user)) {
		rb_erase(&use->of_file, &file->uses);
		return -ENOSPC;
	}
	new->use = NULL;
	list_add_tail(&use->of_point, &point->uses);
	++*ku_point_use_count(point, file);
	/* A user who no longer uses the definition must not be charged for it. */
	ku_point_assign_account(point);
	return 0;
}

/*
 * Finds the definition with this text, or adds @new->point, and records that @file or the kernel
 * module's @object uses it. Returns NULL if the text is unknown and @new has no definition or there
 * is no room for it. Returns ERR_PTR(-ENOSPC) if the user has too many uses.
 */
static struct ku_point *ku_point_take(struct ku_point_new *new, const char *text, size_t len,
				      struct ku_point_file *file, struct kutrace_point *object)
{
	u32 hash = jhash(text, len, 0);
	struct ku_point *point = ku_point_find(text, len, hash);

	if (!point) {
		if (!new->point || !ku_point_room(file ? file->user : NULL))
			return NULL;
		point = ku_point_add(new, hash, file ? file->user : NULL);
	}
	/* A new definition gets its use, because ku_point_room() included the limit of uses. */
	if (file && ku_point_add_use(new, point, file))
		return ERR_PTR(-ENOSPC);
	if (object) {
		object->id = point->id;
		object->known = 1;
		object->next = point->objects;
		point->objects = object;
		/* Publishes the id: a reader that sees @on set uses it. */
		smp_store_release(&object->on, point->flag);
		ku_point_of_control(point);
	}
	if (point->defined != U32_MAX)
		point->defined++;
	return point;
}

/* No other thread uses @file any more, so its tree does not change between the uses. */
void ku_point_release(struct ku_point_file *file)
{
	struct rb_node *node;

	while ((node = rb_first(&file->uses))) {
		mutex_lock(&ku_point_lock);
		ku_point_unuse(rb_entry(node, struct ku_point_use, of_file));
		mutex_unlock(&ku_point_lock);
		cond_resched();
	}
}

static void ku_point_name_here(void *unused, u32 number, const char *text, size_t len)
{
	preempt_disable();
	ku_sessions_name(KUTRACE_NAME_EVENTDEF, number, text, len);
	preempt_enable();
}

/*
 * Waits until the rate of a user who may only mark allows a new definition. Each part of its text
 * counts as a mark, because it takes as much space in every recording. Returns 0 or -EINTR.
 */
static int ku_point_rate(size_t len, const struct ku_point_file *file)
{
	if (!file || !file->user)
		return 0;
	return ku_user_rate_wait(file->user, DIV_ROUND_UP(len, KUTRACE_NAME_MAX_BYTES));
}

/* Frees unused definitions if the text is unknown and there is no room. Returns 0 or -ENOSPC. */
static int ku_point_make_room(const char *text, size_t len, const struct ku_point_file *file)
{
	const struct ku_user *user = file ? file->user : NULL;
	u32 hash = jhash(text, len, 0);
	bool room;
	u64 since;

	mutex_lock(&ku_point_lock);
	room = ku_point_find(text, len, hash) || ku_point_room(user);
	mutex_unlock(&ku_point_lock);
	if (room)
		return 0;
	since = ku_sessions_first_reset();
	mutex_lock(&ku_point_lock);
	ku_point_free_unused(since);
	room = ku_point_find(text, len, hash) || ku_point_room(user);
	mutex_unlock(&ku_point_lock);
	return room ? 0 : -ENOSPC;
}

/*
 * A known text does not count against the rate: it needs no id and adds no name to recordings, and
 * each program that starts defines its tracepoints again.
 *
 * A session that starts meanwhile may miss the name, so programs that write a trace also list all
 * definitions (KUTRACE_IOC_POINT_LIST).
 */
int ku_point_define(const char *text, struct ku_point_file *file,
		    struct kutrace_point *object)
{
	size_t len = strlen(text), name = ku_point_check(text);
	struct ku_point_new new = {};
	struct ku_point *point;
	int err;

	if (!name)
		return -EINVAL;
	new.use = kzalloc(sizeof(*new.use), GFP_KERNEL_ACCOUNT);
	if (!new.use)
		return -ENOMEM;
	for (;;) {
		mutex_lock(&ku_point_lock);
		point = ku_point_take(&new, text, len, file, object);
		mutex_unlock(&ku_point_lock);
		if (IS_ERR(point)) {
			err = PTR_ERR(point);
			goto out;
		}
		if (point)
			break;
		err = new.point ? 0 : ku_point_rate(len, file);
		/* Another caller may take the room before the next attempt. */
		err = err ?: ku_point_make_room(text, len, file);
		if (!err && !new.point)
			err = ku_point_new_alloc(&new, text, len, name);
		if (err)
			goto out;
	}
	/* The file or the kernel module uses the definition, so it is not freed. */
	err = (int)point->id;
	if (new.added)
		ku_point_pieces(point, ku_point_name_here, NULL);
out:
	ku_point_new_free(&new);
	return err;
}

struct ku_point *ku_point_get(u32 id)
{
	if (!id || id >= KUTRACE_POINT_IDS)
		return NULL;
	return xa_load(&ku_point_ids, array_index_nospec(id, KUTRACE_POINT_IDS));
}

/* ---- for sessions ---- */

/* Sets whether some session records typed tracepoints. ku_session_lock is held. */
static void ku_point_changed(bool wanted)
{
	struct ku_point *point;

	mutex_lock(&ku_point_lock);
	if (ku_point_wanted != wanted) {
		ku_point_wanted = wanted;
		list_for_each_entry(point, &ku_point_all, all)
			ku_point_flag(point);
		ku_point_bytes_changed();
	}
	mutex_unlock(&ku_point_lock);
}

struct ku_point_aux {
	struct ku_aux *aux;
	u64 counts;
};

static void ku_point_name_aux(void *arg, u32 number, const char *text, size_t len)
{
	const struct ku_point_aux *to = arg;

	ku_aux_add(to->aux, KUTRACE_NAME_EVENTDEF, number, text, len, to->counts);
}

/* Adds all definitions to a session's name table. ku_session_lock is held. */
static void ku_point_name_all(struct ku_aux *aux, u64 counts)
{
	struct ku_point_aux to = { .aux = aux, .counts = counts };
	struct ku_point *point;

	mutex_lock(&ku_point_lock);
	list_for_each_entry(point, &ku_point_all, all)
		ku_point_pieces(point, ku_point_name_aux, &to);
	mutex_unlock(&ku_point_lock);
}

static struct ku_listener ku_point_listener = {
	.changed = ku_point_changed,
	.name_all = ku_point_name_all,
};

/* ---- switches ---- */

u32 ku_point_switch(const char *pattern, bool on)
{
	struct ku_point *point;
	u32 count = 0;

	mutex_lock(&ku_point_lock);
	list_for_each_entry(point, &ku_point_all, all) {
		if (!ku_point_match(pattern, point->text, point->name_len))
			continue;
		point->on = on;
		ku_point_flag(point);
		count++;
	}
	if (count)
		ku_point_bytes_changed();
	mutex_unlock(&ku_point_lock);
	return count;
}

bool ku_point_next(u32 id, struct kutrace_point_def *def)
{
	const struct ku_point *point;
	unsigned long at = id;

	memset(def, 0, sizeof(*def));
	mutex_lock(&ku_point_lock);
	/* xa_find() skips reserved ids. */
	point = xa_find(&ku_point_ids, &at, ULONG_MAX, XA_PRESENT);
	if (point) {
		def->length = sizeof(*def);
		def->id = point->id;
		def->on = point->on;
		def->defined = point->defined;
		memcpy(def->text, point->text, point->len);
	}
	mutex_unlock(&ku_point_lock);
	return point;
}

/* ---- objects of other kernel modules ---- */

void ku_point_detach(struct kutrace_point *object)
{
	struct kutrace_point **at;
	struct ku_point *point;

	mutex_lock(&ku_point_lock);
	if (object->known) {
		object->known = 0;
		point = ku_point_get(object->id);
		/* The time of the last recorded event is unknown, so assume now. */
		point->recorded = ku_sessions_resets() + 1;
		at = &point->objects;
		while (*at && *at != object)
			at = &(*at)->next;
		if (*at)
			*at = object->next;
	}
	WRITE_ONCE(object->on, 0);
	mutex_unlock(&ku_point_lock);
}

/* ---- init, exit ---- */

int ku_point_init(void)
{
	int err;

	BUILD_BUG_ON(KUTRACE_POINT_TEXT_BYTES != KUTRACE_POINT_DEF_BYTES);
	BUILD_BUG_ON(KUTRACE_POINT_FIELDS != KUTRACE_POINT_WORDS);
	BUILD_BUG_ON(KU_POINT_DEFS >= KUTRACE_POINT_IDS);
	err = ku_point_bytes_init();
	if (!err)
		ku_notify_register(&ku_point_listener);
	return err;
}

/* No files are open, and kernel modules with tracepoints have been unloaded. */
void ku_point_exit(void)
{
	ku_notify_unregister(&ku_point_listener);
	ku_point_bytes_exit();
	ku_point_free_unused(U64_MAX);
	WARN_ON(ku_point_count);
	xa_destroy(&ku_point_ids);
}
