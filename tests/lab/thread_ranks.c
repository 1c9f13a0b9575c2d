/* thread_ranks.c: see thread_ranks.h. A rank has a list of messages, and one of broadcasts.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/thread_ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "field/base/support.h"

struct message {
    struct message *next;
    unsigned from;
    size_t bytes;
    unsigned char data[];
};

struct list {
    struct message *first, **last;
};

struct world {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned ranks;
    const char *broken; /* why; NULL: nothing is broken */
    size_t sent, fail_at;
    struct list mail[THREAD_RANKS], cast[THREAD_RANKS];
};

struct member {
    struct world *world;
    unsigned rank;
    gfp_dealer *dealer;
    thread_ranks_body *body;
    void *user;
    char room[1000];
};

/* ---- lists, under the lock ---- */

static void put_message(struct list *list, unsigned from, const void *data, size_t bytes)
{
    struct message *m = malloc(sizeof *m + bytes);
    if (m == NULL) {
        abort();
    }
    *m = (struct message){.from = from, .bytes = bytes};
    memcpy(m->data, data, bytes);
    *list->last = m;
    list->last = &m->next;
}

static void take_message(struct list *list, void *data, size_t bytes)
{
    struct message *m = list->first;
    if (m->bytes != bytes) {
        abort();
    }
    if (data != NULL) {
        memcpy(data, m->data, bytes);
    }
    list->first = m->next;
    list->last = list->first == NULL ? &list->first : list->last;
    free(m);
}

static void wait_change(struct world *w)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 5000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&w->changed, &w->lock, &until);
}

/* Counts a send or broadcast; returns the status of the transport. */
static gfp_status count_send(struct world *w)
{
    w->broken = w->broken == NULL && w->sent == w->fail_at ? "the transport failed" : w->broken;
    w->sent++;
    (void)pthread_cond_broadcast(&w->changed);
    return w->broken != NULL ? GFP_ERR_IO : GFP_OK;
}

/* ---- the transport ---- */

static gfp_status member_send(void *user, unsigned to, const void *data, size_t bytes)
{
    struct member *m = user;
    struct world *w = m->world;
    (void)pthread_mutex_lock(&w->lock);
    const gfp_status status = count_send(w);
    if (status == GFP_OK) {
        put_message(&w->mail[to], m->rank, data, bytes);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return status;
}

static gfp_status member_probe(void *user, bool wait, unsigned *from, size_t *bytes)
{
    struct member *m = user;
    struct world *w = m->world;
    (void)pthread_mutex_lock(&w->lock);
    const struct list *mail = &w->mail[m->rank];
    if (wait && mail->first == NULL && w->broken == NULL) {
        wait_change(w);
    }
    *bytes = 0;
    if (mail->first != NULL) {
        *from = mail->first->from;
        *bytes = mail->first->bytes;
    }
    const gfp_status status = w->broken != NULL ? GFP_ERR_IO : GFP_OK;
    (void)pthread_mutex_unlock(&w->lock);
    return status;
}

static void member_receive(void *user, unsigned from, void *data, size_t bytes)
{
    struct member *m = user;
    (void)from;
    (void)pthread_mutex_lock(&m->world->lock);
    take_message(&m->world->mail[m->rank], data, bytes);
    (void)pthread_mutex_unlock(&m->world->lock);
}

static gfp_status member_broadcast(void *user, size_t bytes)
{
    struct member *m = user;
    struct world *w = m->world;
    gfp_status status = GFP_OK;
    (void)pthread_mutex_lock(&w->lock);
    if (m->rank == 0) {
        status = count_send(w);
        for (unsigned i = 1; i < w->ranks; i++) {
            put_message(&w->cast[i], 0, m->room, bytes);
        }
    } else {
        struct list *cast = &w->cast[m->rank];
        while (cast->first == NULL && w->broken == NULL) {
            wait_change(w);
        }
        if (cast->first != NULL) {
            take_message(cast, m->room, bytes);
        }
        status = w->broken != NULL ? GFP_ERR_IO : GFP_OK;
    }
    (void)pthread_mutex_unlock(&w->lock);
    return status;
}

static void member_reason(void *user, gfp_error *error)
{
    struct member *m = user;
    (void)pthread_mutex_lock(&m->world->lock);
    gfp_error_fill(error, GFP_ERR_IO, "%s", m->world->broken);
    (void)pthread_mutex_unlock(&m->world->lock);
}

static void member_fail(void *user, const char *reason)
{
    struct member *m = user;
    (void)pthread_mutex_lock(&m->world->lock);
    m->world->broken = reason;
    (void)pthread_cond_broadcast(&m->world->changed);
    (void)pthread_mutex_unlock(&m->world->lock);
}

static void member_destroy(void *user)
{
    (void)user;
}

/* ---- run ---- */

static void *member_run(void *user)
{
    struct member *m = user;
    m->body(m->rank, m->dealer, m->user);
    return NULL;
}

static void clear_list(struct list *list)
{
    while (list->first != NULL) {
        struct message *m = list->first;
        list->first = m->next;
        free(m);
    }
}

size_t thread_ranks_run(unsigned ranks, const char *path, size_t fail_at, thread_ranks_body *body,
                        void *user)
{
    struct world w = {.ranks = ranks, .fail_at = fail_at};
    struct member members[THREAD_RANKS];
    pthread_t threads[THREAD_RANKS];
    (void)pthread_mutex_init(&w.lock, NULL);
    (void)pthread_cond_init(&w.changed, NULL);
    for (unsigned i = 0; i < ranks; i++) {
        gfp_checkpoint *file = NULL;
        w.mail[i].last = &w.mail[i].first;
        w.cast[i].last = &w.cast[i].first;
        members[i] = (struct member){.world = &w, .rank = i, .body = body, .user = user};
        const gfp_transport transport = {.user = &members[i],
                                         .rank = i,
                                         .ranks = ranks,
                                         .most = SIZE_MAX,
                                         .room = members[i].room,
                                         .room_bytes = sizeof members[i].room,
                                         .send = member_send,
                                         .probe = member_probe,
                                         .receive = member_receive,
                                         .broadcast = member_broadcast,
                                         .reason = member_reason,
                                         .fail = member_fail,
                                         .destroy = member_destroy};
        if ((i == 0 && path != NULL && gfp_checkpoint_open(&file, path, NULL) != GFP_OK) ||
            gfp_deal_create(&members[i].dealer, &transport, file) != GFP_OK) {
            abort();
        }
        members[i].dealer->least = 0;
    }
    for (unsigned i = 1; i < ranks; i++) {
        if (pthread_create(&threads[i], NULL, member_run, &members[i]) != 0) {
            abort();
        }
    }
    (void)member_run(&members[0]);
    for (unsigned i = 1; i < ranks; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    for (unsigned i = 0; i < ranks; i++) {
        gfp_dealer_destroy(members[i].dealer);
        clear_list(&w.mail[i]);
        clear_list(&w.cast[i]);
    }
    (void)pthread_cond_destroy(&w.changed);
    (void)pthread_mutex_destroy(&w.lock);
    return w.sent;
}
