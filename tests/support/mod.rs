//! The code that several test programs share: the properties that the fuzzer checks as well, the naive references that
//! the crate is compared with, and helpers.

pub mod allocator;
pub mod checks {
    //! Properties that hold for any input. The fuzzer calls them, and so do the tests.

    #[cfg(feature = "alloc")]
    pub mod encode_roundtrip;
    pub mod frame_concatenated;
    pub mod frame_content_length;
    pub mod frame_sse;
    pub mod scan_vs_serde_json;
    pub mod skim_vs_plain;
    pub mod split_chunks;
}
pub mod dice;
pub mod drivers;
pub mod faulty;
pub mod framings;
pub mod presets;
pub mod reference {
    //! Naive references. They share no code with their subjects.

    pub mod concatenated;
    pub mod content_length;
    pub mod json;
    pub mod reply;
    pub mod server_sent_events;
    pub mod splitter;
}
pub mod replay;
#[cfg(feature = "alloc")]
pub mod room;
pub mod volume;
