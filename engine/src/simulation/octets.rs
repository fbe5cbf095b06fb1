//! Congestion headers and options become octets of packets and frames.

use crate::controller::{Controller, Octets};
use crate::plan::{LinkKind, Plan};
use crate::world::CongestionHeaders;

use super::controlled::controller_of;

/// Lengthens packets, frames and ACKs by what the controllers of the flows put on them, if that counts.
pub(super) fn count(plan: &mut Plan, controllers: &[Box<dyn Controller>]) {
    if plan.congestion_headers == CongestionHeaders::Free {
        return;
    }
    let ids: Vec<_> = plan.flows.ids().collect();
    for id in ids {
        let flow = &mut plan.flows[id];
        let Some(controller) = controller_of(&flow.spec, controllers).filter(|_| flow.spec.ack_bytes > 0) else {
            continue;
        };
        let Octets { data_header, ack_header, data_option, ack_option, .. } = controller.octets();
        flow.spec.header_bytes += data_header;
        flow.spec.ack_bytes += ack_header;
        flow.options = (data_option, ack_option);
    }
    let told = controllers.iter().map(|controller| controller.octets().mac_ack).max().unwrap_or(0);
    let ids: Vec<_> = plan.links.ids().collect();
    for id in ids {
        if let LinkKind::Radio(radio) = &mut plan.links[id].kind {
            radio.control.ack = plan.mac.ack_airtime(told, radio.ack_rate_bps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Mode;
    use crate::controllers;
    use crate::index::{FlowId, LinkId};
    use crate::world::{FlowSpec, LinkSpec, NodeSpec, World};
    use serde_json::Value;

    fn planned(name: &str, mode: Mode, headers: CongestionHeaders) -> Plan {
        let nodes = vec![NodeSpec::new("a"), NodeSpec::new("b")];
        let mut world = World::new("pair", nodes, vec![LinkSpec::wireless("a", "b", 11_000_000)]);
        world.flows =
            vec![FlowSpec::new("greedy", ["a", "b"]), FlowSpec::new("datagrams", ["a", "b"]).unacknowledged()];
        world.congestion_headers = headers;
        let mut plan = Plan::new(&world).unwrap();
        count(&mut plan, &[controllers::make(name, mode, &Value::Object(serde_json::Map::new())).unwrap()]);
        plan
    }

    fn sizes(plan: &Plan) -> (u32, u32, (u32, u32), u64) {
        let LinkKind::Radio(radio) = &plan.links[LinkId(0)].kind else { unreachable!("as made above") };
        let flow = &plan.flows[FlowId(0)];
        (flow.spec.header_bytes, flow.spec.ack_bytes, flow.options, radio.control.ack)
    }

    /// 40 octets of TCP/IP, ACKs of 14 octets at 1 Mbit/s behind 192 us, and what each protocol adds.
    #[test]
    fn each_protocol_pays_for_its_own_fields() {
        const ACK: u64 = 304_000;
        let expected = [
            ("new_reno", Mode::Corrected, (40, 40, (0, 0), ACK)),
            ("xcp", Mode::Corrected, (60, 60, (0, 0), ACK)),
            ("xcp_b", Mode::Paper, (60, 60, (0, 0), ACK)),
            ("rcp", Mode::Paper, (52, 52, (0, 0), ACK)),
            ("xcp_winf", Mode::Paper, (60, 60, (0, 0), ACK + 64_000)),
            ("rcp_winf", Mode::Corrected, (52, 52, (0, 0), ACK + 64_000)),
            ("wcp", Mode::Corrected, (45, 43, (5, 5), ACK)),
            ("wcp", Mode::Paper, (45, 43, (9, 9), ACK)),
            ("wcp_cap", Mode::Corrected, (45, 41, (0, 0), ACK)),
            ("c3tcp", Mode::Paper, (40, 40, (13, 19), ACK)),
        ];
        for (name, mode, sizes_expected) in expected {
            assert_eq!(sizes(&planned(name, mode, CongestionHeaders::Counted)), sizes_expected, "{name}");
            assert_eq!(sizes(&planned(name, mode, CongestionHeaders::Free)), (40, 40, (0, 0), ACK), "{name}, free");
        }
    }

    #[test]
    fn datagrams_without_a_controller_stay_as_they_are() {
        let plan = planned("xcp", Mode::Corrected, CongestionHeaders::Counted);
        assert_eq!(plan.flows[FlowId(1)].spec.header_bytes, 28);
    }
}
