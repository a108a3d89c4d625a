// SPDX-License-Identifier: GPL-2.0-only
/*
 * Typed tracepoints, of programs and of kernel modules: a definition gets an id of its own,
 * and a flag, which is set while the tracepoint is switched on and some session records
 * their kind. A byte in the object of every tracepoint follows it: those of kernel modules
 * are written here, those of programs by ku_point_user.c. Must never take a definition for
 * what its maker says it is: texts are checked, and there is a limit to them.
 *
 * A definition is on the account of a user who has it, if all who have it may only mark. When
 * nobody has it any more it stays on that of the last one, until its place is needed and
 * every session has been reset since it was recorded. Ids are taken in turn, so that one comes
 * again after all others.
 *
 * Locking: ku_point_lock is taken inside ku_session_lock and takes no other lock but the one
 * of ku_point_user_changed() and spinlocks; no memory is allocated inside it. Recording takes
 * no lock: definitions go by RCU.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "ku_aux.h"
#include "ku_point.h"
#include "ku_session.h"
#include "ku_user.h"
#include "uapi/kutrace_point.h"

#define KU_POINT_DEFS		4096	/* in all */
#define KU_POINT_MARKER_DEFS	1024	/* of these by those who may only mark, */
#define KU_POINT_USER_DEFS	256	/* of these by one of them */
#define KU_POINT_DEAD		(INT_MIN / 2)
#define KU_POINT_HASH_BITS	9

static DEFINE_MUTEX(ku_point_lock);
static DEFINE_HASHTABLE(ku_point_table, KU_POINT_HASH_BITS);
static DEFINE_XARRAY_ALLOC1(ku_point_ids);	/* by id */
static LIST_HEAD(ku_point_all);		/* in the order in which they were made */
static u32 ku_point_next_id, ku_point_count, ku_point_marker_count;
static bool ku_point_wanted;		/* a session records them */

/* Programs are told of it by ku_point_user_changed(). */
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

/* One of that name that was switched off stays so when its fields change. */
static bool ku_point_was_on(const char *name, size_t len)
{
	struct ku_point *point;

	list_for_each_entry_reverse(point, &ku_point_all, all)
		if (point->name_len == len && !memcmp(point->text, name, len))
			return point->on;
	return true;
}

/* ---- who has them; all under ku_point_lock ---- */

/* A file has a definition: once, however often it defines it. */
struct ku_point_use {
	struct list_head of_file, of_point;
	struct ku_point *point;
	struct ku_point_file *file;
};

static void ku_point_charge(struct ku_point *point, struct ku_user *user)
{
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

/* On whose account it is: his as long as he has it, nobody's if one has it who may control. */
static void ku_point_settle_account(struct ku_point *point)
{
	struct ku_point_use *use;
	bool his = false;

	/* The last one's, until it goes. */
	if (list_empty(&point->uses))
		return;
	list_for_each_entry(use, &point->uses, of_point) {
		if (!use->file->user) {
			ku_point_of_control(point);
			return;
		}
		his |= use->file->user == point->user;
	}
	if (!his) {
		use = list_first_entry(&point->uses, struct ku_point_use, of_point);
		ku_point_charge(point, use->file->user);
	}
}

static void ku_point_unuse(struct ku_point_use *use)
{
	list_del(&use->of_file);
	list_del(&use->of_point);
	ku_point_settle_account(use->point);
	kfree(use);
}

/* Nobody has it, and no session that was last reset before then can have recorded it. */
static bool ku_point_free(struct ku_point *point, u64 since)
{
	if (!list_empty(&point->uses) || point->objects ||
	    READ_ONCE(point->recorded) > since ||
	    atomic_cmpxchg(&point->bytes, 0, KU_POINT_DEAD))
		return false;
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

static bool ku_point_room(const struct ku_user *user)
{
	if (!user)
		return ku_point_count < KU_POINT_DEFS;
	return ku_point_count < KU_POINT_DEFS && user->defs < KU_POINT_USER_DEFS &&
	       ku_point_marker_count < KU_POINT_MARKER_DEFS;
}

/* What a definition takes: all that is allocated before the lock is taken. */
struct ku_point_new {
	struct ku_point *point;
	struct ku_point_use *use;
	u32 id;			/* 0: none reserved */
};

static void ku_point_new_free(struct ku_point_new *new)
{
	if (new->id)
		xa_release(&ku_point_ids, new->id);
	kfree(new->point);
	kfree(new->use);
}

static int ku_point_new_alloc(struct ku_point_new *new, const char *text, size_t len,
			      size_t name)
{
	struct ku_point *point = kzalloc(struct_size(point, text, len + 1), GFP_KERNEL_ACCOUNT);
	int err;

	memset(new, 0, sizeof(*new));
	new->point = point;
	new->use = kzalloc(sizeof(*new->use), GFP_KERNEL_ACCOUNT);
	if (!new->point || !new->use)
		return -ENOMEM;
	/* Reserved only: nobody finds it yet. */
	err = xa_alloc_cyclic(&ku_point_ids, &new->id, NULL,
			      XA_LIMIT(1, KUTRACE_POINT_IDS - 1), &ku_point_next_id, GFP_KERNEL);
	if (err < 0) {
		new->id = 0;
		return err == -EBUSY ? -ENOSPC : err;
	}
	memcpy(point->text, text, len);
	point->len = (u16)len;
	point->name_len = (u8)name;
	INIT_LIST_HEAD(&point->uses);
	return 0;
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
	/* Into the place that is reserved, so without memory. */
	xa_store(&ku_point_ids, point->id, point, 0);
	new->point = NULL;
	new->id = 0;
	return point;
}

static void ku_point_add_use(struct ku_point_new *new, struct ku_point *point,
			     struct ku_point_file *file)
{
	struct ku_point_use *use;

	list_for_each_entry(use, &point->uses, of_point)
		if (use->file == file)
			return;
	use = new->use;
	new->use = NULL;
	use->point = point;
	use->file = file;
	list_add(&use->of_file, &file->uses);
	list_add_tail(&use->of_point, &point->uses);
	/* That of one who had it before, and has it no more, ends. */
	ku_point_settle_account(point);
}

/*
 * The definition of that text, made if there is none, which the file or the kernel module
 * has from now on; or ERR_PTR(-ENOSPC).
 */
static struct ku_point *ku_point_take(struct ku_point_new *new, const char *text, size_t len,
				      struct ku_point_file *file, struct kutrace_point *object)
{
	u32 hash = jhash(text, len, 0);
	struct ku_point *point = ku_point_find(text, len, hash);

	if (!point) {
		if (!ku_point_room(file ? file->user : NULL))
			return ERR_PTR(-ENOSPC);
		point = ku_point_add(new, hash, file ? file->user : NULL);
	}
	if (file)
		ku_point_add_use(new, point, file);
	if (object) {
		object->id = point->id;
		object->known = 1;
		object->next = point->objects;
		point->objects = object;
		/* Whoever sees it on sees its id. */
		smp_store_release(&object->on, point->flag);
		ku_point_of_control(point);
	}
	if (point->defined != U32_MAX)
		point->defined++;
	return point;
}

void ku_point_release(struct ku_point_file *file)
{
	struct ku_point_use *use, *next;

	mutex_lock(&ku_point_lock);
	list_for_each_entry_safe(use, next, &file->uses, of_file)
		ku_point_unuse(use);
	mutex_unlock(&ku_point_lock);
}

/* Calls name() for each piece, of 56 bytes at most. */
static void ku_point_pieces(const struct ku_point *point,
			    void (*name)(void *arg, u32 number, const char *text, size_t len),
			    void *arg)
{
	u32 at, piece = 0;

	for (at = 0; at < point->len; at += KUTRACE_NAME_MAX_BYTES, piece++)
		name(arg, KUTRACE_POINT_NUMBER(point->id, piece), point->text + at,
		     min_t(size_t, point->len - at, KUTRACE_NAME_MAX_BYTES));
}

static void ku_point_name_here(void *unused, u32 number, const char *text, size_t len)
{
	preempt_disable();
	ku_sessions_name(KUTRACE_NAME_EVENTDEF, number, text, len);
	preempt_enable();
}

/*
 * Its id, or -errno. A session that starts meanwhile may miss the name: dumps ask for
 * all definitions besides (LIST).
 */
static int ku_point_define(const char *text, struct ku_point_file *file,
			   struct kutrace_point *object)
{
	size_t len = strlen(text), name = ku_point_check(text);
	struct ku_point_new new;
	struct ku_point *point;
	u64 since;
	int err;

	if (!name)
		return -EINVAL;
	err = ku_point_new_alloc(&new, text, len, name);
	if (err)
		goto out;
	mutex_lock(&ku_point_lock);
	point = ku_point_take(&new, text, len, file, object);
	mutex_unlock(&ku_point_lock);
	if (IS_ERR(point)) {
		/* Takes a lock of its own. */
		since = ku_sessions_first_reset();
		mutex_lock(&ku_point_lock);
		ku_point_free_unused(since);
		point = ku_point_take(&new, text, len, file, object);
		mutex_unlock(&ku_point_lock);
	}
	err = PTR_ERR_OR_ZERO(point);
	/* It is the file's or the kernel module's, so it stays. */
	if (!err) {
		err = (int)point->id;
		if (!new.point)
			ku_point_pieces(point, ku_point_name_here, NULL);
	}
out:
	ku_point_new_free(&new);
	return err;
}

/* Definition id (1 ...), NULL: there is none. Under rcu_read_lock() or ku_point_lock. */
static struct ku_point *ku_point_get(u32 id)
{
	if (!id || id >= KUTRACE_POINT_IDS)
		return NULL;
	return xa_load(&ku_point_ids, array_index_nospec(id, KUTRACE_POINT_IDS));
}

/* ---- for sessions ---- */

void ku_point_changed(bool wanted)
{
	struct ku_point *point;

	mutex_lock(&ku_point_lock);
	if (ku_point_wanted != wanted) {
		ku_point_wanted = wanted;
		list_for_each_entry(point, &ku_point_all, all)
			ku_point_flag(point);
		ku_point_user_changed();
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

void ku_point_name_all(struct ku_aux *aux, u64 counts)
{
	struct ku_point_aux to = { .aux = aux, .counts = counts };
	struct ku_point *point;

	mutex_lock(&ku_point_lock);
	list_for_each_entry(point, &ku_point_all, all)
		ku_point_pieces(point, ku_point_name_aux, &to);
	mutex_unlock(&ku_point_lock);
}

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
		ku_point_user_changed();
	mutex_unlock(&ku_point_lock);
	return count;
}

bool ku_point_next(u32 id, struct kutrace_point_def *def)
{
	const struct ku_point *point;
	unsigned long at = id;

	memset(def, 0, sizeof(*def));
	mutex_lock(&ku_point_lock);
	/* What is only reserved is not found. */
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

/* ---- the device ---- */

static long ku_point_ioctl_def(unsigned int cmd, struct kutrace_point_def __user *user,
			       struct ku_point_file *file)
{
	struct kutrace_point_def def;
	int id;

	if (copy_from_user(&def, user, sizeof(def)))
		return -EFAULT;
	if (def.length != sizeof(def))
		return -EINVAL;
	if (cmd == KUTRACE_IOC_POINT_DEFINE) {
		if (strnlen(def.text, sizeof(def.text)) == sizeof(def.text))
			return -EINVAL;
		id = ku_point_define(def.text, file, NULL);
		if (id < 0)
			return id;
		def.id = (u32)id;
	}
	if (!ku_point_next(def.id, &def))
		return -ENOENT;
	return copy_to_user(user, &def, sizeof(def)) ? -EFAULT : 0;
}

static long ku_point_ioctl_switch(struct kutrace_point_switch __user *user)
{
	struct kutrace_point_switch wanted;

	if (copy_from_user(&wanted, user, sizeof(wanted)))
		return -EFAULT;
	if (wanted.length != sizeof(wanted) || wanted.value > 1 ||
	    strnlen(wanted.name, sizeof(wanted.name)) == sizeof(wanted.name))
		return -EINVAL;
	wanted.count = ku_point_switch(wanted.name, wanted.value);
	if (!wanted.count)
		return -ENOENT;
	ku_point_user_settle();
	wanted.behind = ku_point_user_behind();
	return copy_to_user(user, &wanted, sizeof(wanted)) ? -EFAULT : 0;
}

static void ku_point_emit(u32 id, const u64 *payload, u32 nwords)
{
	u64 words[1 + KUTRACE_POINT_WORDS];
	u64 event = KUTRACE_NAME_TPOINT | (nwords + 1) << KUTRACE_NAME_LEN_SHIFT;

	words[0] = event << KUTRACE_EVENT_SHIFT | id;
	memcpy(words + 1, payload, nwords * sizeof(*words));
	preempt_disable_notrace();
	ku_sessions_emit(words, nwords + 1);
	preempt_enable_notrace();
}

static long ku_point_ioctl_record(const struct kutrace_point_entry __user *user)
{
	struct kutrace_point_entry entry;
	struct ku_point *point;

	if (copy_from_user(&entry, user, sizeof(entry)))
		return -EFAULT;
	if (entry.nwords > KUTRACE_POINT_WORDS)
		return -EINVAL;
	entry.nwords = array_index_nospec(entry.nwords, KUTRACE_POINT_WORDS + 1);
	rcu_read_lock();
	point = ku_point_get(entry.id);
	/* Else switched off since its maker looked, or its maker cannot be told. */
	if (point && READ_ONCE(point->flag)) {
		WRITE_ONCE(point->recorded, ku_sessions_resets() + 1);
		ku_point_emit(entry.id, entry.words, entry.nwords);
	}
	rcu_read_unlock();
	return point ? 0 : -EINVAL;
}

/* The definition, which stays as long as a byte has it; or NULL. */
static struct ku_point *ku_point_get_for_byte(u32 id)
{
	struct ku_point *point;

	rcu_read_lock();
	point = ku_point_get(id);
	if (point && !atomic_inc_unless_negative(&point->bytes))
		point = NULL;
	rcu_read_unlock();
	return point;
}

static long ku_point_ioctl_byte(const struct kutrace_point_byte __user *user,
				const struct ku_point_file *file)
{
	struct kutrace_point_byte byte;
	struct ku_point *point;
	int err;

	if (copy_from_user(&byte, user, sizeof(byte)))
		return -EFAULT;
	if (byte.length != sizeof(byte) || byte.reserved)
		return -EINVAL;
	if (byte.address != (unsigned long)byte.address)
		return -EFAULT;
	point = ku_point_get_for_byte(byte.id);
	if (!point)
		return -EINVAL;
	err = ku_point_user_follow(file, point, byte.address);
	if (err)
		ku_point_byte_gone(point);
	return err;
}

long ku_point_ioctl(unsigned int cmd, unsigned long arg, struct ku_point_file *file)
{
	bool control = !file->user;
	void __user *user = (void __user *)arg;

	switch (cmd) {
	case KUTRACE_IOC_POINT:
		return ku_point_ioctl_record(user);
	case KUTRACE_IOC_POINT_DEFINE:
		return ku_point_ioctl_def(cmd, user, file);
	case KUTRACE_IOC_POINT_BYTE:
		return ku_point_ioctl_byte(user, file);
	case KUTRACE_IOC_POINT_FORGET:
		return ku_point_user_forget(arg);
	case KUTRACE_IOC_POINT_LIST:
		return control ? ku_point_ioctl_def(cmd, user, file) : -EPERM;
	case KUTRACE_IOC_POINT_SWITCH:
		return control ? ku_point_ioctl_switch(user) : -EPERM;
	default:
		return -ENOTTY;
	}
}

/* ---- other kernel modules ---- */

int kutrace_point_attach_kernel(struct kutrace_point *object)
{
	char text[KUTRACE_POINT_TEXT_BYTES];

	if (!kutrace_point_text(object->desc, text))
		return -EINVAL;
	return min(ku_point_define(text, NULL, object), 0);
}
EXPORT_SYMBOL_GPL(kutrace_point_attach_kernel);

void kutrace_point_detach_kernel(struct kutrace_point *object)
{
	struct kutrace_point **at;
	struct ku_point *point;

	mutex_lock(&ku_point_lock);
	if (object->known) {
		object->known = 0;
		point = ku_point_get(object->id);
		/* Nobody looked while it was. */
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
EXPORT_SYMBOL_GPL(kutrace_point_detach_kernel);

void kutrace_point_emit_kernel(const struct kutrace_point *point, const u64 *words,
			       u32 nwords)
{
	if (nwords <= KUTRACE_POINT_WORDS)
		ku_point_emit(point->id, words, nwords);
}
EXPORT_SYMBOL_GPL(kutrace_point_emit_kernel);

/* ---- init, exit ---- */

int ku_point_init(void)
{
	BUILD_BUG_ON(KUTRACE_POINT_TEXT_BYTES != KUTRACE_POINT_DEF_BYTES);
	BUILD_BUG_ON(KUTRACE_POINT_FIELDS != KUTRACE_POINT_WORDS);
	BUILD_BUG_ON(KU_POINT_DEFS >= KUTRACE_POINT_IDS);
	return ku_point_user_init();
}

/* Files are closed, and kernel modules that have some are unloaded. */
void ku_point_exit(void)
{
	ku_point_user_exit();
	ku_point_free_unused(U64_MAX);
	WARN_ON(ku_point_count);
	xa_destroy(&ku_point_ids);
	ku_user_exit();
}
