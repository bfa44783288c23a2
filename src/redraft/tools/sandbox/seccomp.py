"""The system calls that a program in bubblewrap may not make, as a filter that the kernel reads."""

from __future__ import annotations

import functools
import os
import tempfile
from errno import EACCES, ENOSYS, EPERM
from typing import Any

__all__ = ["filter_bytes"]

CLONE_THREAD = 0x00010000
AF_UNIX = 1
REFUSED = (
    "fork vfork ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_open pidfd_getfd pidfd_send_signal mount umount umount2 "
    "pivot_root chroot unshare setns mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick name_to_handle_at open_by_handle_at keyctl "
    "add_key request_key bpf perf_event_open userfaultfd kexec_load kexec_file_load init_module finit_module delete_module io_uring_setup "
    "io_uring_enter io_uring_register reboot swapon swapoff acct quotactl syslog settimeofday clock_settime clock_adjtime adjtimex sethostname "
    "setdomainname iopl ioperm lookup_dcookie nfsservctl vhangup modify_ldt personality mbind move_pages migrate_pages set_mempolicy "
    "fanotify_init memfd_secret uselib ustat sysfs landlock_create_ruleset mknod mknodat setpriority sched_setscheduler sched_setattr"
).split()


@functools.cache
def filter_bytes() -> bytes:
    """The filter as a BPF program.

    No new process (threads are allowed), no socket but local ones, nothing that looks into other processes or changes the kernel's state.

    Raises:
        ImportError: pyseccomp is not installed.
        OSError: libseccomp is not there.
        RuntimeError: libseccomp knows no such filter on this machine.
    """
    import pyseccomp  # pyright: ignore[reportMissingTypeStubs]

    module: Any = pyseccomp
    try:
        rules = module.SyscallFilter(module.ALLOW)
    except AttributeError as error:
        raise RuntimeError("libseccomp is too old") from error

    def refuse(name: str, number: int, *conditions: Any) -> None:
        if module.resolve_syscall(module.Arch.NATIVE, name) >= 0:  # a call that this machine does not have needs no rule
            rules.add_rule(module.ERRNO(number), name, *conditions)

    for name in REFUSED:
        refuse(name, EPERM)
    refuse("clone3", ENOSYS)  # glibc then uses clone, whose flags a filter can read
    refuse("clone", EPERM, module.Arg(0, module.MASKED_EQ, CLONE_THREAD, 0))
    for name in ("socket", "socketpair"):
        refuse(name, EACCES, module.Arg(0, module.NE, AF_UNIX))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return os.read(file.fileno(), 1 << 20)
