//! Rooms of this crate use only those above them, in the order of the table in `lib.rs`.

use std::path::{Path, PathBuf};

#[test]
fn imports_point_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rooms = rooms(&std::fs::read_to_string(src.join("lib.rs")).unwrap());
    let folders = std::fs::read_dir(&src).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(rooms.len(), folders, "rooms in the table: {rooms:?}");
    let mut arrows = 0;
    for (level, room) in rooms.iter().enumerate() {
        for file in files(&src.join(room)) {
            for used in used_rooms(&std::fs::read_to_string(&file).unwrap(), &rooms) {
                assert!(used <= level, "{} uses {}, which is below {room}", file.display(), rooms[used]);
                arrows += 1;
            }
        }
    }
    assert!(arrows > 300, "only {arrows} uses of rooms found");
}

/// The first column of the table.
fn rooms(text: &str) -> Vec<String> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | "));
    let first = rows.filter_map(|row| row.split(" | ").next());
    first.filter(|cell| *cell != "room").map(|cell| cell.trim_matches(['[', ']', '`']).to_owned()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The rooms in paths from the root of the crate; comments may name any.
fn used_rooms(text: &str, rooms: &[String]) -> Vec<usize> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    let name = |path: &str| path.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
    paths.filter_map(|path| rooms.iter().position(|room| Some(room) == name(path).as_ref())).collect()
}
