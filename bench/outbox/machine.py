"""What this machine is, and what processes on it have used."""

import os
import pathlib
import platform
import subprocess

proc = pathlib.Path("/proc")
tick = os.sysconf("SC_CLK_TCK")


def stat(pid):
    """The fields of /proc/PID/stat after the name, which may hold anything."""
    return (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()


def seconds_used(pid):
    """Processor time of a process. The scheduler counts nanoseconds but forgets threads that ended; stat
    remembers them but counts hundredths of a second: the larger of the two is the better."""
    try:
        coarse = sum(map(int, stat(pid)[11:13])) / tick
        fine = sum(int((task / "schedstat").read_text().split()[0]) for task in (proc / str(pid) / "task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return max(coarse, fine / 1e9)


def seconds_used_by_family(parent):
    """Of a process, its children, and those of its children that have ended."""
    ended = sum(map(int, stat(parent)[13:15])) / tick
    return ended + sum(seconds_used(pid) for pid in [parent, *children(parent)])


def children(parent):
    text = (proc / str(parent) / "task" / str(parent) / "children").read_text()
    return [int(pid) for pid in text.split()]


def forget_peak(pid):
    """Starts the peak of resident memory anew."""
    (proc / str(pid) / "clear_refs").write_text("5")


def peak_bytes(pid):
    for line in (proc / str(pid) / "status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def describe(directory):
    """The machine, and the file system that the database is on: flushes on a RAM disk would cost nothing."""
    cpu = next((line.partition(":")[2].strip() for line in (proc / "cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    kind = subprocess.run(["stat", "-f", "-c", "%T", str(directory)], capture_output=True, text=True)
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "memory_gb": round(pages / 2**30),
            "system": f"{platform.system()} {platform.release()}", "file_system": kind.stdout.strip()}
