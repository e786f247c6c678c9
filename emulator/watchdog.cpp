/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a launch whose running thread has for seconds of processor time neither met another thread
 * nor touched anything new: a loop that waits, with no call in it that would let others run; and
 * one whose threads let each other run, and get no further. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "emulator/machine.h"

namespace tulle_emu::emulator {

static constexpr int seconds = 5;

struct dog {
    bool there = false;
    timer_t timer;
    uint64_t moves = 0, news = 0;
    int idle = 0, in_vain = 0;
    ~dog() {
        if (there) timer_delete(timer);
    }
};
static thread_local dog own;

static int signal_number() {
    return SIGRTMAX - 1;
}

static const void *code_of(const void *context) {
    const ucontext_t *where_it_was = static_cast<const ucontext_t *>(context);
#if defined(__x86_64__)
    return reinterpret_cast<const void *>(where_it_was->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void *>(where_it_was->uc_mcontext.pc);
#else
    (void)where_it_was;
    return nullptr;
#endif
}

/* Whoever runs may be anywhere in the emulator: the scheduler ends the launch. */
static void look_for_news() {
    bool vain = device.news == own.news && device.in_vain > many_in_vain;
    own.in_vain = vain ? own.in_vain + 1 : 0;
    own.news = device.news;
    if (own.in_vain >= seconds) device.waits_for_seconds = true;
}

/* It runs on the emulated thread's stack, which is given up for good. */
static void on_tick(int, siginfo_t *, void *context) {
    int kept = errno;
    if (in_kernel && device.thread) {
        own.idle = device.moves == own.moves ? own.idle + 1 : 0;
        own.moves = device.moves;
        if (own.idle >= seconds) {
            own.idle = 0;
            fault(
                where(code_of(context)),
                "has run for %d seconds in which nothing moved: a loop that waits for others needs "
                "gpu::spin, and relaxed or acquiring loads",
                seconds);
        }
        look_for_news();
    }
    errno = kept;
}

static bool make() {
    struct sigaction action = {};
    action.sa_sigaction = on_tick;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    if (sigaction(signal_number(), &action, nullptr) != 0) return false;
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal_number();
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    return timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &own.timer) == 0;
}

static void set(time_t period) {
    itimerspec ticks = {{period, 0}, {period, 0}};
    if (own.there) timer_settime(own.timer, 0, &ticks, nullptr);
}

void watchdog_starts() {
    if (!own.there) own.there = make();
    own.idle = own.in_vain = 0;
    set(1);
}

void watchdog_stops() {
    set(0);
}

}  // namespace tulle_emu::emulator
