//! Ctrl-C: the command ends soon, and no file is left half-written.

use crate::util::*;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn an_interrupted_prediction_leaves_everything_as_it_was() {
    let s = Scratch::new();
    let model = s.fit("m.json", &s.write("t.csv", "a,class\nx,u\ny,v\n"), &[]);
    let out = s.write("out.csv", "old\n");
    let before = s.files();
    let mut child = Command::new(SARE)
        .args(["predict", &model, "-", "-o", &out])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"a\n").unwrap();
    // The endless input goes on until the command has heard the signal, whenever that is.
    let rows = "x\ny\n".repeat(1 << 14);
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut sent = false;
    while pipe.write_all(rows.as_bytes()).is_ok() {
        assert!(Instant::now() < deadline, "the signal was not heard");
        if !sent && s.files().len() > before.len() {
            let kill = format!("kill -INT {}", child.id());
            sent = Command::new("sh").args(["-c", &kill]).status().unwrap().success();
        }
    }
    assert!(sent, "the command ended by itself");
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(1), "sare: interrupted\n"));
    assert_eq!(s.files(), before);
}

/// Nothing comes in any more, so there is no safe point to wait for: the command still ends, and leaves nothing behind.
#[test]
fn an_interrupt_while_waiting_for_input_leaves_nothing_behind() {
    let s = Scratch::new();
    let data = s.generate("monk1", "50");
    let model = s.fit("m.json", &data, &[]);
    let out = s.path("out.csv");
    let before = s.files();
    let mut child = Command::new(SARE)
        .args(["predict", &model, "-", "-o", &out])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Kept open, so that the command waits for more; it opens its output only after the header.
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&before["monk1.csv"].repeat(2000)).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while s.files().len() == before.len() {
        assert!(Instant::now() < deadline, "the command did not start to write");
        std::thread::sleep(Duration::from_millis(10));
    }
    // Long enough to have worked through what came in.
    std::thread::sleep(Duration::from_millis(500));
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "the signal was not heard");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(s.files(), before);
}

/// Interrupted again and again, at other moments each time, and resumed: the figures are those of a run that was left alone.
#[test]
fn an_interrupted_comparison_resumes_to_the_same_figures() {
    let s = Scratch::new();
    let data = s.generate("waveform-21", "1500");
    let compare = |journal: &str| {
        let mut command = Command::new(SARE);
        let learners = [
            "--models",
            "nb,tan",
            "--parameters",
            "cll:iterations=100,tm:iterations=20",
            "--folds",
            "5",
        ];
        command.args(["compare", &data, "--class", "class", "--csv", "--resume", &s.path(journal)]);
        command.args(learners).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let began = Instant::now();
    let whole = compare("whole").output().unwrap();
    let alone = began.elapsed();
    assert!(whole.status.success());
    let mut interrupted = 0;
    for journal in 1u32..=4 {
        for round in 1u32.. {
            let child = compare(&journal.to_string()).spawn().unwrap();
            // Later each time, so that some split is always finished in the end.
            std::thread::sleep(alone * (2 * journal + 3 * round) / 30);
            let kill = format!("kill -INT {}", child.id());
            let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
            let output = child.wait_with_output().unwrap();
            if output.status.success() {
                assert_eq!(output.stdout, whole.stdout);
                break;
            }
            assert_eq!(output.status.code(), Some(1));
            interrupted += 1;
            assert!(began.elapsed() < Duration::from_secs(300), "it does not come to an end");
        }
    }
    assert!(interrupted > 0, "no run was interrupted");
}
