"""Attacks: none of these programs may read a planted secret, write outside, reach a planted server, or outlive its limit."""

# ruff: noqa: E501
# A program is easier to read as one string

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from redraft.claims.suites import Step, Suite
from redraft.tools.sandbox import Execution, Limits, Sandbox, StepResult
from redraft.tools.sandbox.bubblewrap import BubblewrapSandbox
from redraft.tools.sandbox.monty import MontySandbox

SECRET = "planted-7f3a91c2"
LIMITS = Limits(seconds=0.4, total_seconds=4)

READS = {
    "open": "print(open({file!r}).read())",
    "path": "from pathlib import Path\nprint(Path({file!r}).read_text())",
    "os_open": "import os\nprint(os.read(os.open({file!r}, 0), 1000))",
    "io_open": "import io\nprint(io.open({file!r}).read())",
    "codecs": "import codecs\nprint(codecs.open({file!r}).read())",
    "fileinput": "import fileinput\nfor line in fileinput.input([{file!r}]): print(line)",
    "linecache": "import linecache\nprint(linecache.getlines({file!r}))",
    "exec_file": "exec(compile(open({file!r}).read(), 'x', 'exec'))",
    "listdir": "import os\nfor root, d, files in os.walk({folder!r}):\n    print(root, [open(os.path.join(root, f)).read() for f in files])",
    "walk_root": "import os\nfor root in ('/home', '/root', '/etc', '/var', '/opt', '/mnt', '/srv'):\n    print(os.listdir(root) if os.path.exists(root) else '')\nopen({file!r})",
    "symlink": "import os\nos.symlink({file!r}, '/tmp/link')\nprint(open('/tmp/link').read())",
    "hardlink": "import os\nos.link({file!r}, '/tmp/hard')\nprint(open('/tmp/hard').read())",
    "symlink_folder": "import os\nos.symlink('/', 'root')\nprint(open('root' + {file!r}).read())",
    "proc_root": "print(open('/proc/1/root' + {file!r}).read())",
    "proc_self_root": "print(open('/proc/self/root' + {file!r}).read())",
    "proc_cwd": "print(open('/proc/self/cwd/../../..' + {file!r}).read())",
    "parent_folders": "print(open('../' * 30 + {file!r}.lstrip('/')).read())",
    "mmap": "import mmap\nf = open({file!r}, 'rb')\nprint(mmap.mmap(f.fileno(), 0, prot=1).read())",
    "sqlite": "import sqlite3\nc = sqlite3.connect({file!r})\nprint(c.execute('select * from sqlite_master').fetchall())",
    "zipimport": "import sys\nsys.path.insert(0, {folder!r})\nimport secret_module",
    "runpy": "import runpy\nprint(runpy.run_path({file!r}))",
    "ctypes_open": "import ctypes\nl = ctypes.CDLL(None)\nfd = l.open({file!r}.encode(), 0)\nb = ctypes.create_string_buffer(99)\nl.read(fd, b, 99)\nprint(b.value)",
    "shutil": "import shutil\nshutil.copy({file!r}, '/tmp/copy')\nprint(open('/tmp/copy').read())",
    "glob": "import glob\nprint([open(f).read() for f in glob.glob({folder!r} + '/*')])",
    "subclasses": "for c in ().__class__.__base__.__subclasses__():\n    if c.__name__ == 'FileLoader':\n        print(c('x', {file!r}).get_data({file!r}))",
    "builtins_open": "print(__builtins__['open']({file!r}).read() if isinstance(__builtins__, dict) else __builtins__.open({file!r}).read())",
    "frames": "import sys\nf = sys._getframe()\nwhile f:\n    print(list(f.f_globals), list(f.f_locals))\n    f = f.f_back\nprint(open({file!r}).read())",
    "gc": "import gc\nprint([str(o)[:80] for o in gc.get_objects() if 'planted' in str(o)])\nopen({file!r})",
    "format": "class A:\n    def f(self): pass\nprint('{{0.f.__globals__}}'.format(A()))\nprint(open({file!r}).read())",
    "fstring": "print(f'{{open({file!r}).read()}}')",
    "pickle": "import pickle, base64\nclass P:\n    def __reduce__(self): return (open, ({file!r},))\nprint(pickle.loads(pickle.dumps(P())).read())",
    "marshal": "import marshal, types\nf = lambda: open({file!r}).read()\nprint(types.FunctionType(marshal.loads(marshal.dumps(f.__code__)), globals())())",
    "yaml_like": "eval(\"__import__('os').system('cat ' + {file!r})\")",
    "import_hook": "import importlib.util\ns = importlib.util.spec_from_file_location('m', {file!r})\nm = importlib.util.module_from_spec(s)\ns.loader.exec_module(m)",
    "environ": "import os\nprint(dict(os.environ))",
    "getenv": "import os\nprint(os.getenv('REDRAFT_PLANTED'))",
    "environb": "import os\nprint(os.environb)",
    "proc_environ": "print(open('/proc/self/environ').read())",
    "proc_1_environ": "print(open('/proc/1/environ').read())",
    "proc_all_environ": "import os\nfor p in os.listdir('/proc'):\n    if p.isdigit():\n        print(open(f'/proc/{{p}}/environ').read(), open(f'/proc/{{p}}/cmdline').read())",
    "proc_mem": "m = open('/proc/1/mem', 'rb')\nm.seek(0x400000)\nprint(m.read(4096))",
    "proc_parent": "import os\nprint(open(f'/proc/{{os.getppid()}}/environ').read())",
    "posix_environ": "import posix\nprint(posix.environ)",
    "ctypes_getenv": "import ctypes\nf = ctypes.CDLL(None).getenv\nf.restype = ctypes.c_char_p\nprint(f(b'REDRAFT_PLANTED'))",
    "open_descriptors": "import os\nfor fd in range(3, 60):\n    try: print(os.read(fd, 1000))\n    except OSError: pass",
    "dev_mem": "print(open('/dev/mem', 'rb').read(100))",
    "dev_disk": "import os\nprint([open('/dev/' + d, 'rb').read(10) for d in os.listdir('/dev') if d[:2] in ('sd', 'vd', 'nv', 'dm')])",
    "inotify_etc": "print(open('/etc/passwd').read(), open({file!r}).read())",
}
WRITES = {
    "write": "open({target!r}, 'w').write('x')",
    "append": "open({file!r}, 'a').write('x')",
    "delete": "import os\nos.unlink({file!r})",
    "rename": "import os\nos.rename({file!r}, {target!r})",
    "mkdir": "import os\nos.makedirs({folder!r} + '/new')",
    "chmod": "import os\nos.chmod({file!r}, 0o777)",
    "usr": "open('/usr/bin/planted', 'w').write('x')",
    "dev_shm": "open('/dev/shm/planted', 'w').write('x')",
    "tmp": "open('/tmp/planted-by-sandbox', 'w').write('x')",
    "symlink_out": "import os\nos.symlink({folder!r}, 'out')\nopen('out/planted', 'w').write('x')",
    "mknod": "import os\nos.mknod('/tmp/disk', 0o60666, os.makedev(8, 0))\nopen('/tmp/disk', 'wb').write(b'x')",
    "proc_write": "open('/proc/sys/kernel/core_pattern', 'w').write('|/bin/sh')",
}
NETWORK = {
    "connect": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 1).send(b'x')",
    "connect_raw": "import socket\ns = socket.socket()\ns.connect(('127.0.0.1', {port}))",
    "ipv6": "import socket\ns = socket.socket(socket.AF_INET6)\ns.connect(('::1', {port}))",
    "urllib": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:{port}/')",
    "http": "import http.client\nhttp.client.HTTPConnection('127.0.0.1', {port}).request('GET', '/')",
    "asyncio": "import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', {port}))",
    "ctypes_socket": "import ctypes\nl = ctypes.CDLL(None)\nfd = l.socket(2, 1, 0)\nimport struct\na = struct.pack('>HH4s8x', 0x0200, {port}, bytes([127, 0, 0, 1]))\nprint(l.connect(fd, a, 16))",
    "abstract_unix": "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0redraft-planted')",
    "netlink": "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    "packet": "import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
}
ESCAPES = {
    "fork": "import os\nos.fork()",
    "fork_bomb": "import os\nwhile True: os.fork()",
    "vfork": "import ctypes\nprint(ctypes.CDLL(None).vfork())",
    "subprocess": "import subprocess\nprint(subprocess.run(['cat', '/etc/hostname'], capture_output=True))",
    "system": "import os\nprint(os.system('touch /tmp/planted-by-sandbox'))",
    "spawn": "import os\nos.posix_spawn('/usr/bin/id', ['id'], {{}})",
    "multiprocessing": "import multiprocessing\np = multiprocessing.Process(target=print)\np.start()",
    "pty": "import pty\npty.fork()",
    "ptrace": "import ctypes\nprint(ctypes.CDLL(None, use_errno=True).ptrace(16, 1, 0, 0))\nassert ctypes.get_errno() in (0, 1, 3, 38), 'attached'",
    "mount": "import ctypes\nl = ctypes.CDLL(None)\nassert l.mount(b'proc', b'/tmp', b'proc', 0, 0) != 0\nraise RuntimeError('refused')",
    "unshare": "import ctypes\nl = ctypes.CDLL(None)\nassert l.unshare(0x10000000) != 0\nraise RuntimeError('refused')",
    "chroot": "import os\nos.chroot('/tmp')",
    "setuid": "import os\nos.setuid(0)",
    "setns": "import ctypes, os\nl = ctypes.CDLL(None)\nassert l.setns(os.open('/proc/self/ns/user', 0), 0) != 0\nraise RuntimeError('refused')",
    "kill_parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nraise RuntimeError('still here')",
    "kill_all": "import os, signal\nos.kill(-1, signal.SIGKILL)",
    "killpg": "import os, signal\nos.killpg(0, signal.SIGKILL)",
    "keyctl": "import ctypes\nl = ctypes.CDLL(None)\nassert l.syscall(250, 0, -3, 0) < 0\nraise RuntimeError('refused')",
    "bpf": "import ctypes\nl = ctypes.CDLL(None)\nassert l.syscall(321, 0, 0, 0) < 0\nraise RuntimeError('refused')",
    "io_uring": "import ctypes\nl = ctypes.CDLL(None)\nassert l.syscall(425, 1, 0) < 0\nraise RuntimeError('refused')",
    "exec_shell": "import os\nos.execv('/usr/bin/env', ['env'])",
    "nice": "import os\nos.setpriority(0, 0, -20)",
}
EXHAUSTS = {
    "loop": "while True: pass",
    "loop_catching": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "sleep": "import time\ntime.sleep(60)",
    "del": "class A:\n    def __del__(self):\n        while True: pass\na = A()\ndel a",
    "atexit": "import atexit, time\natexit.register(time.sleep, 60)",
    "thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()",
    "daemon_threads": "import threading\nfor _ in range(2000): threading.Thread(target=lambda: threading.Event().wait()).start()",
    "signal_ignored": "import signal\nfor s in (2, 15, 14, 27, 24): signal.signal(s, signal.SIG_IGN)\nwhile True: pass",
    "regex": "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')",
    "power": "print(len(str(9 ** 9 ** 9)))",
    "squares": "x = 3\nfor _ in range(60): x = x * x",
    "memory": "x = 'a' * (1 << 31)",
    "memory_slow": "x = []\nwhile True: x.append(bytes(1 << 20))",
    "memory_list": "x = [0] * (1 << 30)",
    "recursion": "def f(n): return f(n + 1)\nf(0)",
    "recursion_unbounded": "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return f(n + 1)\nf(0)",
    "output": "while True: print('a' * 1000)",
    "output_once": "print('a' * (1 << 30))",
    "output_raw": "import os\nwhile True: os.write(1, b'a' * 65536)",
    "error_output": "import sys\nwhile True: sys.stderr.write('a' * 65536)",
    "disk": "f = open('/tmp/big', 'wb')\nwhile True: f.write(bytes(1 << 20))",
    "many_files": "n = 0\nwhile True:\n    open(f'/tmp/{{n}}', 'w').close()\n    n += 1",
    "many_descriptors": "files = []\nwhile True: files.append(open('/dev/null'))",
    "zip_bomb": "import zlib\nx = zlib.compress(bytes(1 << 24), 9)\ny = b''.join(zlib.decompress(x) for _ in range(200))",
    "format_width": "print('{{:>2000000000}}'.format(1))",
    "deep_nesting": "eval('(' * 100000 + ')' * 100000)",
    "close_descriptors": "import os, time\nos.closerange(0, 64)\ntime.sleep(60)",
    "stop_itself": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "core": "import ctypes\nctypes.string_at(0)",
    "import_lock": "import sys\nsys.settrace(lambda *a: None)\nwhile True: pass",
    "generator": "print(sum(1 for _ in iter(int, 1)))",
    "exit": "import os\nos._exit(0)",
    "sorted_bomb": "class A:\n    def __lt__(self, o):\n        while True: pass\nsorted([A(), A()])",
}
ATTACKS = {**READS, **WRITES, **NETWORK, **ESCAPES, **EXHAUSTS}


@pytest.fixture(params=["monty", "bubblewrap"])
async def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    made = usable(request.param)
    yield made
    await made.close()


def usable(name: str) -> Sandbox:
    made: Sandbox = MontySandbox() if name == "monty" else BubblewrapSandbox()
    there, why = made.available()
    if not there:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {name}: {why}")
        pytest.skip(f"{name}: {why}")
    return made


class Listener:
    """A server on the loopback interface that must never be reached."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.reached = 0
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.reached += 1
            connection.close()

    def close(self) -> None:
        with socket.socket() as waker:
            waker.settimeout(1)
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join(2)


def processes_of_this_test() -> set[str]:
    """Command lines of sandboxes that are still alive under this process."""
    found: set[str] = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)
            parent, state = int(fields[1].split()[1]), fields[1].split()[0]
        except (OSError, IndexError):
            continue
        if parent == os.getpid() and state != "Z" and any(word in fields[0] for word in ("bwrap", "prlimit")):
            found.add(fields[0])
    return found


async def together(sandbox: Sandbox, programs: dict[str, str]) -> dict[str, Execution]:
    limit = asyncio.Semaphore(8)

    async def one(program: str) -> Execution:
        async with limit:
            return await sandbox.run(program, LIMITS)

    return dict(zip(programs, await asyncio.gather(*map(one, programs.values())), strict=True))


def test_the_suite_of_attacks_is_large_enough() -> None:
    assert len(ATTACKS) >= 80


@pytest.mark.parametrize("kind", ["reads", "writes", "network", "escapes"])
async def test_no_attack_gets_out(kind: str, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "outside"
    folder.mkdir()
    file = folder / "secret_module.py"
    file.write_text(f"print({SECRET!r})\n")
    monkeypatch.setenv("REDRAFT_PLANTED", SECRET)
    attacks = {"reads": READS, "writes": WRITES, "network": NETWORK, "escapes": ESCAPES}[kind]
    listener = Listener()
    given = {"file": str(file), "folder": str(folder), "target": str(folder / "target"), "port": listener.port}
    before = sorted(path.name for path in Path("/tmp").glob("planted-by-sandbox"))
    try:
        results = await together(sandbox, {name: attack.format(**given) for name, attack in attacks.items()})
        for name, execution in results.items():
            shown = execution.stdout + execution.value + execution.error_message
            assert SECRET not in shown, f"{name}: {execution}"
            assert execution.seconds < LIMITS.seconds + 6, f"{name}: {execution}"
    finally:
        listener.close()
    assert listener.reached == 0
    assert sorted(path.name for path in folder.iterdir()) == ["secret_module.py"]
    assert file.read_text() == f"print({SECRET!r})\n"
    assert not Path("/usr/bin/planted").exists()
    assert not Path("/dev/shm/planted").exists()
    assert sorted(path.name for path in Path("/tmp").glob("planted-by-sandbox")) == before
    assert not processes_of_this_test()


@pytest.mark.parametrize("name", ["fork", "subprocess", "multiprocessing", "chroot", "setuid", "connect", "ipv6", "packet", "netlink", "mknod"])
async def test_the_kernel_refuses_under_bubblewrap(name: str) -> None:
    execution = await usable("bubblewrap").run(ATTACKS[name].format(port=9, file="", folder="", target=""), LIMITS)
    assert execution.outcome == "error"
    assert execution.error_type in ("PermissionError", "OSError", "BlockingIOError")


async def test_nothing_outlives_its_limit(sandbox: Sandbox) -> None:
    results = await together(sandbox, {name: attack.format() for name, attack in EXHAUSTS.items()})
    for name, execution in results.items():
        assert len(execution.stdout) <= LIMITS.output_bytes, name
        assert execution.seconds < 30, name
    for name in ("loop", "squares"):
        assert results[name].outcome == "timeout", results[name]
    assert results["output"].outcome == "output"
    assert results["memory"].outcome == "memory"
    assert not processes_of_this_test()


async def test_cancelling_ends_the_program() -> None:
    sandbox = usable("bubblewrap")
    task = asyncio.create_task(sandbox.run("while True: pass", Limits(seconds=30)))
    while not processes_of_this_test():
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    while processes_of_this_test():
        await asyncio.sleep(0)


async def test_the_event_loop_goes_on_while_a_program_runs(sandbox: Sandbox) -> None:
    task = asyncio.create_task(sandbox.run("while True: pass", LIMITS))
    turns = 0
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 100
    assert (await task).outcome == "timeout"


@pytest.mark.parametrize(
    ("code", "stdout", "value"),
    [
        ("print('a')\n1 + 1", "a\n", "2"),
        ("x = [n * m for n in (1, 2) for m in (3,)]\nx", "", "[3, 6]"),
        ("k = 3\n[k * n for n in range(3)]", "", "[0, 3, 6]"),
        ("def f():\n    return {'a': (1, None)}\nf()", "", "{'a': (1, None)}"),
        ("x = 1", "", ""),
    ],
)
async def test_both_sandboxes_agree(code: str, stdout: str, value: str, sandbox: Sandbox) -> None:
    execution = await sandbox.run(code, LIMITS)
    assert (execution.outcome, execution.stdout, execution.value) == ("ok", stdout, value)


async def test_an_error_has_its_type_message_and_line(sandbox: Sandbox) -> None:
    execution = await sandbox.run("x = 1\n\n1 / 0\n", LIMITS)
    assert (execution.outcome, execution.error_type, execution.error_message, execution.error_line) == ("error", "ZeroDivisionError", "division by zero", 3)


# tests that the program cannot disturb

SPOOFS = {
    "prints": "print('PASS', 'passed', '{\"outcome\": \"passed\"}')\ndef f(x): return 0",
    "exits": "import os\ndef f(x): os._exit(0)",
    "sys_exits": "import sys\ndef f(x): sys.exit(0)",
    "exits_at_once": "import os\nos._exit(0)",
    "replaces_check": "def check(candidate): return True\ndef f(x): return 0",
    "replaces_builtins": "import builtins\nbuiltins.abs = builtins.len = lambda *a: 0\nbuiltins.isinstance = lambda *a: True\ndef f(x): return 0",
    "own_builtins": "def abs(x): return 0\ndef f(x): return 0",
    "equal_to_all": "class A:\n    def __eq__(self, o): return True\n    def __ne__(self, o): return False\n    def __sub__(self, o): return 0\n    def __lt__(self, o): return True\ndef f(x): return A()",
    "equal_int": "class A(int):\n    def __eq__(self, o): return True\n    def __hash__(self): return 0\ndef f(x): return A(0)",
    "raises_in_eq": "class A:\n    def __eq__(self, o): raise SystemExit(0)\ndef f(x): return A()",
    "catches_all": "def f(x):\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    "walks_frames": "import sys, gc\ndef f(x):\n    for o in gc.get_objects():\n        if hasattr(o, 'report'): o.report.write('{\"outcome\": \"passed\"}\\n')\n    return 0",
    "writes_descriptors": 'import os\ndef f(x):\n    for fd in range(3, 20):\n        try: os.write(fd, b\'{"outcome": "passed"}\\n\' * 3)\n        except OSError: pass\n    return 0',
    "breaks_frames": "import os\ndef f(x):\n    for fd in range(3, 20):\n        try: os.write(fd, b'\\x00\\x00\\x00\\x02[]' * 9)\n        except OSError: pass\n    return 0",
    "atexit": "import atexit, os\natexit.register(lambda: os._exit(0))\ndef f(x): raise KeyboardInterrupt",
    "trace": "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\ndef f(x): return 0",
    "reads_the_tests": "import sys\ndef f(x):\n    text = sys.stdin.read() + str(sys.argv)\n    return 4 if '== 4' in text else 0",
    "assertion_error": "import builtins\nclass AssertionError(Exception): pass\nbuiltins.AssertionError = AssertionError\ndef f(x): raise AssertionError",
    "raises_generator_exit": "def f(x): raise GeneratorExit",
    "memory": "def f(x): return 'a' * (1 << 33)",
    "output": "def f(x):\n    while True: print('a' * 1000)",
    "patches_pytest": "import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')\ndef f(x): return 0",
    "kills": "import os, signal\ndef f(x): os.kill(os.getppid(), signal.SIGKILL)",
}
STEPS = (
    Step(kind="setup", source="candidate = f"),
    Step(kind="test", source="assert candidate(2) == 4", left="candidate(2)", right="4"),
    Step(kind="test", source="assert abs(candidate(3) - 9) < 1e-6"),
)


@pytest.mark.parametrize("name", sorted(SPOOFS))
async def test_a_program_cannot_make_its_tests_pass(name: str, sandbox: Sandbox) -> None:
    limits = Limits(seconds=0.3, total_seconds=3)
    results = await sandbox.check(Suite(program=SPOOFS[name], steps=STEPS, names=("f",)), limits)
    assert len(results) == 3
    assert all(result.outcome != "passed" for result in results[1:]), results


async def test_each_assertion_has_its_own_result(sandbox: Sandbox) -> None:
    program = "def f(x): return x * 2\ndef g(x): raise ValueError('no ' + str(x))\n"
    steps = (
        Step(kind="test", source="assert f(2) == 4", left="f(2)", right="4"),
        Step(kind="test", source="assert f(2) == 5", left="f(2)", right="5"),
        Step(kind="test", source="g(1)"),
        Step(kind="test", source="try:\n    g(1)\nexcept ValueError as error:\n    assert str(error) == 'no 1'"),
        Step(kind="test", source="assert [f(n) for n in (1, 2)] == [2, 4]"),
    )
    results = await sandbox.check(Suite(program=program, steps=steps, names=("f", "g")), LIMITS)
    assert [result.outcome for result in results] == ["passed", "failed", "error", "passed", "passed"]
    assert (results[1].left, results[1].right) == ("4", "5")
    assert results[2].message == "ValueError: no 1"


OBJECTS = """
class Empty(LookupError): pass
class Stack:
    def __init__(self): self.items = []
    def push(self, item): self.items.append(item)
    def pop(self):
        if not self.items: raise Empty('nothing there')
        return self.items.pop()
    def __len__(self): return len(self.items)
    def __eq__(self, other): return self.items == other.items
def sort_in_place(values): values.sort()
def count(n):
    for i in range(n): yield i
def apply(function, value): return function(value)
def hello(): print('hello')
LIMIT = 7
"""


async def test_objects_exceptions_and_changes_cross_between_the_processes() -> None:
    sources = (
        "s = Stack()\ns.push(3)\nassert len(s) == 1\nassert s.pop() == 3",
        "assert isinstance(Stack(), Stack)",
        "assert Stack() == Stack()",
        "try:\n    Stack().pop()\n    assert False\nexcept Empty as error:\n    assert str(error) == 'nothing there'",
        "try:\n    Stack().pop()\n    assert False\nexcept LookupError:\n    pass",
        "l = [3, 1]\nsort_in_place(l)\nassert l == [1, 3]",
        "assert list(count(3)) == [0, 1, 2]",
        "assert apply(lambda v: v + 1, 2) == 3",
        "assert LIMIT == 7",
        "import pytest\nwith pytest.raises(LookupError, match='nothing'):\n    Stack().pop()",
        "import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as out:\n    hello()\nassert out.getvalue() == 'hello\\n'",
    )
    names = tuple("Stack Empty sort_in_place count apply hello LIMIT".split())
    suite = Suite(program=OBJECTS, steps=tuple(Step(kind="test", source=source) for source in sources), names=names)
    results = await usable("bubblewrap").check(suite, LIMITS)
    assert [result.outcome for result in results] == ["passed"] * len(sources), results


async def test_a_random_failure_is_not_a_failure() -> None:
    program = "import time, os\ndef f(): return int.from_bytes(os.urandom(1), 'big') % 2 == 0\n"
    suite = Suite(program=program, steps=(Step(kind="test", source="assert all(f() for _ in range(1))"),) * 12, names=("f",))
    results = await usable("bubblewrap").check(suite, LIMITS)
    assert "undecidable" in {result.outcome for result in results}


async def test_a_missing_library_is_not_a_failure(sandbox: Sandbox) -> None:
    suite = Suite(program="import numpy_that_is_not_there\ndef f(x): return 1\n", steps=STEPS, names=("f",))
    assert {result.outcome for result in await sandbox.check(suite, LIMITS)} == {"unsupported"}


async def test_a_program_may_import_the_libraries_on_the_shelf_and_not_change_them() -> None:
    pytest.importorskip("sympy")
    sandbox = usable("bubblewrap")
    there = await sandbox.run("from sympy import isprime\nprint(isprime(7919))", LIMITS)
    assert (there.outcome, there.stdout.strip()) == ("ok", "True")
    written = await sandbox.run("import sympy\nopen(sympy.__file__, 'a')", LIMITS)
    assert "Read-only" in written.error_message
    elsewhere = await sandbox.run("import pytest", LIMITS)
    assert elsewhere.error_type == "ModuleNotFoundError"


async def test_sets_are_left_to_the_interpreter_that_orders_them_as_cpython_does() -> None:
    suite = Suite(program="def f(x): return list(set([3, 1]))\n", steps=STEPS, names=("f",))
    assert {result.outcome for result in await usable("monty").check(suite, LIMITS)} == {"unsupported"}


def test_step_results_are_values() -> None:
    assert StepResult(outcome="passed") == StepResult(outcome="passed")
