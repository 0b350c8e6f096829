"""What the runners share: clocks, memory of the process (Linux) and the form of a line."""
import json
import resource
import time

ENOUGH = 60.0


def cpu():
    """CPU seconds of this process so far: user + system, all threads."""
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def status_mb(field):
    """VmRSS or VmHWM of this process. (ru_maxrss would carry over the parent's peak.)"""
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    raise KeyError(field)


def forget_peak():
    """Start the high-water mark VmHWM afresh at the present size."""
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")


def timed(work, reps, prepare=None):
    """Result of the last call, and the figures of the least time and of memory.

    What `prepare` makes is handed to `work` and made anew, off the clock, for each
    repetition. No repetition is begun once the work has taken a minute in all.
    """
    given = [prepare()] if prepare else []
    forget_peak()
    before = status_mb("VmRSS")
    cpus, walls = [], []
    while True:
        c0, t0 = cpu(), time.perf_counter()
        result = work(*given)
        cpus.append(cpu() - c0)
        walls.append(time.perf_counter() - t0)
        if len(walls) >= reps or sum(walls) > ENOUGH:
            break
        given = [prepare()] if prepare else []
    return result, {
        "cpu_seconds": round(min(cpus), 3), "wall_seconds": round(min(walls), 3),
        "rss_before_mb": round(before, 1), "peak_rss_mb": round(status_mb("VmHWM"), 1),
    }


def line(work, peer, version, figures, answer):
    """Print one run."""
    head = {"work": work, "peer": peer, "version": version}
    print(json.dumps(head | figures | {"answer": answer}), flush=True)
