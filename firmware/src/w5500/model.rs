//! A W5500 in memory as its data sheet describes it, as far as the driver goes, and tests of the driver against it.

use core::cell::{Cell, RefCell};
use core::convert::Infallible;
use core::future::{pending, poll_fn};
use core::pin::pin;
use core::task::{Poll, Waker};
use std::collections::VecDeque;
use std::vec::Vec;

use embassy_futures::poll_once;
use embassy_net_driver_channel::driver::{Driver, LinkState, RxToken, TxToken};
use embassy_time::MockDriver;
use embedded_hal::{digital, spi};

use super::*;
use crate::liveness::Heartbeat;
use crate::shared::tests::CLOCK;

const BUFFER: usize = 16 * 1024;

struct Model {
    common: [u8; 0x40],
    socket: [u8; 0x30],
    receive: Vec<u8>,
    transmit: Vec<u8>,
    /// Read up to here, as the driver has told, and written up to here.
    taken: u16,
    written: u16,
    /// Sent up to here.
    gone: u16,
    sent: Vec<Vec<u8>>,
    wire: VecDeque<Vec<u8>>,
    open: bool,
    opened: usize,
    /// The bus never comes back.
    stuck: bool,
}

impl Model {
    fn new() -> RefCell<Self> {
        let mut common = [0; 0x40];
        common[0x39] = VERSION;
        common[0x2E] = 0xBF;
        RefCell::new(Self {
            common,
            socket: [0; 0x30],
            receive: std::vec![0; BUFFER],
            transmit: std::vec![0; BUFFER],
            taken: 0,
            written: 0,
            gone: 0,
            sent: Vec::new(),
            wire: VecDeque::new(),
            open: false,
            opened: 0,
            stuck: false,
        })
    }

    fn word(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.socket[at], self.socket[at + 1]])
    }

    fn set_word(&mut self, at: usize, word: u16) {
        self.socket[at..at + 2].copy_from_slice(&word.to_be_bytes());
    }

    /// A frame comes; none is lost for want of room.
    fn come(&mut self, frame: &[u8]) {
        self.wire.push_back(frame.to_vec());
        self.accept();
    }

    fn accept(&mut self) {
        while self.open
            && let Some(frame) = self.wire.front()
            && usize::from(self.written.wrapping_sub(self.taken)) + frame.len() + 2 <= BUFFER
        {
            let frame = self.wire.pop_front().unwrap();
            let length = (frame.len() as u16 + 2).to_be_bytes();
            for byte in length.into_iter().chain(frame) {
                self.receive[usize::from(self.written) % BUFFER] = byte;
                self.written = self.written.wrapping_add(1);
            }
            self.socket[0x02] |= INTERRUPT_RECEIVED;
        }
        self.set_word(0x26, self.written.wrapping_sub(self.taken));
    }

    fn interrupt_is_low(&self) -> bool {
        self.socket[0x02] & self.socket[0x2C] != 0 && self.common[0x18] & 1 != 0
    }

    fn exchange(&mut self, block: u8, at: u16, write: Option<u8>) -> u8 {
        let (place, at) = (usize::from(at) % BUFFER, usize::from(at));
        match (block, write) {
            (TRANSMIT, Some(byte)) => self.transmit[place] = byte,
            (COMMON, Some(byte)) => self.common[at] = byte,
            (SOCKET, Some(command)) if at == 0x01 => self.obey(command),
            (SOCKET, Some(bits)) if at == 0x02 => self.socket[at] &= !bits,
            (SOCKET, Some(byte)) => self.socket[at] = byte,
            (RECEIVE, None) => return self.receive[place],
            (COMMON, None) => return self.common[at],
            (SOCKET, None) if at == 0x01 => return 0,
            (SOCKET, None) if at == 0x03 => return if self.open { STATUS_MACRAW } else { 0 },
            (SOCKET, None) => return self.socket[at],
            _ => panic!("block {block}"),
        }
        0
    }

    fn obey(&mut self, command: u8) {
        match command {
            OPEN => {
                (self.taken, self.written, self.gone) = (0, 0, 0);
                (self.open, self.opened) = (self.socket[0x00] == MACRAW_FILTERED, self.opened + 1);
                self.set_word(0x28, 0);
                self.set_word(0x24, 0);
                self.set_word(0x20, BUFFER as u16);
                self.accept();
            }
            CLOSE => self.open = false,
            SEND => {
                let end = self.word(0x24);
                let length = usize::from(end.wrapping_sub(self.gone));
                let from = usize::from(self.gone);
                self.sent.push((0..length).map(|at| self.transmit[(from + at) % BUFFER]).collect());
                self.gone = end;
            }
            RECEIVED_TO_HERE => {
                self.taken = self.word(0x28);
                self.accept();
            }
            _ => panic!("command {command}"),
        }
    }
}

struct Bus<'a>(&'a RefCell<Model>);

impl spi::ErrorType for Bus<'_> {
    type Error = Infallible;
}

impl SpiDevice for Bus<'_> {
    async fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        if self.0.borrow().stuck {
            pending::<()>().await;
        }
        let &mut [Operation::Write(&[high, low, control]), ref mut data] = operations else { panic!("no header") };
        let at = u16::from_be_bytes([high, low]);
        let mut model = self.0.borrow_mut();
        match data {
            Operation::Write(bytes) => (at..).zip(*bytes).for_each(|(at, byte)| {
                model.exchange(control >> 3, at, Some(*byte));
            }),
            Operation::Read(bytes) => {
                (at..).zip(bytes.iter_mut()).for_each(|(at, byte)| *byte = model.exchange(control >> 3, at, None));
            }
            _ => panic!("neither read nor write"),
        }
        Ok(())
    }
}

struct Pins<'a>(&'a RefCell<Model>, &'a Cell<usize>);

impl digital::ErrorType for Pins<'_> {
    type Error = Infallible;
}

impl OutputPin for Pins<'_> {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.1.set(self.1.get() + 1);
        self.0.borrow_mut().open = false;
        Ok(())
    }
    fn set_high(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// The level itself: a test polls the mover whenever it might have changed.
impl Wait for Pins<'_> {
    async fn wait_for_low(&mut self) -> Result<(), Infallible> {
        poll_fn(|_| if self.0.borrow().interrupt_is_low() { Poll::Ready(()) } else { Poll::Pending }).await;
        Ok(())
    }
    async fn wait_for_high(&mut self) -> Result<(), Infallible> {
        panic!("nobody waits for that")
    }
    async fn wait_for_rising_edge(&mut self) -> Result<(), Infallible> {
        panic!("nobody waits for that")
    }
    async fn wait_for_falling_edge(&mut self) -> Result<(), Infallible> {
        panic!("an edge is lost when two frames come at once")
    }
    async fn wait_for_any_edge(&mut self) -> Result<(), Infallible> {
        panic!("nobody waits for that")
    }
}

fn frame(number: u8, length: usize) -> Vec<u8> {
    let mut frame = std::vec![number; length];
    frame[..6].fill(0xFF);
    frame
}

/// Everything between a chip and a stack. `act` is given the stack's side and a way to let time pass, in milliseconds.
fn run(model: &RefCell<Model>, act: impl FnOnce(&mut Port<'_>, &mut dyn FnMut(u64), &Heartbeat)) -> usize {
    let _clock = CLOCK.lock();
    let (resets, alive) = (Cell::new(0), Heartbeat::new());
    let mut frames = Frames::<4, 4>::new();
    {
        let mut begin =
            pin!(start([2, 0, 0, 0, 0, 1], &mut frames, Bus(model), Pins(model, &resets), Pins(model, &resets)));
        let (mut port, mover) = loop {
            if let Poll::Ready(begun) = poll_once(begin.as_mut()) {
                break begun.unwrap_or_else(|trouble| panic!("{trouble:?}"));
            }
            MockDriver::get().advance(Duration::from_millis(1));
        };
        let mut mover = pin!(mover.run(&alive));
        let mut wait = |milliseconds| {
            assert!(poll_once(mover.as_mut()).is_pending());
            for _ in 0..milliseconds {
                MockDriver::get().advance(Duration::from_millis(1));
                assert!(poll_once(mover.as_mut()).is_pending());
            }
        };
        act(&mut port, &mut wait, &alive);
    }
    resets.get()
}

fn context() -> core::task::Context<'static> {
    core::task::Context::from_waker(Waker::noop())
}

fn received(port: &mut Port<'_>) -> Option<Vec<u8>> {
    let (token, _) = port.receive(&mut context())?;
    Some(token.consume(|frame| frame.to_vec()))
}

#[test]
fn one_interrupt_brings_every_frame() {
    let model = Model::new();
    run(&model, |port, wait, _| {
        wait(0);
        // The mover is not polled meanwhile: all of them raise the interrupt once.
        let frames: Vec<_> = (1..=30).map(|number| frame(number, 60 + 40 * usize::from(number))).collect();
        frames.iter().for_each(|frame| model.borrow_mut().come(frame));
        for expected in &frames {
            wait(0);
            assert_eq!(received(port).as_ref(), Some(expected));
        }
        wait(0);
        assert_eq!(received(port), None);
        assert!(!model.borrow().interrupt_is_low());
        model.borrow_mut().come(&frames[0]);
        wait(0);
        assert_eq!(received(port).as_ref(), Some(&frames[0]));
    });
}

#[test]
fn frames_leave_while_others_come() {
    let model = Model::new();
    run(&model, |port, wait, _| {
        wait(500);
        assert!(matches!(port.link_state(&mut context()), LinkState::Up));
        for number in 1..=40 {
            model.borrow_mut().come(&frame(number, 1514));
            let token = port.transmit(&mut context()).unwrap();
            token.consume(700, |out| out.copy_from_slice(&frame(number, 700)));
            wait(0);
            assert_eq!(received(port), Some(frame(number, 1514)));
        }
        assert_eq!(model.borrow().sent, (1..=40).map(|number| frame(number, 700)).collect::<Vec<_>>());
        model.borrow_mut().common[0x2E] = 0xB8;
        wait(500);
        assert!(matches!(port.link_state(&mut context()), LinkState::Down));
    });
}

#[test]
fn a_chip_that_is_out_of_step_is_opened_anew() {
    for length in [0, 2, 15, 1517, 0xFFFF_u16] {
        let model = Model::new();
        run(&model, |port, wait, _| {
            wait(0);
            model.borrow_mut().come(&frame(1, 60));
            model.borrow_mut().receive[..2].copy_from_slice(&length.to_be_bytes());
            wait(0);
            assert_eq!((received(port), model.borrow().opened), (None, 2), "{length}");
            model.borrow_mut().come(&frame(2, 60));
            wait(0);
            assert_eq!(received(port), Some(frame(2, 60)), "{length}");
        });
    }
}

#[test]
fn the_mover_answers_for_a_chip_that_is_well_only() {
    let model = Model::new();
    let resets = run(&model, |port, wait, alive| {
        let mut is_alive = |milliseconds| {
            alive.take();
            wait(milliseconds);
            alive.take()
        };
        assert!(is_alive(1));
        // A brown-out: the chip has forgotten everything.
        *model.borrow_mut() = Model::new().into_inner();
        assert!(is_alive(20));
        model.borrow_mut().come(&frame(1, 60));
        assert!(is_alive(1));
        assert_eq!(received(port), Some(frame(1, 60)));
        // The chip answers no more.
        model.borrow_mut().common[0x39] = 0xFF;
        assert!(!is_alive(1_000));
        model.borrow_mut().common[0x39] = VERSION;
        assert!(is_alive(20));
        model.borrow_mut().stuck = true;
        assert!(!is_alive(3_000));
    });
    // At the start, after the brown-out, and while the chip was gone.
    assert!(resets >= 3, "{resets}");
}
