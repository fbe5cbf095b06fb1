//! The `capabilities` table: what stations announce about themselves and their network.

use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_schema::DataType;

use super::column::{self, Rows};
use super::Table;
use crate::columns;
use crate::frame::capabilities::{EdcaParameters, ErpInformation, HtCapabilities, VhtCapabilities};
use crate::frame::FrameKind;
use crate::pipeline::Announcement;

/// See the module.
pub static CAPABILITIES: Table<Announcement> = Table {
    name: "capabilities",
    doc: "one row per station and set of capabilities that it announced, in beacons, probe responses and association",
    columns: columns!(a: Announcement {
        source: source(()), "recording it was heard in";
        observer: addr(a.observer), "whose radio recorded it; null for an anonymous sniffer";
        station: addr(Some(a.station)), "who announced it";
        bssid: addr(Some(a.bssid)), "basic service set it is about";
        kind: always<FrameKind>(a.kind), "kind of the frames it was in";
        frames: id(a.frames), "frames that said so";
        frame_no: id(a.frame_no), "the first of them";
        first_ns: id(a.first_ns), "time stamp of the first, ns";
        last_ns: id(a.last_ns), "time stamp of the last, ns";
        ess: bool(Some(a.capabilities.information.ess())), "sent by an access point";
        ibss: bool(Some(a.capabilities.information.ibss())), "sent by a member of an IBSS";
        short_preamble: bool(Some(a.capabilities.information.short_preamble())), "short DSSS preambles are allowed";
        short_slot: bool(Some(a.capabilities.information.short_slot())), "short slot time in use (AP), supported (station)";
        non_erp_present: bool(a.capabilities.erp.map(ErpInformation::non_erp_present)), "ERP: a member is without ERP";
        use_protection: bool(a.capabilities.erp.map(ErpInformation::use_protection)), "ERP: protect OFDM frames";
        barker_preamble: bool(a.capabilities.erp.map(ErpInformation::barker_preamble)), "ERP: long preambles only";
        be_aifsn: i32(edca(a, BE).map(|ac| ac.aifsn)), "EDCA best effort: AIFSN, slots";
        be_cw_min: i32(edca(a, BE).map(EdcaParameters::cw_min)), "EDCA best effort: CWmin, slots";
        be_cw_max: i32(edca(a, BE).map(EdcaParameters::cw_max)), "EDCA best effort: CWmax, slots";
        be_txop_limit_us: i32(edca(a, BE).map(EdcaParameters::txop_limit_us)), "EDCA best effort: TXOP limit, us";
        bk_aifsn: i32(edca(a, BK).map(|ac| ac.aifsn)), "EDCA background: AIFSN, slots";
        bk_cw_min: i32(edca(a, BK).map(EdcaParameters::cw_min)), "EDCA background: CWmin, slots";
        bk_cw_max: i32(edca(a, BK).map(EdcaParameters::cw_max)), "EDCA background: CWmax, slots";
        bk_txop_limit_us: i32(edca(a, BK).map(EdcaParameters::txop_limit_us)), "EDCA background: TXOP limit, us";
        vi_aifsn: i32(edca(a, VI).map(|ac| ac.aifsn)), "EDCA video: AIFSN, slots";
        vi_cw_min: i32(edca(a, VI).map(EdcaParameters::cw_min)), "EDCA video: CWmin, slots";
        vi_cw_max: i32(edca(a, VI).map(EdcaParameters::cw_max)), "EDCA video: CWmax, slots";
        vi_txop_limit_us: i32(edca(a, VI).map(EdcaParameters::txop_limit_us)), "EDCA video: TXOP limit, us";
        vo_aifsn: i32(edca(a, VO).map(|ac| ac.aifsn)), "EDCA voice: AIFSN, slots";
        vo_cw_min: i32(edca(a, VO).map(EdcaParameters::cw_min)), "EDCA voice: CWmin, slots";
        vo_cw_max: i32(edca(a, VO).map(EdcaParameters::cw_max)), "EDCA voice: CWmax, slots";
        vo_txop_limit_us: i32(edca(a, VO).map(EdcaParameters::txop_limit_us)), "EDCA voice: TXOP limit, us";
        ht: bool(Some(a.capabilities.ht.is_some())), "HT Capabilities element";
        vht: bool(Some(a.capabilities.vht.is_some())), "VHT Capabilities element";
        he: bool(Some(a.capabilities.he.is_some())), "HE Capabilities element";
        eht: bool(Some(a.capabilities.eht)), "EHT Capabilities element";
        ht_protection: i32(a.capabilities.ht_protection), "HT Operation: 0 none, 1 nonmember, 2 20 MHz, 3 mixed";
        ampdu_max_bytes: i64(a.capabilities.ampdu_max_bytes().map(i64::from)), "longest A-MPDU it receives, octets";
        ampdu_spacing_us: f64(a.capabilities.ht.map(HtCapabilities::ampdu_spacing_us)), "minimum MPDU start spacing, us";
        amsdu_max_bytes: i32(a.capabilities.ht.map(HtCapabilities::amsdu_max_bytes)), "longest A-MSDU it receives, octets (HT)";
        mpdu_max_bytes: i32(a.capabilities.vht.and_then(VhtCapabilities::mpdu_max_bytes)), "longest MPDU it receives, octets (VHT)";
        spatial_streams: i32(a.capabilities.streams()), "streams it receives at the latest PHY announced";
    }),
};

const BE: usize = 0;
const BK: usize = 1;
const VI: usize = 2;
const VO: usize = 3;

fn edca(announcement: &Announcement, aci: usize) -> Option<EdcaParameters> {
    announcement.capabilities.edca?.get(aci).copied()
}
