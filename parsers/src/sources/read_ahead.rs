//! A reader on a thread of its own, a batch or two ahead of who wants the frames.

use std::panic::resume_unwind;
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::digest::Digest;
use super::reader::Reader;
use crate::base::{Result, Warning};
use crate::frame::Frame;

/// Batches that wait: bounds memory.
const QUEUE: usize = 1;

/// What one call of [`Reader::read`] gave.
struct Batch {
    frames: Vec<Frame>,
    more: Result<bool>,
    radios: u8,
}

/// A reader that reads ahead: the file is read, hashed and decoded while clocks and exchanges of the frames before are
/// found.
///
/// Its thread ends with the recording or at an error. To drop it waits for the batch that is being read.
pub struct ReadAhead {
    inner: Arc<Mutex<Box<dyn Reader>>>,
    /// `None` once the recording has ended.
    running: Option<Running>,
    radios: u8,
}

/// The thread, and the channels to it.
struct Running {
    batches: Receiver<Batch>,
    /// Emptied batches: page faults in a fresh one cost as much as decoding into it.
    spare: Sender<Vec<Frame>>,
    thread: JoinHandle<()>,
}

impl ReadAhead {
    /// Begins to read. The recording must not be one that grows: the thread would ask for more without a pause.
    pub fn new(reader: Box<dyn Reader>) -> ReadAhead {
        let radios = reader.radios();
        let inner = Arc::new(Mutex::new(reader));
        let (sender, batches) = sync_channel(QUEUE);
        let (spare, emptied) = channel();
        let shared = Arc::clone(&inner);
        let thread = thread::spawn(move || read_all(&shared, &sender, &emptied));
        ReadAhead { inner, running: Some(Running { batches, spare, thread }), radios }
    }

    fn inner(&self) -> MutexGuard<'_, Box<dyn Reader>> {
        locked(&self.inner)
    }

    /// Waits for the thread; a panic of it must not pass for the end of the recording.
    fn end(&mut self) {
        let Some(Running { batches, thread, .. }) = self.running.take() else { return };
        drop(batches);
        if let Err(panic) = thread.join() {
            if !thread::panicking() {
                resume_unwind(panic);
            }
        }
    }
}

impl Reader for ReadAhead {
    fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
        let Some(running) = &self.running else { return Ok(false) };
        let Ok(mut batch) = running.batches.recv() else {
            self.end();
            return Ok(false);
        };
        match frames.is_empty() {
            true => std::mem::swap(frames, &mut batch.frames),
            false => frames.append(&mut batch.frames),
        }
        self.radios = batch.radios;
        // The thread may have ended.
        let _ = running.spare.send(batch.frames);
        if !matches!(batch.more, Ok(true)) {
            self.end();
        }
        batch.more
    }

    fn radios(&self) -> u8 {
        self.radios
    }

    fn warnings(&self) -> Vec<Warning> {
        self.inner().warnings()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.inner().facts()
    }

    fn digest(&self) -> Option<Digest> {
        self.inner().digest()
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.end();
    }
}

/// Sends batch after batch until the recording has ended or nobody wants more.
fn read_all(reader: &Mutex<Box<dyn Reader>>, batches: &SyncSender<Batch>, emptied: &Receiver<Vec<Frame>>) {
    loop {
        let mut frames = emptied.try_recv().unwrap_or_default();
        let (more, radios) = {
            let mut reader = locked(reader);
            (reader.read(&mut frames), reader.radios())
        };
        let is_last = !matches!(more, Ok(true));
        if batches.send(Batch { frames, more, radios }).is_err() || is_last {
            return;
        }
    }
}

fn locked(reader: &Mutex<Box<dyn Reader>>) -> MutexGuard<'_, Box<dyn Reader>> {
    reader.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Error;

    /// Batches of two frames; then the end, an error, or a panic.
    struct Fake {
        left: u64,
        last: fn() -> Result<bool>,
    }

    impl Reader for Fake {
        fn read(&mut self, frames: &mut Vec<Frame>) -> Result<bool> {
            if self.left == 0 {
                return (self.last)();
            }
            frames.extend([Frame::new(2 * self.left, 0), Frame::new(2 * self.left - 1, 0)]);
            self.left -= 1;
            Ok(true)
        }

        fn radios(&self) -> u8 {
            u8::try_from(self.left).unwrap_or(u8::MAX).max(1)
        }

        fn warnings(&self) -> Vec<Warning> {
            Vec::new()
        }

        fn facts(&self) -> Vec<(&'static str, String)> {
            vec![("left", self.left.to_string())]
        }
    }

    fn ahead(left: u64, last: fn() -> Result<bool>) -> ReadAhead {
        ReadAhead::new(Box::new(Fake { left, last }))
    }

    #[test]
    fn frames_come_in_order_with_the_radios_of_their_batch() {
        let mut reader = ahead(5, || Ok(false));
        let (mut frames, mut batch, mut radios) = (Vec::new(), Vec::new(), Vec::new());
        while reader.read(&mut batch).unwrap() {
            radios.push(reader.radios());
            frames.extend(batch.drain(..).map(|frame| frame.frame_no));
        }
        assert_eq!(frames, (1..=10).rev().collect::<Vec<u64>>());
        assert_eq!(radios, [4, 3, 2, 1, 1]);
        assert_eq!(reader.facts(), [("left", "0".to_owned())]);
        assert!(!reader.read(&mut batch).unwrap(), "the end stays the end");
    }

    #[test]
    fn what_was_there_stays_before_what_is_read() {
        let mut reader = ahead(1, || Ok(false));
        let mut frames = vec![Frame::new(9, 0)];
        reader.read(&mut frames).unwrap();
        assert_eq!(frames.iter().map(|frame| frame.frame_no).collect::<Vec<_>>(), [9, 2, 1]);
    }

    #[test]
    fn an_error_ends_the_recording() {
        let mut reader = ahead(1, || Err(Error::Empty { path: "a.pcap".into() }));
        let mut frames = Vec::new();
        assert!(reader.read(&mut frames).unwrap());
        assert!(matches!(reader.read(&mut frames), Err(Error::Empty { .. })));
        assert!(!reader.read(&mut frames).unwrap());
    }

    #[test]
    #[should_panic(expected = "a decoder's panic")]
    fn a_panic_is_not_the_end_of_the_recording() {
        let mut reader = ahead(0, || panic!("a decoder's panic"));
        let _ = reader.read(&mut Vec::new());
    }

    #[test]
    fn a_reader_that_is_dropped_ends_its_thread() {
        let reader = ahead(u64::MAX / 2, || Ok(false));
        let inner = Arc::downgrade(&reader.inner);
        drop(reader);
        assert!(inner.upgrade().is_none(), "the thread has given the reader back");
    }
}
