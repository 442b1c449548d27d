//! Runs many tasks at once that spend most of their time waiting.

use std::sync::Mutex;
use std::thread;

/// The number of calls at the same time, for each processor.
const AT_ONCE: usize = 12;

/// Calls a function for each item, many at the same time, and returns the results in any order.
pub fn at_once<T: Send, R: Send>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    call: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let (queue, results) = (Mutex::new(items.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE * processors {
            scope.spawn(|| {
                while let Some(item) = next(&queue) {
                    let result = call(item);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

fn next<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().unwrap().next()
}
