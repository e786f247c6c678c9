/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/ncu.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/papers/ncu_csv.h"
#include "tools/common/error.h"

static bool usable(const char *path) {
    return access(path, X_OK) == 0;
}

static bool on_path(char path[4096]) {
    const char *folders = getenv("PATH");
    for (const char *at = folders; at && *at; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(path, 4096, "%.*s/ncu", (int)strcspn(at, ":"), at);
        if (usable(path)) return true;
    }
    return false;
}

/* Finds the profiler of the toolkit; of several that match the pattern, the last by name. */
static bool in_toolkit(const char *pattern, char path[4096]) {
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) return false;
    snprintf(path, 4096, "%s", found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    return usable(path);
}

bool ncu_find(char path[4096]) {
    const char *chosen = getenv("TULLE_NCU");
    if (chosen && chosen[0]) {
        snprintf(path, 4096, "%s", chosen);
        return usable(path);
    }
    return on_path(path) || in_toolkit("/usr/local/cuda*/bin/ncu", path) ||
           in_toolkit("/opt/nvidia/nsight-compute/*/ncu", path);
}

static void list_metrics(char list[1024]) {
    static const char *const metrics[] = {
#define X(name, metric, factor, adds) metric,
        NCU_COUNTERS(X)
#undef X
    };
    size_t length = 0;
    for (int i = 0; i < NCU_COUNT; i++) {
        length += (size_t)snprintf(list + length, 1024 - length, "%s%s", i ? "," : "", metrics[i]);
    }
}

/* Turns this process into the profiler, whose CSV goes to the pipe. */
static _Noreturn void become(const char *ncu, char *const command[], int output) {
    enum { MOST = 128 };
    char metrics[1024];
    list_metrics(metrics);
    const char *const options[] = {
        ncu, "--csv", "--print-units", "base", "--profile-from-start", "off", "--metrics", metrics};
    char *arguments[MOST] = {NULL};
    int count = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        arguments[count++] = (char *)(uintptr_t)options[i];
    }
    for (int i = 0; command[i] && count < MOST - 1; i++) arguments[count++] = command[i];
    if (dup2(output, STDOUT_FILENO) >= 0) execv(ncu, arguments);
    _exit(127);
}

static pid_t start(const char *ncu, char *const command[], FILE **output) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become(ncu, command, ends[1]);
    }
    close(ends[1]);
    *output = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!*output) close(ends[0]);
    return child;
}

bool ncu_run(const char *ncu, char *const command[], ncu_products *products, char why[512]) {
    *products = (ncu_products){0};
    FILE *output = NULL;
    pid_t child = start(ncu, command, &output);
    if (child < 0) {
        snprintf(why, 512, "%s: %s", ncu, strerror(errno));
        return false;
    }
    why[0] = '\0';
    if (output) {
        ncu_csv_read(output, products, why);
        fclose(output);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ended && !why[0]) snprintf(why, 512, "%s failed", ncu);
    if (ended && products->count == 0 && !why[0]) {
        snprintf(why, 512, "the profiler saw no kernel");
    }
    return ended && products->count > 0;
}
