/* Handles signals and lack of memory: sets a flag for the waiting code, or restores the terminal and exits. Functions
 * called by handlers are async-signal-safe. */
#include "ui/ending.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/msg.h"
#include "ui/options.h"

#define DRAWN_MS 200 /* the longest wait for a frame that another thread writes */

/* ---- the terminal ---- */

/* TAKEN_BACK: a thread ends the program, and no other may draw. */
enum hold { NOT_OURS, OURS, TAKEN_BACK };

static struct {
    _Atomic(enum hold) hold;
    atomic_bool drawing;
    pthread_t drawer, ender; /* ender: the thread that set TAKEN_BACK */
    struct termios before;
    char bytes[256];
    size_t n;
} terminal;

/* Signal handler on the drawing thread when it must stop: it never returns to drawing. */
static void on_frozen(int sig)
{
    (void)sig;
    atomic_store(&terminal.drawing, false);
    for (;;)
        pause();
}

static void wait_for_frame(void)
{
    static const struct timespec one_ms = {0, 1000000};
    for (int i = 0; i < DRAWN_MS && atomic_load(&terminal.drawing); i++)
        nanosleep(&one_ms, NULL);
}

/* Restores the terminal. No other thread may draw after this: if its frame does not end (a busy machine, or a
 * terminal that accepts no more), the thread is stopped. */
static void restore_terminal(void)
{
    enum hold was = atomic_exchange(&terminal.hold, TAKEN_BACK); /* no new frame begins */
    if (was != TAKEN_BACK)
        terminal.ender = pthread_self();
    if (was != OURS)
        return;
    if (!pthread_equal(terminal.drawer, pthread_self())) {
        wait_for_frame();
        if (atomic_load(&terminal.drawing) && pthread_kill(terminal.drawer, SIGRTMIN) == 0)
            wait_for_frame();
    }
    ssize_t ignored = write(STDOUT_FILENO, terminal.bytes, terminal.n);
    (void)ignored;
    signal(SIGTTOU, SIG_IGN); /* also from the background */
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

void ending_library(void)
{
    mem_library(true);
    terminal.drawer = pthread_self();
    atomic_store(&terminal.drawing, true);
}

bool ending_draw(void)
{
    ending_library();
    if (atomic_load(&terminal.hold) == OURS)
        return true;
    ending_drawn();
    return false;
}

void ending_drawn(void)
{
    mem_library(false);
    atomic_store(&terminal.drawing, false);
}

void ending_terminal_ours(bool ours)
{
    enum hold was = ours ? NOT_OURS : OURS;
    atomic_compare_exchange_strong(&terminal.hold, &was, ours ? OURS : NOT_OURS);
}

/* Curses exits by itself if it has no memory, with its own status and only sometimes a message. */
static void on_exit_by_others(void)
{
    static const char why[] = "diverge: out of memory\n";
    bool in_library = atomic_load(&terminal.drawing);
    ending_drawn();
    while (atomic_load(&terminal.hold) == TAKEN_BACK) /* another thread ends the program */
        pause();
    if (!in_library && atomic_load(&terminal.hold) == NOT_OURS)
        return;
    restore_terminal();
    ssize_t ignored = write(STDERR_FILENO, why, sizeof why - 1);
    (void)ignored;
    _exit(EXIT_SYSTEM);
}

/* ---- what kills ---- */

/* A crash of a library for lack of memory, or while another thread ends the program, does not count as a crash. */
static void on_deadly(int sig)
{
    while (atomic_load(&terminal.hold) == TAKEN_BACK && !pthread_equal(terminal.ender, pthread_self()))
        pause();
    if (mem_library_starved())
        mem_failed(0);
    restore_terminal();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Alternate stack, because after a stack overflow a handler has no other. */
static void lend_handlers_a_stack(void)
{
    static char room[64 * 1024];
    const stack_t s = {.ss_sp = room, .ss_size = sizeof room};
    sigaltstack(&s, NULL);
}

void ending_terminal(const struct termios *before, const char *bytes, size_t n)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGXCPU, SIGQUIT,
                                 SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPIPE};
    struct sigaction a = {.sa_handler = on_deadly, .sa_flags = SA_ONSTACK}, was;
    terminal.before = *before;
    terminal.n = n < sizeof terminal.bytes ? n : sizeof terminal.bytes;
    memcpy(terminal.bytes, bytes, terminal.n);
    ending_terminal_ours(true);
    sigaction(SIGRTMIN, &(struct sigaction){.sa_handler = on_frozen}, NULL);
    lend_handlers_a_stack();
    for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
        if (sigaction(deadly[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(deadly[i], &a, NULL);
}

/* ---- want of memory ---- */

static void out_of_memory(size_t wanted)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    char text[200];
    while (atomic_flag_test_and_set(&begun)) /* another thread reports it and ends the program */
        pause();
    restore_terminal();
    int n = wanted ? snprintf(text, sizeof text, _("diverge: out of memory: %zu more bytes were needed\n"), wanted)
                   : snprintf(text, sizeof text, "%s", _("diverge: out of memory\n"));
    ssize_t ignored = write(STDERR_FILENO, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
    (void)ignored;
    _exit(EXIT_SYSTEM);
}

/* ---- interrupts ---- */

#define LATE_MS 700 /* after the first signal the program ends, whatever it does: files are written whole or not */

static volatile sig_atomic_t noted, catching, said; /* said: that it is interrupted */
static void (*waker)(void);
static struct {
    timer_t timer;
    bool there;
    char text[100]; /* what is said then */
} late;

static int signal_status(int sig)
{
    return sig == SIGTERM ? EXIT_TERMINATED : EXIT_INTERRUPTED;
}

/* Sets the time at which on_late ends the program. */
static void end_later(void)
{
    const struct itimerspec at = {.it_value = {LATE_MS / 1000, LATE_MS % 1000 * 1000000L}};
    if (late.there)
        timer_settime(late.timer, 0, &at, NULL);
}

static void on_late(int sig)
{
    (void)sig;
    restore_terminal();
    if (!said) {
        ssize_t ignored = write(STDERR_FILENO, late.text, strlen(late.text));
        (void)ignored;
    }
    _exit(signal_status(noted));
}

static void prepare_late(void)
{
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    snprintf(late.text, sizeof late.text, "diverge: %s\n", _("interrupted"));
    if (!late.there && sigaction(SIGRTMIN + 1, &(struct sigaction){.sa_handler = on_late}, NULL) == 0)
        late.there = timer_create(CLOCK_MONOTONIC, &how, &late.timer) == 0;
}

/* A lost connection is often signalled twice, by the terminal and by the shell: the second signal does not force the
 * end. */
static void handle_interrupt(int sig)
{
    int saved = errno;
    if (!catching || (noted && sig != SIGHUP)) {
        restore_terminal();
        _exit(signal_status(sig));
    }
    if (!noted) {
        noted = sig;
        end_later();
    }
    if (waker)
        waker();
    errno = saved;
}

void ending_begin(void)
{
    static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction a = {.sa_handler = handle_interrupt, .sa_flags = SA_RESTART}, was;
    if (sigaction(SIGSEGV, NULL, &was) == 0 && was.sa_handler == SIG_DFL) /* not a sanitizer's handler */
        sigaction(SIGSEGV, &(struct sigaction){.sa_handler = on_deadly}, NULL);
    mem_on_failure(out_of_memory);
    atexit(on_exit_by_others);
    for (size_t i = 0; i < ARRAY_LEN(interrupts); i++)
        if (sigaction(interrupts[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN) /* nohup */
            sigaction(interrupts[i], &a, NULL);
}

void ending_catch(void (*wake)(void))
{
    prepare_late();
    waker = wake;
    catching = 1;
}

void ending_release(void)
{
    catching = 0;
    waker = NULL;
}

int ending_signal(void)
{
    return noted;
}

void ending_said(void)
{
    said = 1;
}

int ending_status(void)
{
    return signal_status(noted);
}
