//! The settings that a handshake can change.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tautline::Profile;
use tautline::envelope::Ids;

use crate::protocol::Protocol;

/// The profile and the protocol of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreed {
    pub(crate) profile: Profile,
    pub(crate) protocol: Protocol,
}

impl Agreed {
    /// Returns the profile for answers. An answer repeats the id of its request, whatever profile that was parsed with.
    pub(crate) fn profile_for_answers(&self) -> Profile {
        self.profile.with_ids(Ids::Any)
    }
}

/// The current settings, which a handshake can change.
#[derive(Debug)]
pub(crate) struct Agreement {
    current: Mutex<Agreed>,
    /// True if the profile has changed since the task of the connection last looked.
    has_new_profile: AtomicBool,
}

impl Agreement {
    pub(crate) const fn new(agreed: Agreed) -> Self {
        Self { current: Mutex::new(agreed), has_new_profile: AtomicBool::new(false) }
    }

    pub(crate) fn current(&self) -> Agreed {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the profile, and the protocol if there is a new one.
    pub(crate) fn set(&self, profile: &Profile, protocol: Option<Protocol>) {
        {
            let mut agreed = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            let protocol = protocol.unwrap_or(agreed.protocol);
            *agreed = Agreed { profile: *profile, protocol };
        }
        self.has_new_profile.store(true, Ordering::Release);
    }

    /// Returns the profile if it has changed since the last call.
    pub(crate) fn new_profile(&self) -> Option<Profile> {
        self.has_new_profile.swap(false, Ordering::Acquire).then(|| self.current().profile)
    }
}
