//! One log shim: defmt on a board, nothing in tests on a PC.

#[cfg(feature = "defmt")]
pub(crate) use defmt::{debug, error, info, warn};

#[cfg(not(feature = "defmt"))]
macro_rules! silent {
    ($format:literal $(, $value:expr)* $(,)?) => {{ $(let _ = &$value;)* }};
}
#[cfg(not(feature = "defmt"))]
pub(crate) use {silent as debug, silent as error, silent as info, silent as warn};
