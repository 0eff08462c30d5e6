/* What the shim (shim.c) and who runs programs under it both know: the kinds of failure and how they are counted. */
#ifndef TESTS_FAULTS_SHIM_H
#define TESTS_FAULTS_SHIM_H

#include <stdatomic.h>

enum fault_kind {
    FAULT_ALLOC,   /* malloc, calloc, realloc and their like, anonymous mmap: ENOMEM */
    FAULT_THREAD,  /* pthread_create: EAGAIN */
    FAULT_OPEN,    /* open, openat, fopen, opendir: EIO */
    FAULT_STAT,    /* stat, lstat, fstat, access, realpath: EIO */
    FAULT_READ,    /* read, pread: EIO */
    FAULT_READDIR, /* readdir: EIO */
    FAULT_SHORT,   /* read, pread and write do half of what was asked, which is no failure */
    FAULT_SIGNAL,  /* read, pread, write, open are interrupted: EINTR, which is no failure either */
    FAULT_WRITE,   /* write, pwrite, ftruncate: ENOSPC */
    FAULT_SYNC,    /* fsync, fdatasync: EIO */
    FAULT_RENAME,  /* rename, link, unlink, remove, mkdir: ENOSPC */
    FAULT_SHRINK,  /* after fstat the file is cut to a half of its bytes */
    FAULT_KILL,    /* SIGKILL before anything that changes a file; of a write, the first half is done */
    FAULT_DELAY,   /* threads pause at random where they lock, allocate and read, which is no failure: "nth" seeds it */
    FAULT_KINDS
};

#define FAULT_NAMES \
    "alloc", "thread", "open", "stat", "read", "readdir", "short", "signal", "write", "sync", "rename", "shrink", \
        "kill", "delay"

/* The file named by FAULT_COUNTS, mapped: what was counted survives whatever end the program takes. */
struct fault_counts {
    atomic_long calls[FAULT_KINDS]; /* that could have failed */
    atomic_long failed;             /* that did */
    char library[40];               /* that the program had called when the first did; "": it made the call itself */
};

#endif
