//! Two dice.

use crate::dice::Dice;

/// A throw. A script has one in a byte: `0x35` is 3 and 5.
pub(super) fn throw(dice: &mut Dice) -> (u8, u8) {
    match dice.step() {
        Some(step) => ((step >> 4).clamp(1, 6), (step & 0xf).clamp(1, 6)),
        None => dice.roll::<2>().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::script;

    #[test]
    fn a_script_has_a_throw_in_a_byte() {
        let mut dice = Dice::new();
        dice.begin(&script(&[0x12, 0x80 + 7, 0x66, 0x0f]).unwrap());
        assert_eq!([(); 3].map(|()| throw(&mut dice)), [(1, 2), (6, 6), (1, 6)]);
    }

    /// What was thrown from this seed when the first games were saved is thrown from it for ever.
    #[test]
    fn throws_are_the_same_for_ever() {
        let mut dice = Dice::new();
        dice.begin(&[7; 32]);
        assert_eq!([(); 6].map(|()| throw(&mut dice)), [(3, 6), (3, 4), (4, 6), (4, 1), (2, 2), (5, 2)]);
    }
}
