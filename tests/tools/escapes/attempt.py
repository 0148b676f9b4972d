#!/usr/bin/env python3
# Tries what a tool must not be able to do, and tells honestly whether it could.
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time


def read(path):
    with open(path, "rb") as file:
        return file.read().decode(errors="replace")


def listing(path):
    return os.listdir(path)


def write(path):
    with open(path, "w") as file:
        file.write("the tool was here")


def remove(path):
    os.remove(path)


def read_through_a_link(path):
    os.symlink(path, "link")
    return read("link")


def hard_link(path):
    os.link(path, "hard")
    return read("hard")


def chmod(path):
    os.chmod(path, 0o777)


def truncate(path):
    os.truncate(path, 0)


def environments(needle):
    """Every environment and memory in sight that holds the secret; our own is clean, or it would be found too."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if needle in read(f"/proc/{name}/environ"):
                    return name
            except OSError:
                continue
    if needle in str(dict(os.environ)):
        return "its own"
    raise PermissionError("no environment in sight holds it")


def change_the_kernel(path):
    with open(path, "r+") as file:
        return file.readable()


def tcp(host, port):
    with socket.create_connection((host, port), timeout=3) as connection:
        connection.sendall(b"hello")
        return connection.recv(5).decode()


def fetch(url):
    from urllib.request import urlopen

    with urlopen(url, timeout=20) as answer:
        return answer.read().decode()


def tunnel(host, port):
    proxy = os.environ["https_proxy"].removeprefix("http://").split(":")
    with socket.create_connection((proxy[0], int(proxy[1])), timeout=20) as connection:
        connection.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n".encode())
        answer = connection.recv(4096)
        if b" 200 " not in answer:
            raise PermissionError(answer.decode())
        connection.sendall(b"hello")
        return connection.recv(5).decode()


def udp(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(3)
        sender.sendto(b"hello", (host, port))
        return sender.recv(5).decode()


def dns(host, port):
    question = struct.pack(">6H", 1, 0x100, 1, 0, 0, 0) + b"\7example\3com\0\0\1\0\1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(3)
        sender.connect((host, port))
        sender.send(question)
        return len(sender.recv(512))


def unix(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(3)
        connection.connect(path.replace("@", "\0", 1) if path.startswith("@") else path)
        connection.sendall(b"hello")
        return connection.recv(5).decode()


def io_uring():
    """The kernel's other door to sockets."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(425, 4, ctypes.byref(ctypes.create_string_buffer(120)))
    if fd < 0:
        raise OSError(ctypes.get_errno(), "io_uring_setup")
    return fd


def send_signal(pid, number):
    os.kill(pid, number)


def set_owner(pid, how, number):
    """Have the kernel send a signal to another program, when something can be read here."""
    reading, writing = socket.socketpair()
    if how == "ioctl":
        fcntl.ioctl(reading, 0x8901, struct.pack("i", pid))
    elif how == "F_SETOWN_EX":
        fcntl.fcntl(reading, 15, struct.pack("ii", 1, pid))
    else:
        fcntl.fcntl(reading, fcntl.F_SETOWN, pid)
    fcntl.fcntl(reading, 10, number)  # F_SETSIG
    fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    writing.send(b"now")
    time.sleep(0.3)


def choose_signal(number):
    reading, _ = socket.socketpair()
    fcntl.fcntl(reading, 10, number)  # F_SETSIG


def datagram(path, kind):
    """A message to a socket by its name, from one that was made as one of a pair."""
    pair = socket.socketpair(socket.AF_UNIX, getattr(socket, kind))
    target = path.replace("@", "\0", 1) if path.startswith("@") else path
    if kind in ("SOCK_STREAM", "SOCK_SEQPACKET"):
        pair[1].close()
        pair[0].connect(target)
        pair[0].send(b"hello")
    else:
        pair[0].sendto(b"hello", target)
    return "sent"


def watch(path):
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.inotify_init1(0)
    if libc.inotify_add_watch(fd, path.encode(), 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "inotify_add_watch")
    return fd


def set_times(path):
    os.utime(path, (1, 1))


def touch(path):
    from pathlib import Path

    Path(path).touch()


def attributes(path):
    return os.getxattr(path, "user.note").decode()


def attach_memory(number):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(number, None, 0o10000)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "shmat")
    return ctypes.string_at(address, 8).decode()


def hide_memory(how, megabytes):
    """Memory that is in no process while it is not mapped, or was unmapped in part."""
    libc = ctypes.CDLL(None, use_errno=True)
    size, held = 16 * 1024 * 1024, []
    libc.mmap.restype = libc.shmat.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    for _ in range(megabytes // 16):
        if how == "memfd":
            held.append(os.memfd_create("hidden"))
            for _ in range(16):
                os.write(held[-1], b"\1" * 1024 * 1024)
            continue
        if how == "sysv":
            number = libc.shmget(0, size, 0o1600)
            if number < 0:
                raise OSError(ctypes.get_errno(), "shmget")
            address = libc.shmat(number, None, 0)
        else:
            zero = os.open("/dev/zero", os.O_RDWR) if how == "zero" else -1
            address = libc.mmap(None, size, 3, 0x01 if how == "zero" else 0x21, zero, 0)
        if address in (None, ctypes.c_void_p(-1).value):
            raise OSError(ctypes.get_errno(), how)
        ctypes.memset(address, 1, size)
        libc.munmap(ctypes.c_void_p(address + 4096), ctypes.c_size_t(size - 4096))
    return len(held)


def hide_files(how, number, megabytes):
    """Files that somebody who walks through the folders does not see."""
    held = []
    for index in range(number):
        if how == "deep":
            for _ in range(20):
                os.mkdir("d" * 250)
                os.chdir("d" * 250)
        elif how == "unreadable" and not index:
            os.mkdir("closed")
            os.chmod("closed", 0o300)
            os.chdir("closed")
        if how == "unlinked":
            held.append(os.open(f"{index}", os.O_CREAT | os.O_WRONLY))
            os.unlink(f"{index}")
            for _ in range(megabytes):
                os.write(held[-1], b"\1" * 1024 * 1024)
        elif how == "in_flight":
            held.append(socket.socketpair())
            fd = os.open(f"{index}", os.O_CREAT | os.O_WRONLY)
            os.unlink(f"{index}")
            for _ in range(megabytes):
                os.write(fd, b"\1" * 1024 * 1024)
            socket.send_fds(held[-1][0], [b"x"], [fd])
            os.close(fd)
        else:
            large_file(f"{index}.bin", megabytes)
        time.sleep(0.02)
    time.sleep(5)


def limit_another(pid):
    resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1))


def renice(pid):
    os.setpriority(os.PRIO_PROCESS, pid, 19)


def trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    attach = 16
    if libc.ptrace(attach, pid, None, None) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def memory_of(pid):
    local = ctypes.create_string_buffer(8)
    libc = ctypes.CDLL(None, use_errno=True)
    vector = struct.pack("QQ", ctypes.addressof(local), 8)
    if libc.process_vm_readv(pid, vector, 1, vector, 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "process_vm_readv")


def new_namespace():
    if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) < 0:
        raise OSError(ctypes.get_errno(), "unshare")


def outlive(mark):
    """A daemon without session, environment, parent or descriptors of ours."""
    waiting, arrived = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.chdir("/")
        os.closerange(0, arrived)
        os.set_inheritable(arrived, False)
        code = "import time; time.sleep(600)"
        os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", code, mark], {})
    os.close(arrived)
    os.read(waiting, 1)


def outlive_and_stay(mark):
    outlive(mark)
    say(type="log", level="info", message="staying")
    time.sleep(600)


def much_memory(megabytes):
    block = 16
    held = [b"\1" * block * 1024 * 1024 for _ in range(megabytes // block)]
    return len(held)


def memory_in_many(processes, megabytes):
    for _ in range(processes):
        if os.fork() == 0:
            held = b"\1" * megabytes * 1024 * 1024
            time.sleep(20)
            os._exit(len(held) > 0)
    time.sleep(20)


def many_processes(number):
    for _ in range(number):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
    time.sleep(3)


def large_file(path, megabytes):
    with open(path, "wb") as file:
        for _ in range(megabytes):
            file.write(b"\1" * 1024 * 1024)


def many_files(path, number, megabytes):
    for index in range(number):
        large_file(os.path.join(path, f"{index}.bin"), megabytes)
        time.sleep(0.01)
    time.sleep(3)


def temporary_files(number, megabytes):
    many_files(os.environ["TMPDIR"], number, megabytes)


def echo_to(fd):
    with socket.socket(fileno=fd) as channel:
        channel.sendall(channel.recv(100))


def variables():
    return dict(os.environ)


def run_program(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def use_the_sdk():
    import narratoria.sdk

    return narratoria.sdk.__name__


def say(**event):
    print(json.dumps({"version": "0", **event}), flush=True)


def main():
    given = json.load(sys.stdin)["input"]
    if "in" in given:
        os.chdir(given["in"])
    try:
        result = {"could": True, "result": globals()[given["try"]](*given.get("with", []))}
    except (OSError, MemoryError, subprocess.CalledProcessError) as error:
        result = {"could": False, "why": f"{type(error).__name__}: {error}"}
    say(type="done", ok=True, output=result)


main()
