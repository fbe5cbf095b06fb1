//! The `capabilities` table: capabilities that stations announce about themselves and their network.

use arrow_array::types::{Float64Type, Int32Type, Int64Type};

use super::column::{self, Rows};
use super::Table;
use crate::fillers;
use crate::frame::capabilities::{EdcaParameters, ErpInformation, HtCapabilities, VhtCapabilities};
use crate::frame::country::Country;
use crate::frame::FrameKind;
use crate::pipeline::Announcement;

/// See the module.
pub static CAPABILITIES: Table<Announcement> = Table {
    name: "capabilities",
    fillers: fillers!(a: Announcement {
        source: source(());
        observer: addr(a.observer);
        station: addr(Some(a.station));
        bssid: addr(Some(a.bssid));
        kind: always<FrameKind>(a.kind);
        frames: id(a.frames);
        frame_no: id(a.frame_no);
        first_ns: id(a.first_ns);
        last_ns: id(a.last_ns);
        ess: bool(Some(a.capabilities.information.ess()));
        ibss: bool(Some(a.capabilities.information.ibss()));
        short_preamble: bool(Some(a.capabilities.information.short_preamble()));
        short_slot: bool(Some(a.capabilities.information.short_slot()));
        non_erp_present: bool(a.capabilities.erp.map(ErpInformation::non_erp_present));
        use_protection: bool(a.capabilities.erp.map(ErpInformation::use_protection));
        barker_preamble: bool(a.capabilities.erp.map(ErpInformation::barker_preamble));
        be_aifsn: i32(edca(a, BE).map(|ac| ac.aifsn));
        be_cw_min: i32(edca(a, BE).map(EdcaParameters::cw_min));
        be_cw_max: i32(edca(a, BE).map(EdcaParameters::cw_max));
        be_txop_limit_us: i32(edca(a, BE).map(EdcaParameters::txop_limit_us));
        bk_aifsn: i32(edca(a, BK).map(|ac| ac.aifsn));
        bk_cw_min: i32(edca(a, BK).map(EdcaParameters::cw_min));
        bk_cw_max: i32(edca(a, BK).map(EdcaParameters::cw_max));
        bk_txop_limit_us: i32(edca(a, BK).map(EdcaParameters::txop_limit_us));
        vi_aifsn: i32(edca(a, VI).map(|ac| ac.aifsn));
        vi_cw_min: i32(edca(a, VI).map(EdcaParameters::cw_min));
        vi_cw_max: i32(edca(a, VI).map(EdcaParameters::cw_max));
        vi_txop_limit_us: i32(edca(a, VI).map(EdcaParameters::txop_limit_us));
        vo_aifsn: i32(edca(a, VO).map(|ac| ac.aifsn));
        vo_cw_min: i32(edca(a, VO).map(EdcaParameters::cw_min));
        vo_cw_max: i32(edca(a, VO).map(EdcaParameters::cw_max));
        vo_txop_limit_us: i32(edca(a, VO).map(EdcaParameters::txop_limit_us));
        ht: bool(Some(a.capabilities.ht.is_some()));
        vht: bool(Some(a.capabilities.vht.is_some()));
        he: bool(Some(a.capabilities.he.is_some()));
        eht: bool(Some(a.capabilities.eht));
        ht_protection: i32(a.capabilities.ht_protection);
        ampdu_max_bytes: i64(a.capabilities.ampdu_max_bytes().map(i64::from));
        ampdu_spacing_us: f64(a.capabilities.ht.map(HtCapabilities::ampdu_spacing_us));
        amsdu_max_bytes: i32(a.capabilities.ht.map(HtCapabilities::amsdu_max_bytes));
        mpdu_max_bytes: i32(a.capabilities.vht.and_then(VhtCapabilities::mpdu_max_bytes));
        spatial_streams: i32(a.capabilities.streams());
        country: text((|a: &Announcement| a.capabilities.country.map(|country| country.code()), letters));
        country_environment: text((|a: &Announcement| a.capabilities.country?.environment(), str::to_owned));
        country_first_channels: list(a.capabilities.country.as_ref().map_or(&[], Country::first_channels));
        country_channels: list(a.capabilities.country.as_ref().map_or(&[], Country::channels));
        country_max_dbm: list(a.capabilities.country.as_ref().map_or(&[], Country::max_dbm));
    }),
};

const BE: usize = 0;
const BK: usize = 1;
const VI: usize = 2;
const VO: usize = 3;

fn letters(code: [u8; 2]) -> String {
    String::from_utf8_lossy(&code).into_owned()
}

fn edca(announcement: &Announcement, aci: usize) -> Option<EdcaParameters> {
    announcement.capabilities.edca?.get(aci).copied()
}
