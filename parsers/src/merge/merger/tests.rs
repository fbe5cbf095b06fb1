use super::*;

/// Frames of one instant, each with its own content, as that recording holds them.
fn place(merger: &mut Merger<'_>, merged: &mut Merged, source: usize, count: usize) {
    for number in 0..count as u64 {
        let frame = Frame { content: Some(number), ..Frame::new(number + 1, 0) };
        let copy = Copy {
            source,
            frame_no: number + 1,
            is_sent: false,
            is_readable: true,
            signal_dbm: None,
            at_ns: 0,
            marks_begin: true,
            ppdu: None,
            ppdu_ns: (0, 0),
        };
        merger.place(Waiting { key: (0, source, number), copy, frame: Box::new(frame) }, merged);
    }
}

#[test]
fn of_more_frames_at_one_instant_than_a_channel_carries_the_oldest_go() {
    let (mut merger, mut merged) = (Merger::new(Vec::new()), Merged::default());
    place(&mut merger, &mut merged, 0, MAX_RECENT);
    place(&mut merger, &mut merged, 1, MAX_RECENT);
    assert_eq!((merger.recent.len(), merged.frames.len()), (MAX_RECENT, 0), "all of the second are copies");
    place(&mut merger, &mut merged, 2, 3 * MAX_RECENT);
    assert!(merger.recent.len() <= MAX_RECENT + 1, "{}", merger.recent.len());
    assert_eq!(merger.recent.len() + merged.frames.len(), 3 * MAX_RECENT);
}
