/* old_kernel PROGRAM ARGUMENT…: runs PROGRAM as on Linux 4.19: system calls that came later do not exist. What calls of
 * that age do differently is not shown. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* rseq is the last one of 4.18 and 4.19 on both machines */
static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SYS_rseq, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

int main(int argc, char **argv)
{
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (argc < 2)
        return 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("old_kernel");
        return 77;
    }
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
