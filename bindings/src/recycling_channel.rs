//! A bounded channel that recycles buffers.
//!
//! A batch of frames takes megabytes; page faults in a fresh buffer cost as much as decoding into it. The receiver
//! therefore returns each buffer to the sender.

use std::sync::mpsc::{self, sync_channel, SendError, SyncSender};

/// The sending end, of the thread that fills batches.
pub struct Sender<R> {
    full: SyncSender<Vec<R>>,
    spare: mpsc::Receiver<Vec<R>>,
}

/// The receiving end, of the thread that uses them.
pub struct Receiver<R> {
    full: mpsc::Receiver<Vec<R>>,
    spare: mpsc::Sender<Vec<R>>,
}

/// A channel in which at most `queue` batches wait.
pub fn recycling_channel<R>(queue: usize) -> (Sender<R>, Receiver<R>) {
    let (full_sender, full) = sync_channel(queue);
    let (spare_sender, spare) = mpsc::channel();
    (Sender { full: full_sender, spare }, Receiver { full, spare: spare_sender })
}

impl<R> Sender<R> {
    /// An empty batch to fill, recycled if one has come back.
    pub fn batch(&self) -> Vec<R> {
        self.spare.try_recv().unwrap_or_default()
    }

    /// Sends a batch; blocks while the queue is full.
    ///
    /// # Errors
    /// The other end is gone.
    pub fn send(&self, batch: Vec<R>) -> Result<(), SendError<Vec<R>>> {
        self.full.send(batch)
    }
}

impl<R> Receiver<R> {
    /// Uses every batch until the other end is gone or one of them fails.
    ///
    /// # Errors
    /// Those of `use_batch`.
    pub fn for_each<E>(self, mut use_batch: impl FnMut(&[R]) -> Result<(), E>) -> Result<(), E> {
        for mut batch in self.full {
            use_batch(&batch)?;
            batch.clear();
            // The other end may be done.
            let _ = self.spare.send(batch);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_return_to_the_sender() {
        let (sender, receiver) = recycling_channel(2);
        sender.send(vec![1, 2, 3]).unwrap();
        let mut seen = Vec::new();
        let used = std::thread::scope(|scope| {
            let user = scope.spawn(move || {
                receiver.for_each(|batch| {
                    seen.extend_from_slice(batch);
                    if batch.contains(&9) {
                        Err(seen.clone())
                    } else {
                        Ok(())
                    }
                })
            });
            let mut reused = sender.batch();
            while reused.capacity() == 0 {
                reused = sender.batch();
            }
            assert!(reused.is_empty());
            reused.push(9);
            sender.send(reused).unwrap();
            user.join().unwrap()
        });
        assert_eq!(used, Err(vec![1, 2, 3, 9]));
        assert!(sender.send(vec![4]).is_err());
    }
}
