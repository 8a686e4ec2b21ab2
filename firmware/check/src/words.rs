//! Settings as the words that an image takes. parlor-firmware's `options` reads them.

/// `seed=` and 32 bytes.
pub fn seed(seed: &[u8; 32]) -> String {
    let digits = seed.iter().map(|byte| format!("{byte:02x}"));
    digits.fold("seed=".into(), |word, digits| word + &digits)
}
