//! Files that appear under their name only when they are complete.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use super::platform;
use crate::error::{Error, IoContext, Result};

/// A file that is written under a temporary name and then renamed. If dropped without [`commit`](AtomicFile::commit),
/// it is deleted, unless [`keep_partial`](AtomicFile::keep_partial) was called.
pub(crate) struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    keep_partial: bool,
}

impl AtomicFile {
    pub(crate) fn create(path: &Path) -> Result<AtomicFile> {
        if path.is_dir() {
            return Err(Error::Refused(format!("{} is a folder; name a file in it", path.display())));
        }
        let temporary = partial(path);
        // An interrupted run may have left one. A symbolic link of this name must not be followed.
        let _ = fs::remove_file(&temporary);
        let file = File::create_new(&temporary).at(path)?;
        Ok(AtomicFile { path: path.to_owned(), temporary, file, keep_partial: false })
    }

    /// Opens a file that an earlier run left incomplete, and drops what it has beyond `bytes`.
    pub(crate) fn resume(path: &Path, bytes: u64) -> Result<AtomicFile> {
        let temporary = partial(path);
        let mut file = File::options().write(true).open(&temporary).at(&temporary)?;
        file.set_len(bytes).at(&temporary)?;
        file.seek(io::SeekFrom::End(0)).at(&temporary)?;
        Ok(AtomicFile { path: path.to_owned(), temporary, file, keep_partial: true })
    }

    /// The final name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the file if it is dropped incomplete, so that it can be [resumed](AtomicFile::resume).
    pub(crate) fn keep_partial(&mut self) {
        self.keep_partial = true;
    }

    /// Gives the file its name, so that it survives a power failure.
    pub(crate) fn commit(self) -> Result<()> {
        self.file.sync_all().at(&self.temporary)?;
        let folder = self.path.parent().map(Path::to_owned);
        self.commit_unsynced()?;
        sync_folder(folder.as_deref())
    }

    /// Gives the file its name. It survives if the process is killed, but not a power failure.
    pub(crate) fn commit_unsynced(mut self) -> Result<()> {
        fs::rename(&self.temporary, &self.path).at(&self.path)?;
        self.keep_partial = true;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.keep_partial {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The name of a file until it is complete.
fn partial(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".partial");
    path.with_file_name(name)
}

/// The file that a path leads to. Symbolic links that the user names are followed.
pub(crate) fn followed(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Gives a complete file that an earlier run left (`Sink::leave`) its name, if it does not have it yet. Links are not followed.
pub(crate) fn complete(path: &Path) -> Result<()> {
    if rename_if_present(&partial(path), path)? { sync_folder(path.parent()) } else { Ok(()) }
}

/// Renames a file and replaces what has the new name. Returns false if there is no such file: a run that was killed meanwhile
/// can do it again.
pub(crate) fn rename_if_present(from: &Path, to: &Path) -> Result<bool> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        renamed => renamed.map(|()| true).at(to),
    }
}

/// Opens a file that is locked while a run writes to its folder. It is empty, and a link of its name does not change the file that it leads to.
pub(crate) fn open_lock(path: &Path) -> Result<File> {
    File::options().write(true).create(true).truncate(false).open(path).at(path)
}

/// Makes the names in a folder survive a power failure.
pub(crate) fn sync_folder(folder: Option<&Path>) -> Result<()> {
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    platform::sync_folder(folder).at(folder)
}

/// Writes a small file so that it exists as a whole or not at all.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(content).at(path)?;
    file.commit()
}

/// Creates the folders between a folder and a file below it, and returns the path of the file. It refuses symbolic links between
/// them, so that nothing outside the folder is written to.
pub(crate) fn path_below(folder: &Path, name: &Path) -> Result<PathBuf> {
    if !name.components().all(|component| matches!(component, Component::Normal(_))) {
        return Err(Error::Refused(format!("{} is not a file below {}", name.display(), folder.display())));
    }
    let mut parent = folder.to_owned();
    for between in name.parent().into_iter().flat_map(Path::components) {
        parent.push(between);
        if parent.is_symlink() {
            let message = format!("{} is a symbolic link; remove it, or write to another folder", parent.display());
            return Err(Error::Refused(message));
        }
    }
    fs::create_dir_all(&parent).at(&parent)?;
    Ok(folder.join(name))
}

/// Writes a file below a folder, and creates the folders between. It replaces an existing file or link of that name. It never
/// follows a symbolic link below the folder.
pub(crate) fn place_below(folder: &Path, name: &Path, mut content: impl Read) -> Result<()> {
    let path = path_below(folder, name)?;
    let parent = path.parent().unwrap_or(folder);
    // Temporary files are readable by their owner only, unless requested otherwise; the umask applies to this one.
    let mut builder = tempfile::Builder::new();
    builder.prefix(".refrain-").suffix(".partial");
    if let Some(permissions) = platform::new_file() {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(parent).at(parent)?;
    io::copy(&mut content, &mut file).at(&path)?;
    file.persist(&path).map_err(|error| Error::io(path, error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_in_the_folder_are_not_followed() {
        let (folder, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let secret = outside.path().join("secret");
        fs::write(&secret, "untouched").expect("a file");
        symlink(&secret, folder.path().join("a.txt")).expect("a link");
        symlink(outside.path(), folder.path().join("sub")).expect("a link");
        place_below(folder.path(), Path::new("a.txt"), &b"new"[..]).expect("the link is replaced");
        place_below(folder.path(), Path::new("sub/secret"), &b"new"[..]).expect_err("a folder that is a link");
        place_below(folder.path(), Path::new("../secret"), &b"new"[..]).expect_err("a file outside");
        place_below(folder.path(), Path::new("x/y/a.txt"), &b"new"[..]).expect("folders are created");
        assert_eq!(fs::read_to_string(&secret).expect("it is there"), "untouched");
        assert_eq!(fs::read_to_string(folder.path().join("a.txt")).expect("it is there"), "new");
        assert_eq!(fs::read_to_string(folder.path().join("x/y/a.txt")).expect("it is there"), "new");
    }

    #[test]
    fn an_incomplete_file_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let secret = folder.path().join("secret");
        symlink(&secret, partial(&path)).expect("a link");
        let mut file = AtomicFile::create(&path).expect("a file");
        file.write_all(b"half").expect("some bytes");
        drop(file);
        assert!(!path.exists() && !partial(&path).exists() && !secret.exists());
        write_atomically(&path, b"whole").expect("a file");
        assert_eq!(fs::read(&path).expect("it is there"), b"whole");
    }
}
