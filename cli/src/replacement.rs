//! Files that are written beside the old ones, and take their places at the end.
//!
//! A program that ends early leaves the old file, and never a half of the new one.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A new file for a path.
pub struct Replacement {
    path: PathBuf,
    file: BufWriter<New>,
}

/// The place of the new content until it is complete.
enum New {
    /// A file in the same folder.
    Beside(NamedTempFile),
    /// The path itself: it is a pipe, a link or a device, or the folder takes no other file.
    InPlace(File),
}

impl Replacement {
    /// Begins a new file for this path.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be written.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let new = match beside(path)? {
            Some(file) => New::Beside(file),
            None => New::InPlace(File::create(path)?),
        };
        Ok(Self { path: path.to_owned(), file: BufWriter::new(new) })
    }

    /// Puts the new file in the place of the old one. Without this call, the old one stays.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        let (new, _) = self.file.into_parts();
        let New::Beside(file) = new else { return Ok(()) };
        let Err(failed) = file.persist(&self.path) else { return Ok(()) };
        // Some folders let a file be changed, but not be replaced.
        let mut file = failed.file;
        file.rewind()?;
        io::copy(&mut file, &mut File::create(&self.path)?)?;
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Write for New {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            // The errors of the wrapper name the file beside.
            Self::Beside(file) => file.as_file_mut().write(bytes),
            Self::InPlace(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file) => file.as_file_mut().flush(),
            Self::InPlace(file) => file.flush(),
        }
    }
}

/// Creates a file in the same folder that may replace the file at this path. Returns `None` if the path has to be written
/// in place.
fn beside(path: &Path) -> io::Result<Option<NamedTempFile>> {
    let old = match fs::symlink_metadata(path) {
        Ok(old) if old.is_file() && has_one_name(&old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        _ => return Ok(None),
    };
    if old.is_some() {
        // A file that must not be changed must not be replaced either.
        let file = OpenOptions::new().append(true).open(path)?;
        if has_access_list(&file) {
            return Ok(None);
        }
    }
    let Some(name) = path.file_name() else { return Ok(None) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let prefix = format!(".{}.", name.to_string_lossy());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let Ok(new) = builder.tempfile_in(folder.unwrap_or_else(|| Path::new("."))) else {
        return Ok(None);
    };
    let becomes = |old: &Metadata| {
        let file = new.as_file();
        let is_of_same_owner = file.metadata().is_ok_and(|new| owner(&new) == owner(old));
        is_of_same_owner && file.set_permissions(permissions(old)).is_ok()
    };
    Ok(if old.as_ref().is_none_or(becomes) { Some(new) } else { None })
}

/// Returns whether a file has no hard links. The other names of one keep the old content when one is replaced.
#[cfg(unix)]
fn has_one_name(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) == 1
}

#[cfg(not(unix))]
const fn has_one_name(_: &Metadata) -> bool {
    true
}

/// Returns whether a file has a list of those who may use it, beyond its permissions. A new file has none.
#[cfg(target_os = "linux")]
fn has_access_list(file: &File) -> bool {
    let room: &mut [u8] = &mut [];
    rustix::fs::fgetxattr(file, "system.posix_acl_access", room).is_ok_and(|length| length > 0)
}

#[cfg(not(target_os = "linux"))]
const fn has_access_list(_: &File) -> bool {
    false
}

/// Returns the permissions of a file, without the right to run as its owner.
#[cfg(unix)]
fn permissions(file: &Metadata) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;

    fs::Permissions::from_mode(file.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn permissions(file: &Metadata) -> fs::Permissions {
    file.permissions()
}

/// Returns the user and the group that a file belongs to.
#[cfg(unix)]
fn owner(file: &Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt as _;

    (file.uid(), file.gid())
}

#[cfg(not(unix))]
const fn owner(_: &Metadata) {}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::Replacement;

    fn write(path: &Path, text: &str) {
        let mut new = Replacement::begin(path).unwrap();
        new.write_all(text.as_bytes()).unwrap();
        new.finish().unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        write(&path, "one");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut new = Replacement::begin(&path).unwrap();
        new.write_all(&[b'2'; 100_000]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        drop(new);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write(&path, "three");
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["report"]);
    }

    #[test]
    fn a_new_file_has_the_permissions_of_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["report", "other"].map(|name| folder.path().join(name));
        write(&path, "one");
        fs::write(&other, "one").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&other));
    }

    #[test]
    fn links_stay_and_show_the_new_content() {
        let folder = tempfile::tempdir().unwrap();
        let [file, hard, soft] = ["file", "hard", "soft"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        fs::hard_link(&file, &hard).unwrap();
        symlink("file", &soft).unwrap();
        for (path, text) in [(&hard, "one"), (&soft, "two")] {
            write(path, text);
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        assert!(fs::symlink_metadata(&soft).unwrap().is_symlink());
        assert_eq!(names(folder.path()), ["file", "hard", "soft"]);
    }

    #[test]
    fn what_is_no_file_is_written_in_place() {
        write(Path::new("/dev/null"), "one");
        assert!(!fs::symlink_metadata("/dev/null").unwrap().is_file());
    }
}
