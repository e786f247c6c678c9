/* SPDX-License-Identifier: Apache-2.0 */
/* The host's code in a file of kernels, as this one is, has the compiler's hooks and not
 * AddressSanitizer. Where the rest of the host's code has that, an access behind an array on the
 * heap or to one that was freed stops the program all the same, and one within an array does not.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

enum class what { reads, writes, reads_freed };

__attribute__((noinline)) static void access(what how, char *array, size_t at) {
    if (how == what::reads_freed) free(array);
    if (how == what::writes) {
        array[at] = 1;
    } else {
        char found = array[at]; /* NOLINT(clang-analyzer-unix.Malloc): on purpose */
        asm volatile("" : : "r"(found));
    }
}

/* Says if a process that makes the access to an array of 40 bytes ends well. */
static bool ends_well(what how, size_t at) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
        access(how, static_cast<char *>(calloc(40, 1)), at);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_heap(void **) {
    for (what how : {what::reads, what::writes}) {
        for (size_t at : {0, 39}) assert_true(ends_well(how, at));
    }
#if defined(TULLE__ADDRESS_SANITIZER)
    for (what how : {what::reads, what::writes}) {
        for (size_t at : {40, 47}) assert_false(ends_well(how, at));
    }
    assert_false(ends_well(what::reads_freed, 0));
#else
    printf("skipped: accesses behind arrays of the host: built without AddressSanitizer\n");
#endif
}

int main(void) {
    const CMUnitTest tests[] = {cmocka_unit_test(test_heap)};
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
