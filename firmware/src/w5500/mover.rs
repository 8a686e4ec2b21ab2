//! Carries frames between the chip and the network stack.

use embassy_futures::select::{Either4, select4};
use embassy_net_driver_channel::{self as channel, RxRunner, StateRunner, TxRunner, driver::LinkState};
use embassy_time::{Duration, Ticker};
use embedded_hal::digital::OutputPin;
use embedded_hal_async::{digital::Wait, spi::SpiDevice};

use super::{Chip, MTU, Taken, Trouble};
use crate::fmt::error;
use crate::liveness::Heartbeat;

/// How often the cable is looked at, and the chip for frames whose interrupt was missed.
const LOOK: Duration = Duration::from_millis(500);

pub struct Mover<'d, S, I, R> {
    chip: Chip<S, R>,
    cable: StateRunner<'d>,
    inbound: RxRunner<'d, MTU>,
    outbound: TxRunner<'d, MTU>,
    interrupt: I,
    /// The chip may hold frames.
    holds: bool,
}

impl<'d, S: SpiDevice, I: Wait, R: OutputPin> Mover<'d, S, I, R> {
    pub(super) fn new(chip: Chip<S, R>, runner: channel::Runner<'d, MTU>, interrupt: I) -> Self {
        let (cable, inbound, outbound) = runner.split();
        Self { chip, cable, inbound, outbound, interrupt, holds: true }
    }

    /// Forever. The mover answers for the chip as well: one that is not well is made ready anew, and unless that helps
    /// `alive` is not answered.
    pub async fn run(mut self, alive: &Heartbeat) -> ! {
        let mut tick = Ticker::every(LOOK);
        loop {
            self.carry().await;
            let Self { inbound, outbound, interrupt, holds, .. } = &mut self;
            let room_or_interrupt = async {
                if *holds {
                    inbound.rx_buf().await;
                } else {
                    // An input pin of a microcontroller can't fail.
                    let _ = interrupt.wait_for_low().await;
                }
            };
            let outbound = async {
                outbound.tx_buf().await;
            };
            match select4(room_or_interrupt, outbound, tick.next(), alive.asked()).await {
                Either4::First(()) => self.notice().await,
                Either4::Second(()) => {}
                Either4::Third(()) => {
                    self.notice().await;
                    let state = if self.chip.has_cable().await { LinkState::Up } else { LinkState::Down };
                    self.cable.set_link_state(state);
                }
                Either4::Fourth(()) => {
                    if self.chip.is_well().await || self.begin_anew().await {
                        alive.answer();
                    }
                }
            }
        }
    }

    /// Whatever came up to now will be seen, and what comes later raises the interrupt.
    async fn notice(&mut self) {
        // A bus that says no is asked again by the next look.
        let _ = self.chip.clear_interrupt().await;
        self.holds = true;
    }

    /// Carries what there is and what there is room for, a frame in each direction by turns: a flood from one side does
    /// not keep the other waiting.
    async fn carry(&mut self) {
        loop {
            let mut carried = false;
            if self.holds
                && let Some(frame) = self.inbound.try_rx_buf()
            {
                match self.chip.take(frame).await {
                    Ok(Taken::Frame(length)) => {
                        self.inbound.rx_done(length);
                        carried = true;
                    }
                    // After trouble the next look finds out whether anything is left.
                    Ok(Taken::Nothing) | Err(_) => self.holds = false,
                }
            }
            if let Some(frame) = self.outbound.try_tx_buf() {
                // A frame that can't be sent is lost, as on any Ethernet.
                let _ = self.chip.send(frame).await;
                self.outbound.tx_done();
                carried = true;
            }
            if !carried {
                return;
            }
        }
    }

    async fn begin_anew(&mut self) -> bool {
        error!("ethernet: the chip is not as it was left, it begins anew");
        self.holds = true;
        let ready: Result<(), Trouble> = self.chip.ready().await;
        ready.is_ok()
    }
}
