//! Lines of a TOML document.

use toml::de::{DeTable, DeValue};

use super::location::Step;

/// The line, from 1, of what a path through a TOML document leads to, or of the last thing on it that is there: what is
/// left out has no line. `None` if not even the first is there, or the text is no TOML.
pub(super) fn line_of(text: &str, path: &[Step]) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let mut tables = Some(document.get_ref());
    let mut value: Option<&DeValue> = None;
    let mut found = None;
    for step in path {
        let (at, next) = match (step, tables, value) {
            (Step::Key(key), Some(table), _) => {
                let Some((name, value)) = table.iter().find(|(name, _)| name.get_ref() == key) else { break };
                (name.span().start, value)
            }
            (Step::Index(index), _, Some(DeValue::Array(array))) => {
                let Some(element) = array.get(*index) else { break };
                (element.span().start, element)
            }
            _ => break,
        };
        found = Some(at);
        value = Some(next.get_ref());
        tables = next.get_ref().as_table();
    }
    found.map(|at| 1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::Step::{Index, Key};
    use super::*;

    const TEXT: &str = r#"
duration_ns = 5
nodes = [
    { name = "a" },
    { name = "b" },
]

[[links]]
from = "a"
[links.medium.wireless]
rate_bps = 1

[[links]]
from = "b"
medium.wired = { rate_bps = 3, loss = 0.1 }

[[flows]]
path = ["a",
  "b"]
"#;

    #[test]
    fn a_path_leads_to_its_line() {
        let paths: [(&[Step], usize); 9] = [
            (&[Key("duration_ns")], 2),
            (&[Key("nodes"), Index(1), Key("name")], 5),
            (&[Key("links"), Index(0), Key("from")], 9),
            (&[Key("links"), Index(0), Key("medium"), Key("wireless"), Key("rate_bps")], 11),
            (&[Key("links"), Index(1)], 13),
            (&[Key("links"), Index(1), Key("medium"), Key("wired"), Key("loss")], 15),
            (&[Key("flows"), Index(0), Key("path"), Index(1)], 19),
            (&[Key("links"), Index(1), Key("queue"), Key("packets")], 13),
            (&[Key("flows"), Index(7)], 17),
        ];
        for (path, line) in paths {
            assert_eq!(line_of(TEXT, path), Some(line), "{path:?}");
        }
        assert_eq!(line_of(TEXT, &[Key("record"), Key("bin_ns")]), None);
        assert_eq!(line_of("links = [", &[Key("links")]), None);
    }
}
