//! Private items that `tautline-mcp`, the C library and the benchmarks use, besides hidden methods. They can change in any release.

pub mod bytes {
    pub use crate::bytes::{copy, run_of};
}

pub mod cast {
    pub use crate::cast::{index, u8_within, u32_from};
}

pub mod encode {
    pub use crate::encode::{Draft, alone, line};
}

pub mod envelope {
    pub use crate::envelope::{Kinds, Outlined, is_header, message_at, outline};
}

pub mod json {
    pub use crate::json::{Name, Picked, Walk};
}

pub mod name {
    #[cfg(feature = "serde")]
    pub use crate::name::Named;
    pub use crate::name::{display_name, named};
}

pub mod scan {
    pub use crate::scan::{base64_run, is_utf8};
    #[cfg(all(feature = "simd", target_arch = "x86_64", target_feature = "sse2"))]
    pub use crate::scan::{set_avx512, set_fast_pext};
}

pub mod resemblance {
    pub use crate::resemblance::resembles;
}

pub mod rule {
    pub use crate::rule::{numbered, rules};
}
