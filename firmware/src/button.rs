//! A button that is held for long makes the board forget everything: the saved games and what its owner chose.

use embassy_time::{Duration, Timer};

use crate::fmt::warn;
use crate::shared::Shared;

/// How often the button is looked at. Nothing runs out of the flash meanwhile, where the button shares its wire.
const LOOK: Duration = Duration::from_millis(250);
/// It must be held for as many looks: five seconds. No one leans on a button for so long.
const HELD: u32 = 20;

/// Looks at it, forever.
pub async fn watch(shared: &Shared, mut is_pressed: impl FnMut() -> bool) -> ! {
    let mut held = 0;
    loop {
        Timer::after(LOOK).await;
        held = if is_pressed() { held + 1 } else { 0 };
        if held == HELD {
            warn!("button: everything will be forgotten");
            shared.forgets.set(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::pin::pin;

    use embassy_futures::poll_once;
    use embassy_time::MockDriver;

    use super::*;
    use crate::shared::tests::CLOCK;

    #[test]
    fn only_a_button_that_is_held_counts() {
        let _clock = CLOCK.lock();
        let (shared, pressed) = (std::boxed::Box::new(Shared::new()), Cell::new(false));
        let mut watch = pin!(watch(&shared, || pressed.get()));
        let mut look = |times: u32, is_pressed: bool| {
            pressed.set(is_pressed);
            for _ in 0..times {
                assert!(poll_once(watch.as_mut()).is_pending());
                MockDriver::get().advance(LOOK);
            }
            assert!(poll_once(watch.as_mut()).is_pending());
        };
        look(HELD - 1, true);
        look(1, false);
        look(HELD - 1, true);
        assert!(!shared.forgets.get());
        look(1, true);
        assert!(shared.forgets.get());
    }
}
