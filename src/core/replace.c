/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "core/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(tulle__replacement *file, const char *what, int error) {
    file->failed = what;
    errno = error;
    return false;
}

/* Follows one link, whose text is relative to the link's own folder, unless it begins at the
 * root. */
static bool follow(char target[TULLE__PATH]) {
    char text[TULLE__PATH], next[TULLE__PATH];
    const ssize_t length = readlink(target, text, sizeof text);
    if (length < 0) return false;
    const char *slash = strrchr(target, '/');
    const int folder = text[0] == '/' || !slash ? 0 : (int)(slash + 1 - target);
    const int room = (int)sizeof next - 1;
    if (length > room - folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(next, sizeof next, "%.*s%.*s", folder, target, (int)length, text);
    memcpy(target, next, sizeof next);
    return true;
}

/* Follows all links to the name of the file itself, which need not be there. */
static bool resolve(const char *path, char target[TULLE__PATH]) {
    enum { MOST_LINKS = 40 }; /* most links that are followed, as many as Linux itself follows */
    struct stat about;
    if (strlen(path) >= TULLE__PATH) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(target, path, strlen(path) + 1);
    for (int links = 0; lstat(target, &about) == 0 && S_ISLNK(about.st_mode); links++) {
        if (links == MOST_LINKS) {
            errno = ELOOP;
            return false;
        }
        if (!follow(target)) return false;
    }
    return true;
}

/* Gives the new file the mode of the replaced one, and its owner and group where the system
 * permits that. */
static void take_after(int descriptor, const struct stat *replaced) {
    const bool given = fchown(descriptor, replaced->st_uid, replaced->st_gid) == 0 ||
                       fchown(descriptor, (uid_t)-1, replaced->st_gid) == 0;
    const mode_t shared = given ? 07777 : 0707;
    (void)fchmod(descriptor, replaced->st_mode & shared);
}

/* Opens a new file beside the one that is wanted, never one that is there already. */
static bool open_beside(tulle__replacement *file, const struct stat *replaced) {
    static atomic_uint serial;
    do {
        const int length = snprintf(file->temporary, sizeof file->temporary, "%s.%ld-%u.part",
                                    file->target, (long)getpid(), atomic_fetch_add(&serial, 1));
        if (length < 0 || (size_t)length >= sizeof file->temporary)
            return cannot(file, "created", ENAMETOOLONG);
        file->descriptor =
            open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced ? 0600 : 0666);
    } while (file->descriptor < 0 && errno == EEXIST);
    if (file->descriptor < 0) return cannot(file, "created", errno);
    if (replaced) take_after(file->descriptor, replaced);
    return true;
}

bool tulle__replace_open(tulle__replacement *file, const char *path) {
    struct stat about;
    file->descriptor = -1;
    file->temporary[0] = '\0';
    const bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) return cannot(file, "written", EISDIR);
    if (there && !S_ISREG(about.st_mode)) {
        /* A pipe or a device is opened by the caller's path: the link /proc/self/fd/N of a pipe
         * reads "pipe:[...]", which is no path. */
        file->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        return file->descriptor >= 0 || cannot(file, "opened", errno);
    }
    if (!resolve(path, file->target)) return cannot(file, "written", errno);
    return open_beside(file, there ? &about : NULL);
}

bool tulle__replace_close(tulle__replacement *file, bool keep) {
    if (file->descriptor < 0) return true;
    bool good = close(file->descriptor) == 0 || !keep || cannot(file, "written", errno);
    file->descriptor = -1;
    if (!file->temporary[0]) return good;
    if (good && keep && rename(file->temporary, file->target) != 0)
        good = cannot(file, "given its name", errno);
    if (keep && good) return true;
    const int error = errno;
    unlink(file->temporary);
    errno = error;
    return good;
}
