//! What a user may tell tshark: which dissector takes what, preferences, and a profile of the Wireshark configuration.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files of a Wireshark profile that say how frames are dissected. Others (colours, columns, scripts) are left out.
const FILES: [&str; 7] = [
    "preferences",
    "decode_as_entries",
    "user_dlts",
    "enabled_protos",
    "disabled_protos",
    "heuristic_protos",
    "80211_keys",
];
/// A larger file is no profile.
const MAX_BYTES: u64 = 1 << 20;
/// Modules of preferences that are not taken from the command line, and where they belong.
const REFUSED: [(&str, &str); 2] =
    [("uat:80211_keys", "keys are given by --key or --key-file"), ("nameres.", "no names are looked up")];

/// Options of tshark that do not depend on the capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TsharkOptions {
    decode_as: Vec<String>,
    preferences: Vec<String>,
    profile: Option<String>,
}

impl TsharkOptions {
    /// Options as tshark takes them with `-d`, `-o` and `-C`.
    ///
    /// # Errors
    /// A sentence about the first one that is not of their form.
    pub fn new(
        decode_as: Vec<String>,
        preferences: Vec<String>,
        profile: Option<String>,
    ) -> Result<TsharkOptions, String> {
        for rule in &decode_as {
            let is_rule = rule.split_once("==").is_some_and(|(field, rest)| {
                is_name(field)
                    && rest.split_once(',').is_some_and(|(value, dissector)| is_text(value) && is_name(dissector))
            });
            if !is_rule {
                return Err(format!("{rule:?} is no decode-as rule; write FIELD==VALUE,PROTOCOL"));
            }
        }
        for preference in &preferences {
            let is_preference = preference
                .split_once(':')
                .is_some_and(|(name, value)| is_name(name) && is_text(value) && !value.is_empty());
            if !is_preference {
                return Err(format!("{preference:?} is no preference; write NAME:VALUE"));
            }
            if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| preference.starts_with(refused)) {
                return Err(format!("{preference:?}: {reason}"));
            }
        }
        if profile.as_deref().is_some_and(|name| !is_folder_name(name)) {
            return Err("a profile is the name of a folder in Wireshark's folder `profiles`".to_owned());
        }
        Ok(TsharkOptions { decode_as, preferences, profile })
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        *self == TsharkOptions::default()
    }

    /// The arguments of the command line. Each value is an argument of its own, behind its option: it can be no other.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &str> {
        let decode_as = self.decode_as.iter().flat_map(|rule| ["-d", rule.as_str()]);
        decode_as.chain(self.preferences.iter().flat_map(|preference| ["-o", preference.as_str()]))
    }

    /// That there is no profile of the name that was given.
    pub(super) fn missing_profile(&self) -> Option<String> {
        let name = self.profile.as_ref().filter(|_| self.profile_folder().is_none())?;
        Some(format!("there is no Wireshark profile {name:?}"))
    }

    fn profile_folder(&self) -> Option<PathBuf> {
        let name = self.profile.as_ref()?;
        configuration_folders().map(|root| root.join("profiles").join(name)).find(|path| path.is_dir())
    }

    /// Copies what the profile says of dissection into `folder`.
    pub(super) fn copy_profile(&self, folder: &Path) -> io::Result<()> {
        if let Some(missing) = self.missing_profile() {
            return Err(io::Error::new(io::ErrorKind::NotFound, missing));
        }
        let Some(source) = self.profile_folder() else { return Ok(()) };
        for file in FILES {
            match File::open(source.join(file)) {
                Ok(opened) => {
                    let mut text = Vec::new();
                    opened.take(MAX_BYTES).read_to_end(&mut text)?;
                    text.push(b'\n');
                    fs::write(folder.join(file), text)?;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Where Wireshark keeps the user's configuration, the first that exists (Wireshark User's Guide, appendix B).
fn configuration_folders() -> impl Iterator<Item = PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let own = env::var_os("WIRESHARK_CONFIG_DIR").map(PathBuf::from);
    let config = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".config")));
    let old = home.as_ref().map(|home| home.join(".wireshark"));
    [own, config.map(|config| config.join("wireshark")), old].into_iter().flatten()
}

/// Names of fields, protocols and preferences: `udp.port`, `80211_keys`.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-:".contains(c))
}

fn is_text(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

fn is_folder_name(name: &str) -> bool {
    is_text(name) && !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(decode_as: &[&str], preferences: &[&str], profile: Option<&str>) -> Result<TsharkOptions, String> {
        let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        TsharkOptions::new(own(decode_as), own(preferences), profile.map(str::to_owned))
    }

    #[test]
    fn each_value_is_one_argument() {
        let given = options(&["udp.port==5000,peekremote"], &["wlan.ignore_wep:Yes - with IV"], None).unwrap();
        let arguments: Vec<&str> = given.arguments().collect();
        assert_eq!(arguments, ["-d", "udp.port==5000,peekremote", "-o", "wlan.ignore_wep:Yes - with IV"]);
        assert!(options(&[], &[], None).unwrap().is_empty());
    }

    #[test]
    fn anything_else_is_refused() {
        for rule in ["", "-w/tmp/x", "udp.port", "udp.port==5000", "udp.port==5000,", "a b==1,c", "udp.port==1\n,x"] {
            assert!(options(&[rule], &[], None).is_err(), "{rule:?}");
        }
        for preference in [
            "",
            "-X",
            "wlan",
            "wlan.x:",
            "a b:c",
            "wlan.x:1\n2",
            "uat:80211_keys:\"wep\",\"01\"",
            "nameres.network_name:TRUE",
        ] {
            assert!(options(&[], &[preference], None).is_err(), "{preference:?}");
        }
        for profile in ["", ".", "..", "../x", "a/b", "a\\b", "a\nb"] {
            assert!(options(&[], &[], Some(profile)).is_err(), "{profile:?}");
        }
    }
}
