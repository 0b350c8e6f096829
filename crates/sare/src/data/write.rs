//! Writing files whole or not at all, and tables as CSV.

use super::table::Table;
use crate::error::{Error, Result};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

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
    // The place a link points to, so that the link stays a link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| Path::new(path).to_path_buf());
    let folder = match target.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sare-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Those of the old file, or the usual ones of a new file, which the system takes the umask off.
        let old = fs::metadata(&target).map(|m| m.permissions());
        builder.permissions(old.unwrap_or_else(|_| fs::Permissions::from_mode(0o666)));
    }
    let mut file = builder.tempfile_in(folder).map_err(|e| no_place(folder, &e))?;
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
        io::ErrorKind::NotFound => {
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
