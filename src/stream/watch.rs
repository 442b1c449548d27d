//! Who watches frames over the limit go by: nobody, or a skimmer.

use crate::envelope::{Rules, Skimmed, Skimmer};

/// Who watches the frames over the limit of a stream: `()`, which is nobody and costs nothing, or a
/// [`Skimmer`].
///
/// The trait is sealed: what a watcher says decides which reply is owed.
pub trait Watch: sealed::Watch {}

impl Watch for () {}
impl Watch for Skimmer {}

pub(crate) mod sealed {
    use super::{Rules, Skimmed};

    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Watch {
        /// Shows the next piece of the frame under way.
        fn show(&mut self, piece: &[u8], rules: &Rules);

        /// What is known of what was shown, which is over: the next piece begins another frame.
        fn finish(&mut self) -> Option<Skimmed<'_>>;
    }
}

impl sealed::Watch for () {
    fn show(&mut self, _piece: &[u8], _rules: &Rules) {}

    fn finish(&mut self) -> Option<Skimmed<'_>> {
        None
    }
}

impl sealed::Watch for Skimmer {
    fn show(&mut self, piece: &[u8], rules: &Rules) {
        self.follow(rules);
        self.push(piece);
    }

    fn finish(&mut self) -> Option<Skimmed<'_>> {
        Some(Self::finish(self))
    }
}
