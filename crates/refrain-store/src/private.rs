//! Folders that other users of the machine cannot write to: the only file of this crate that names an operating system.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Makes such a folder, or finds that it is one.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    match system::create(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => return made,
    }
    let probe = folder.join(".owner");
    fs::write(&probe, "")?;
    let is_own = system::is_own(folder, &probe);
    fs::remove_file(&probe)?;
    if is_own? { Ok(()) } else { Err(ErrorKind::PermissionDenied.into()) }
}

#[cfg(unix)]
mod system {
    use std::fs::{DirBuilder, metadata, symlink_metadata};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    use std::path::Path;

    pub(super) fn create(folder: &Path) -> io::Result<()> {
        DirBuilder::new().mode(0o700).create(folder)
    }

    /// `probe` is a file of this user.
    pub(super) fn is_own(folder: &Path, probe: &Path) -> io::Result<bool> {
        let (own, found) = (metadata(probe)?, symlink_metadata(folder)?);
        Ok(found.is_dir() && found.uid() == own.uid() && found.mode().trailing_zeros() >= 6)
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::path::Path;

    /// The folder for temporary files belongs to the user.
    pub(super) fn create(folder: &Path) -> io::Result<()> {
        std::fs::create_dir(folder)
    }

    pub(super) fn is_own(_: &Path, _: &Path) -> io::Result<bool> {
        Ok(true)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_a_folder_of_this_user_is_private() {
        let above = std::env::temp_dir().join(format!("refrain-store-{}", std::process::id()));
        fs::create_dir_all(above.join("other")).expect("a folder");
        private_folder(&above.join("new")).expect("a new one");
        private_folder(&above.join("new")).expect("the same");
        fs::set_permissions(above.join("other"), fs::Permissions::from_mode(0o777)).expect("a change");
        private_folder(&above.join("other")).expect_err("others can write to it");
        symlink(above.join("new"), above.join("link")).expect("a link");
        private_folder(&above.join("link")).expect_err("a link");
        fs::remove_dir_all(&above).expect("the folder");
    }
}
