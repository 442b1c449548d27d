//! The requests of the peer that are in flight: received, and not answered yet.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tautline::owned::Id;

/// The ids of the requests in flight. It tells which errors would answer another request than they are meant for.
///
/// The peer finds the request that an answer is for by its id alone (JSON-RPC 2.0, section 5).
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    /// The number of requests with each id. A peer that reuses an id has several.
    ids: Mutex<HashMap<Id, usize>>,
}

impl InFlight {
    /// Records that a request was received.
    pub(crate) fn begin(&self, id: &Id) {
        let mut ids = self.lock();
        let count = ids.entry(id.clone()).or_default();
        *count = count.saturating_add(1);
    }

    /// Records that the answer to a request is on its way, or that it will get none.
    pub(crate) fn end(&self, id: &Id) {
        let mut ids = self.lock();
        if let Some(count) = ids.get_mut(id) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                ids.remove(id);
            }
        }
    }

    /// Returns the number of requests that have this id, or a number of the same value, which peers confuse with it.
    pub(crate) fn count(&self, id: &Id) -> usize {
        let ids = self.lock();
        match id.as_borrowed() {
            number @ tautline::Id::Number(_) => {
                let same = ids.iter().filter(|(other, _)| other.as_borrowed().is_worth(&number));
                same.map(|(_, count)| *count).fold(0, usize::saturating_add)
            }
            _ => ids.get(id).copied().unwrap_or_default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, usize>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_value_are_one_id() {
        let in_flight = InFlight::default();
        let count = |text| Id::parse(text).map(|id| in_flight.count(&id));
        for text in ["10", "1e1"] {
            in_flight.begin(&Id::parse(text).unwrap_or_else(Id::null));
        }
        for (text, expected) in [("10", 2), ("10.0", 2), ("1e1", 2), ("\"10\"", 0), ("11", 0)] {
            assert_eq!(count(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn requests_with_one_id_are_counted() {
        let in_flight = InFlight::default();
        let (id, other) = (Id::from("a"), Id::from(1));
        in_flight.begin(&id);
        in_flight.begin(&id);
        assert_eq!((in_flight.count(&id), in_flight.count(&other)), (2, 0));
        in_flight.end(&other);
        in_flight.end(&id);
        assert_eq!(in_flight.count(&id), 1);
        in_flight.end(&id);
        in_flight.end(&id);
        assert_eq!(in_flight.count(&id), 0);
        assert!(in_flight.lock().is_empty());
    }
}
