//! The exit codes.

/// No finding has severity error, and the baseline is not stale.
pub const CLEAN: u8 = 0;
/// Errors were found, or the baseline is stale.
pub const ERRORS: u8 = 1;
/// The command could not run to the end.
pub const FAILED: u8 = 2;
