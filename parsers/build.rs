//! Lists the tables of `winf_analyzer/_schema/tables` for `schema.rs`, which embeds them: a file there is a table.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let tables = crate_folder.join("../winf_analyzer/_schema/tables");
    println!("cargo::rerun-if-changed={}", tables.display());
    let mut files = fs::read_dir(&tables)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let rows: String = files.iter().map(|file| row(file)).collect();
    let list = Path::new(&env::var_os("OUT_DIR").expect("set by cargo")).join("tables.rs");
    fs::write(list, format!("static TABLES: [(&str, LazyLock<TableSchema>); {}] = [{rows}];", files.len()))
}

/// The table's name and schema, as a pair.
fn row(file: &Path) -> String {
    let name = file.file_stem().unwrap_or_default();
    format!("({name:?}, LazyLock::new(|| read({name:?}, include_str!({file:?})))),\n")
}
