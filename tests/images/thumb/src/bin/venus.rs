//! Merchant of Venus, as a board serves it.
#![no_std]
#![no_main]

parlor_images::serve!(parlor_core::venus::limits::BoardVenus);
