//! Messages of tshark about a capture.

/// The parsed messages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Messages {
    /// Fields that this version does not support.
    pub unknown_fields: Vec<String>,
    /// The capture ends within a record.
    pub is_truncated: bool,
    /// The capture cannot be read beyond some point.
    pub is_damaged: bool,
    /// All other messages, one sentence per line.
    pub complaint: Option<String>,
}

impl Messages {
    /// Parses the text from standard error.
    pub fn parse(text: &str) -> Messages {
        let mut messages = Messages::default();
        let mut complaints: Vec<&str> = Vec::new();
        let mut lists_fields = false;
        for line in text.lines() {
            if line.contains("fields aren't valid") {
                lists_fields = true;
            } else if lists_fields && line.starts_with('\t') {
                messages.unknown_fields.push(line.trim().to_owned());
            } else if line.contains("cut short in the middle of a packet") {
                messages.is_truncated = true;
            } else {
                messages.is_damaged |= line.contains("appears to be damaged or corrupt");
                complaints.extend(complaint(line));
            }
        }
        messages.complaint = Some(complaints.join(" ")).filter(|text| !text.is_empty());
        messages
    }
}

/// The first sentence that is no warning about settings and privileges. Lists of what there is follow it.
pub(super) fn first_complaint(text: &str) -> Option<String> {
    text.lines().find_map(complaint).map(str::to_owned)
}

/// The part of a line about the capture; `None` for warnings about settings and privileges.
fn complaint(line: &str) -> Option<&str> {
    let line = line.trim();
    let is_about_itself = line.starts_with("Running as user") || line.starts_with("**") || line.contains("WARNING");
    let line = line.strip_prefix("tshark: ").unwrap_or(line);
    (!is_about_itself && !line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "Running as user \"root\" and group \"root\". This could be dangerous.\n";

    #[test]
    fn of_a_long_list_the_sentence_before_it_is_told() {
        let text = format!(
            "{ROOT}tshark: Unknown protocol -- \"x\"\nValid protocols for layer type \"udp.port\" are:\n\tbat\n"
        );
        assert_eq!(first_complaint(&text).as_deref(), Some("Unknown protocol -- \"x\""));
        assert_eq!(first_complaint(ROOT), None);
    }

    #[test]
    fn messages_of_every_kind() {
        let cut = "tshark: The file \"a.pcap\" appears to have been cut short in the middle of a packet.\n";
        let messages = Messages::parse(&format!("{ROOT}{cut}"));
        assert_eq!(messages, Messages { is_truncated: true, ..Messages::default() });
        assert_eq!(Messages::parse(ROOT), Messages::default());
        let fields = "tshark: Some fields aren't valid:\n\twlan.bar.type\n\twlan.new\n";
        assert_eq!(Messages::parse(fields).unknown_fields, ["wlan.bar.type", "wlan.new"]);
        let damaged = "tshark: The file \"a\" appears to be damaged or corrupt.\n(pcap: File has 9-byte packet)\n";
        let messages = Messages::parse(damaged);
        assert!(messages.is_damaged);
        let complaint = "The file \"a\" appears to be damaged or corrupt. (pcap: File has 9-byte packet)";
        assert_eq!(messages.complaint.as_deref(), Some(complaint));
    }
}
