//! Writing files whole or not at all, and tables as CSV.

use super::table::Table;
use crate::error::{Error, Result};
use std::fs::{self, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::NamedTempFile;

/// Writes a file through `work`: beside its place first, then renamed, so that an old file stays whole until the new
/// one is. `-` is the standard output; a device or pipe is written directly.
pub fn write_file(path: &str, work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if path == "-" {
        let mut out = BufWriter::new(io::stdout().lock());
        return work(&mut out).and_then(|()| out.flush()).map_err(Error::io("standard output"));
    }
    let special = fs::metadata(path).is_ok_and(|m| !m.is_file());
    let written = if special { write_directly(path, work) } else { write_beside(path, work) };
    written.map_err(Error::io(path))
}

fn write_directly(
    path: &str,
    work: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
    work(&mut out)?;
    out.flush()
}

fn write_beside(path: &str, work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let target = linked(path)?;
    let folder = match target.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Those of the old file, or the usual ones of a new file, which the system takes the umask off.
        let old = fs::metadata(&target).map(|m| m.permissions());
        builder.permissions(old.unwrap_or_else(|_| fs::Permissions::from_mode(0o666)));
    }
    remove_abandoned(folder);
    let mut file = locked(&builder, folder).map_err(|e| no_place(folder, &e))?;
    let _unfinished = Unfinished::new(file.path());
    // The bare file: errors of the wrapped one name the file beside, which nobody asked for.
    let mut out = BufWriter::new(file.as_file_mut());
    work(&mut out)?;
    out.flush()?;
    drop(out);
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|e| e.error)?;
    Ok(())
}

/// The name of a file that is being written beside its place: this, something random, and the ending.
const PREFIX: &str = ".sare-";
const SUFFIX: &str = ".part";

/// The place a path leads to through symbolic links, whether or not there is a file yet: the links stay.
fn linked(path: &str) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let mut place = PathBuf::from(path);
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&place) else { return Ok(place) };
        // A link says where it leads from its own folder.
        place = place.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(io::Error::other("there are too many symbolic links"))
}

/// A new temporary file, locked for as long as it is open: a lock ends with its process, however that ends.
fn locked(builder: &tempfile::Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = builder.tempfile_in(folder)?;
        match file.as_file().try_lock() {
            // Another process has just taken it for abandoned, and removes it.
            Err(TryLockError::WouldBlock) => continue,
            Ok(()) if !file.path().exists() => continue,
            // Where a file system knows no locks, nobody can take it for abandoned.
            _ => return Ok(file),
        }
    }
}

/// Removes the temporary files in a folder that their processes left behind when they were killed: those without a lock.
fn remove_abandoned(folder: &Path) {
    let ours = |name: &str| name.starts_with(PREFIX) && name.ends_with(SUFFIX);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !entry.file_name().to_str().is_some_and(ours) {
            continue;
        }
        // What cannot be opened, locked or removed belongs to somebody else.
        if let Ok(file) = fs::OpenOptions::new().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The files being written beside their places, so that they can be removed if the process must end at once.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Notes a file as unfinished for as long as it lives.
struct Unfinished(PathBuf);

impl Unfinished {
    fn new(path: &Path) -> Unfinished {
        if let Ok(mut list) = UNFINISHED.lock() {
            list.push(path.to_path_buf());
        }
        Unfinished(path.to_path_buf())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut list) = UNFINISHED.lock() {
            list.retain(|p| *p != self.0);
        }
    }
}

/// Removes the files that are being written; for a process that is about to end without waiting for them.
pub fn abandon_unfinished() {
    if let Ok(list) = UNFINISHED.lock() {
        for path in list.iter() {
            // Nothing can be done about a file that cannot be removed.
            let _ = fs::remove_file(path);
        }
    }
}

fn no_place(folder: &Path, e: &io::Error) -> io::Error {
    let text = match e.kind() {
        io::ErrorKind::NotFound if !folder.is_dir() => {
            format!("there is no folder {}; make it first", folder.display())
        }
        kind => format!("no file can be made in the folder {} ({kind})", folder.display()),
    };
    io::Error::new(e.kind(), text)
}

/// Writes one field, quoted if it must be.
pub fn write_field(out: &mut dyn Write, field: &[u8], delimiter: u8) -> io::Result<()> {
    let special = |b: &u8| *b == delimiter || matches!(b, b'"' | b'\n' | b'\r');
    // Spaces around a field could be lost by other readers, and a leading quote could be misread.
    let edges = field.first() == Some(&b' ') || field.last() == Some(&b' ');
    if !edges && !field.iter().any(special) {
        return out.write_all(field);
    }
    out.write_all(b"\"")?;
    for part in field.split_inclusive(|&b| b == b'"') {
        out.write_all(part)?;
        if part.ends_with(b"\"") {
            out.write_all(b"\"")?;
        }
    }
    out.write_all(b"\"")
}

/// Writes one row of fields.
pub fn write_row<'a>(
    out: &mut dyn Write,
    fields: impl IntoIterator<Item = &'a [u8]>,
    delimiter: u8,
) -> io::Result<()> {
    let mut count = 0;
    let mut empty = true;
    for field in fields {
        if count > 0 {
            out.write_all(&[delimiter])?;
        }
        write_field(out, field, delimiter)?;
        count += 1;
        empty &= field.is_empty();
    }
    if count == 1 && empty {
        // A blank line would be read as no row at all.
        out.write_all(b"\"\"")?;
    }
    out.write_all(b"\n")
}

/// Writes a table as CSV with a header; a missing cell is an empty field. Weights become a column `weight_name`.
pub fn write_csv(table: &Table, weight_name: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut names: Vec<&[u8]> = table.schema().names().map(str::as_bytes).collect();
    if table.weights().is_some() {
        names.push(weight_name.as_bytes());
    }
    write_row(out, names, b',')?;
    for row in 0..table.rows() {
        let mut cells: Vec<String> = (0..table.columns()).map(|c| table.text(c, row)).collect();
        if let Some(weights) = table.weights() {
            cells.push(weights[row].to_string());
        }
        write_row(out, cells.iter().map(String::as_bytes), b',')?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) -> Result<()> {
        write_file(path.to_str().unwrap(), |out| out.write_all(text.as_bytes()))
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name());
        let mut names: Vec<String> = names.map(|n| n.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_target_is_written() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        // A chain of links, relative to their own folders, to a file that is not there yet.
        symlink("sub/second", at("first")).unwrap();
        symlink("../target", at("sub/second")).unwrap();
        for text in ["new", "newer"] {
            write(&at("first"), text).unwrap();
            assert_eq!(fs::read_to_string(at("target")).unwrap(), text);
            assert_eq!(fs::read_link(at("first")).unwrap(), Path::new("sub/second"));
            assert!(at("sub/second").is_symlink() && !at("target").is_symlink());
        }
        // Links that lead nowhere are refused and stay.
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        assert!(write(&at("a"), "x").is_err() && at("a").is_symlink());
        symlink("none/x", at("c")).unwrap();
        assert!(write(&at("c"), "x").unwrap_err().to_string().contains("no folder"));
    }

    #[test]
    fn what_a_killed_process_left_goes_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // Nobody holds a lock on the first; another process writes the second; the others are not ours.
        for name in [".sare-dead.part", ".sare-busy.part", ".other.part", ".sare-x", "a.part"] {
            fs::write(at(name), "half").unwrap();
        }
        fs::create_dir(at(".sare-folder.part")).unwrap();
        let busy = fs::File::open(at(".sare-busy.part")).unwrap();
        busy.lock().unwrap();
        write(&at("out"), "whole").unwrap();
        let left =
            [".other.part", ".sare-busy.part", ".sare-folder.part", ".sare-x", "a.part", "out"];
        assert_eq!(names(folder.path()), left);
        assert_eq!(fs::read_to_string(at("out")).unwrap(), "whole");
    }

    /// Files that are being written at the same time, here by threads, leave each other alone.
    #[test]
    fn writers_in_one_folder_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = folder.path().join(format!("out{writer}"));
                scope.spawn(move || {
                    for round in 0..25 {
                        write(&path, &format!("{writer} {round}")).unwrap();
                    }
                });
            }
        });
        for writer in 0..8 {
            let text = fs::read_to_string(folder.path().join(format!("out{writer}"))).unwrap();
            assert_eq!(text, format!("{writer} 24"));
        }
        assert_eq!(names(folder.path()).len(), 8);
    }
}
