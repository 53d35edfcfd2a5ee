//! What depends on the operating system: reads and writes at a position, permissions, the sync of a folder, and what the system says
//! about itself. No other file of the library names a system, so that a port has one place to fill in.

use std::fs::Permissions;
use std::io;
use std::path::Path;

pub(crate) use system::FileExt;

/// The permissions of a new file, before the umask applies; `None` leaves them to the system.
pub(crate) fn new_file() -> Option<Permissions> {
    system::new_file()
}

/// Syncs the names in a folder to disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    system::sync_folder(folder)
}

/// A name that changes when the machine restarts, where the system has one.
pub(crate) fn boot() -> Option<String> {
    system::boot().map(|name| name.trim_end().to_owned())
}

/// The memory that this process uses now, in bytes, where the system says it.
pub(crate) fn resident_memory() -> Option<u64> {
    status("VmRSS:")
}

/// The most memory that this process has used, in bytes, where the system says it.
pub(crate) fn peak_memory() -> Option<u64> {
    status("VmHWM:")
}

/// The bytes that the system hands out at a time, where it says it: it may join pages to larger ones.
pub(crate) fn size_of_pages() -> u64 {
    let of = |name| line_of("/proc/self/smaps_rollup", name).unwrap_or_default();
    if 2 * of("AnonHugePages:") > of("Anonymous:") { 2 << 20 } else { 4 << 10 }
}

/// A line of the status that Linux keeps of each process, in bytes. Other systems have no such file.
fn status(name: &str) -> Option<u64> {
    line_of("/proc/self/status", name)
}

/// A number of kilobytes in such a file, in bytes.
fn line_of(path: &str, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(path).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// The processor time of this process so far, where the system says it.
pub(crate) fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: u64 = fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    // Linux counts in hundredths of a second here, whatever its own clock does.
    Some(ticks as f64 / 100.0)
}

#[cfg(unix)]
mod system {
    use std::fs::{File, Permissions};
    use std::io;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    pub(crate) use std::os::unix::fs::FileExt;

    #[allow(clippy::unnecessary_wraps, reason = "other systems have no such permissions")]
    pub(super) fn new_file() -> Option<Permissions> {
        Some(Permissions::from_mode(0o666))
    }

    pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    #[cfg(not(target_os = "macos"))]
    pub(super) fn boot() -> Option<String> {
        std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
    }

    #[cfg(target_os = "macos")]
    pub(super) fn boot() -> Option<String> {
        let printed =
            std::process::Command::new("/usr/sbin/sysctl").args(["-n", "kern.bootsessionuuid"]).output().ok()?;
        String::from_utf8(printed.stdout).ok()
    }
}

#[cfg(windows)]
mod system {
    use std::fs::{File, Permissions};
    use std::io;
    use std::path::Path;

    /// Reads and writes at a position. Unlike on Unix, they also move the cursor of the file.
    pub(crate) trait FileExt {
        fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize>;
        fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<usize>;

        fn read_exact_at(&self, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
            while !bytes.is_empty() {
                match self.read_at(bytes, at) {
                    Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(read) => (bytes, at) = (&mut bytes[read..], at + read as u64),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }

        fn write_all_at(&self, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
            while !bytes.is_empty() {
                match self.write_at(bytes, at) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(written) => (bytes, at) = (&bytes[written..], at + written as u64),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }
    }

    impl FileExt for File {
        fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
            std::os::windows::fs::FileExt::seek_read(self, bytes, at)
        }

        fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<usize> {
            std::os::windows::fs::FileExt::seek_write(self, bytes, at)
        }
    }

    pub(super) fn new_file() -> Option<Permissions> {
        None
    }

    /// Windows has no such call; NTFS journals the names.
    pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn boot() -> Option<String> {
        None
    }
}
