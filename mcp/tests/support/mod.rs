//! The code that the tests of MCP share: the helpers of the core's tests, and references that know MCP.

#[path = "../../../tests/support/mod.rs"]
mod core;

pub use core::*;
pub mod checks {
    //! Properties that hold for any input. The fuzzer calls them, and so do the tests.

    pub use super::core::checks::*;
    #[cfg(all(feature = "alloc", feature = "shapes"))]
    pub mod conversation;
    #[cfg(feature = "alloc")]
    pub mod http_vs_naive;
    #[cfg(all(feature = "alloc", feature = "shapes"))]
    pub mod shapes_vs_naive;
}
pub mod members;
pub mod mutate;
pub mod reference {
    //! Naive references. They share no code with their subjects.

    pub use super::core::reference::*;
    pub mod http;
    pub mod mcp;
    pub mod session;
}
pub mod shapes {
    //! The shapes of payloads, read from their text, and generated and judged naively.

    pub mod document;
    pub mod generate;
    pub mod naive;
}
pub mod talk;
