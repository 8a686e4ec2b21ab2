//! What a board's lamp says: whether there is a cable, an address, and talk with a client.
//!
//! | lamp | meaning |
//! |---|---|
//! | a short flash each second | no cable |
//! | quick, even blinking | a cable, but no address yet |
//! | on | ready to play |
//! | on, with short gaps | somebody plays, or is shown a page |
//!
//! It only watches: nothing waits for it, and it can't keep anything from running.

use embassy_futures::select::{Either, select};
use embassy_net::Stack;
use embassy_time::{Duration, Timer};

use crate::shared::Shared;

/// One change of the lamp, and how long it then stays so at least.
type Blink = (bool, Duration);

const NO_CABLE: [Blink; 2] = [(true, Duration::from_millis(60)), (false, Duration::from_millis(940))];
const NO_ADDRESS: [Blink; 2] = [(true, Duration::from_millis(125)), (false, Duration::from_millis(125))];
const TALK: [Blink; 2] = [(false, Duration::from_millis(40)), (true, Duration::from_millis(60))];
/// How long a lamp that is on may take to see that the cable is out.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Network {
    NoCable,
    NoAddress,
    Ready,
}

impl Network {
    fn of(stack: Stack<'_>) -> Self {
        match (stack.is_link_up(), stack.is_config_up()) {
            (false, _) => Self::NoCable,
            (true, false) => Self::NoAddress,
            (true, true) => Self::Ready,
        }
    }
}

/// Shows it, forever. `set` switches the lamp.
pub async fn show(stack: Stack<'_>, shared: &Shared, mut set: impl FnMut(bool)) -> ! {
    loop {
        show_once(Network::of(stack), shared, &mut set).await;
    }
}

/// Until the network should be looked at again.
async fn show_once(network: Network, shared: &Shared, set: &mut impl FnMut(bool)) {
    let blinks = match network {
        Network::NoCable => NO_CABLE,
        Network::NoAddress => NO_ADDRESS,
        Network::Ready => {
            set(true);
            if let Either::Second(()) = select(shared.talk.wait(), Timer::after(LOOK)).await {
                return;
            }
            TALK
        }
    };
    for (on, time) in blinks {
        set(on);
        Timer::after(time).await;
    }
}

#[cfg(test)]
mod tests {
    use core::pin::pin;
    use std::vec::Vec;

    use embassy_futures::poll_once;
    use embassy_time::MockDriver;

    use super::*;
    use crate::shared::tests::CLOCK;

    /// What the lamp did in `steps` of 20 ms each, `act` having been done after the first.
    fn seen(network: Network, shared: &Shared, steps: usize, act: impl FnOnce()) -> Vec<bool> {
        let _clock = CLOCK.lock();
        let mut changes = Vec::new();
        {
            let mut set = |on| changes.push(on);
            let mut once = pin!(show_once(network, shared, &mut set));
            assert!(poll_once(once.as_mut()).is_pending());
            act();
            for _ in 0..steps {
                MockDriver::get().advance(Duration::from_millis(20));
                if poll_once(once.as_mut()).is_ready() {
                    break;
                }
            }
        }
        changes
    }

    #[test]
    fn it_blinks_while_there_is_nothing_to_play_on() {
        let shared = Shared::new();
        assert_eq!(seen(Network::NoCable, &shared, 2, || ()), [true]);
        assert_eq!(seen(Network::NoCable, &shared, 4, || ()), [true, false]);
        assert_eq!(seen(Network::NoAddress, &shared, 20, || ()), [true, false]);
    }

    #[test]
    fn talk_shows_as_gaps() {
        let shared = Shared::new();
        assert_eq!(seen(Network::Ready, &shared, 30, || ()), [true]);
        assert_eq!(seen(Network::Ready, &shared, 30, || shared.talk.signal(())), [true, false, true]);
    }
}
