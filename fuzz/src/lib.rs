//! What several targets share.

use std::path::{Path, PathBuf};

/// A file with given content, removed when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// In memory where there is such a file system: a fuzzer writes thousands a second.
    pub fn new(content: &[u8]) -> Scratch {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let path = folder.join(format!("winf-fuzz-{}", std::process::id()));
        std::fs::write(&path, content).expect("a scratch file can be written");
        Scratch(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
