//! One log shim, two back ends, never both: `defmt` on a chip, `log` on a PC. With neither feature every line compiles to
//! nothing.
//!
//! A log line only tells: nothing here is ever asked for a decision, and no secret is logged.

#[cfg(all(feature = "defmt", feature = "log"))]
compile_error!("the features `defmt` and `log` exclude each other");

#[cfg(feature = "defmt")]
pub(crate) use defmt::{debug, info, trace};
#[cfg(all(feature = "log", not(feature = "defmt")))]
pub(crate) use log::{debug, info, trace};

#[cfg(not(any(feature = "defmt", feature = "log")))]
macro_rules! silent {
    ($format:literal $(, $value:expr)* $(,)?) => {{ $(let _ = &$value;)* }};
}
#[cfg(not(any(feature = "defmt", feature = "log")))]
pub(crate) use {silent as debug, silent as info, silent as trace};
