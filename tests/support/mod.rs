//! The code that several test programs share: the properties that the fuzzer checks as well, the naive references that
//! the crate is compared with, and helpers.

pub mod allocator;
pub mod checks {
    //! Properties that hold for any input. The fuzzer calls them, and so do the tests.

    #[cfg(all(feature = "alloc", feature = "shapes"))]
    pub mod conversation;
    #[cfg(feature = "alloc")]
    pub mod encode_roundtrip;
    pub mod frame_concatenated;
    pub mod frame_content_length;
    pub mod frame_sse;
    pub mod scan_vs_serde_json;
    #[cfg(feature = "shapes")]
    pub mod shapes_vs_naive;
    pub mod skim_vs_plain;
    pub mod split_chunks;
}
pub mod dice;
pub mod drivers;
pub mod faulty;
pub mod framings;
pub mod members;
pub mod mutate;
pub mod presets;
pub mod reference {
    //! Naive references. They share no code with their subjects.

    pub mod concatenated;
    pub mod content_length;
    pub mod event_stream;
    pub mod json;
    pub mod mcp;
    pub mod reply;
    pub mod session;
    pub mod splitter;
}
pub mod shapes {
    //! The shapes of payloads, read from their text, and generated and judged naively.

    pub mod document;
    pub mod generate;
    pub mod naive;
}
pub mod talk;
pub mod volume;
