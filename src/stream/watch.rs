//! Observers of oversized frames: none, or a skimmer.

use crate::envelope::{Profile, Skimmed, Skimmer};

/// An observer of a stream's oversized frames: a [`Skimmer`], or `()` for no observer at no cost.
///
/// The trait is sealed, because the observer's findings decide which reply is owed.
pub trait Watch: sealed::Watch {}

impl Watch for () {}
impl Watch for Skimmer {}

pub(crate) mod sealed {
    use super::{Profile, Skimmed};

    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Watch {
        /// Shows the next piece of the current frame.
        fn show(&mut self, piece: &[u8], profile: &Profile);

        /// Returns what was found in the frame, which has ended. The next piece begins another frame.
        fn finish(&mut self) -> Option<Skimmed<'_>>;
    }
}

impl sealed::Watch for () {
    fn show(&mut self, _piece: &[u8], _profile: &Profile) {}

    fn finish(&mut self) -> Option<Skimmed<'_>> {
        None
    }
}

impl sealed::Watch for Skimmer {
    fn show(&mut self, piece: &[u8], profile: &Profile) {
        self.follow(profile);
        self.push(piece);
    }

    fn finish(&mut self) -> Option<Skimmed<'_>> {
        Some(Self::finish(self))
    }
}
