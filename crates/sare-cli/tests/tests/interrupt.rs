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
