use super::*;
use serde_json::json;

const PAIR: &str = r#"{
    "duration_ns": 2000000000,
    "nodes": [{"name": "a"}, {"name": "b"}],
    "links": [{"from": "a", "to": "b", "duplex": true, "medium": {"wireless": {"loss": 0.1}}}],
    "flows": [{"name": "f", "path": ["a", "b"]}, {"name": "g", "path": ["b", "a"]}]
}"#;

fn replay(threads: usize) -> Replay {
    let controller =
        |name: &str| RunController { name: name.into(), mode: Mode::Corrected, kind: Kind::Registered(json!({})) };
    let world = World::from_json(PAIR).unwrap();
    let controllers = vec![controller("new_reno"), controller("rcp")];
    Replay::new("pair".into(), world, Some(5), controllers, Vec::new(), vec![1, 2, 3], threads).unwrap()
}

fn all(replay: &Replay) -> Vec<(Vec<RecordBatch>, Vec<RecordBatch>, Vec<RecordBatch>)> {
    let starts = (0..replay.len()).step_by(replay.together());
    let runs = starts.flat_map(|first| replay.runs(first, || false).unwrap());
    runs.map(|run| (run.flows, run.links, run.summary)).collect()
}

/// The second flow keeps its controller, so that only the first one's datagrams are unacknowledged.
#[test]
fn flows_may_keep_a_controller_of_their_own() {
    let registered =
        |name: &str| RunController { name: name.into(), mode: Mode::Corrected, kind: Kind::Registered(json!({})) };
    let mut world = World::from_json(PAIR).unwrap();
    world.flows[1].controller = Some(1);
    let make =
        |companions| Replay::new("pair".into(), world.clone(), None, vec![registered("cbr")], companions, vec![1], 1);
    assert!(make(Vec::new()).is_err(), "there is no second controller");
    let run = &make(vec![registered("new_reno")]).unwrap().runs(0, || false).unwrap()[0];
    let windows = run.summary[0].column_by_name("window_bytes").unwrap();
    assert_eq!([0, 1].map(|flow| windows.is_null(flow)), [true, false]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let one = all(&replay(1));
    assert_eq!(one.len(), 6);
    assert_ne!(one[0], one[1]);
    assert_eq!(one, all(&replay(3)));
}

#[test]
fn tables_have_a_row_per_flow_or_link_and_bin() {
    let runs = replay(2).runs(0, || false).unwrap();
    let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!((rows(&runs[0].flows), rows(&runs[0].links), rows(&runs[0].summary)), (40, 40, 2));
    assert_eq!((runs[5].key.controller.as_str(), runs[5].key.seed), ("rcp", 3));
}

#[test]
fn an_interrupt_ends_the_runs() {
    let mut world = World::from_json(PAIR).unwrap();
    world.duration_ns = 3_600_000_000_000;
    let controller =
        RunController { name: "new_reno".into(), mode: Mode::Corrected, kind: Kind::Registered(json!({})) };
    let replay = Replay::new("long".into(), world, None, vec![controller], Vec::new(), vec![1], 1).unwrap();
    assert!(matches!(replay.runs(0, || true), Err(Error::Interrupted)));
}
