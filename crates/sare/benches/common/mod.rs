//! What benchmarks share: CPU seconds, memory and one line of JSON a workload.

#![allow(dead_code, reason = "not every benchmark uses everything")]

use rustix::time::{ClockId, clock_gettime};

const REPETITIONS: usize = 7;

/// Prints what a workload took and what came of it.
pub fn report(work: &str, seconds: f64, memory: Option<(f64, f64)>, answer: &str) {
    let memory = memory.map_or(String::new(), |(peak, before)| {
        format!("\"peak_rss_mb\": {peak:.1}, \"rss_before_mb\": {before:.1}, ")
    });
    println!(
        "{{\"work\": \"{work}\", \"cpu_seconds\": {seconds:.5}, {memory}\"answer\": {answer}}}"
    );
}

/// What `work` gives and the CPU seconds it takes.
pub fn cpu<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let now = || {
        let t = clock_gettime(ClockId::ProcessCPUTime);
        t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
    };
    let start = now();
    let value = work();
    (value, now() - start)
}

/// The least time of `work` over some more runs.
pub fn least(first: f64, mut work: impl FnMut()) -> f64 {
    (1..REPETITIONS).map(|_| cpu(&mut work).1).fold(first, f64::min)
}

/// The most memory the process has had so far, where the system tells.
pub fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kb = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kb.unwrap_or(f64::NAN) / 1024.0
}
