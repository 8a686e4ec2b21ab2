//! What a dump says, decoded once more from its bytes alone: the other half of the mirror check.
//!
//! It shares nothing with `core`'s view or rules, not even the decoder: offsets stand here a second time on purpose.

use parlor_core::pimp::board::Card;
use parlor_core::pimp::view::{Deal, Kind, Known, Prompt, Side};

/// A user as told: id, playing, piece, square, jail turn, cash, name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserTold {
    pub id: u8,
    pub playing: bool,
    pub piece: u8,
    pub square: u8,
    pub jail_turn: u8,
    pub cash: u32,
    pub name: ([u8; 32], u8),
}

/// Owner, mortgaged, houses, hotels.
pub type DeedTold = (u8, bool, u8, u8);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideTold {
    pub cash: u32,
    pub deeds: u32,
    pub cards: u32,
    /// 0 setting up, 1 finished, 2 agreed.
    pub step: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DealTold {
    pub id: u32,
    /// The code of its request.
    pub kind: u8,
    /// Property, card or square.
    pub about: u8,
    pub other: u8,
    pub creditor: u8,
    pub amount: u32,
    pub mine: SideTold,
    pub theirs: SideTold,
    pub unusual: bool,
}

/// The prompt: code, player, property or square, a number, who passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptTold {
    pub code: u8,
    pub player: u8,
    pub about: u8,
    pub number: u32,
    pub flag: bool,
    pub passed: Vec<u8>,
}

/// Everything that a dump tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub me: u8,
    pub users: Vec<UserTold>,
    pub deeds: [DeedTold; 28],
    pub cards: [u8; 32],
    pub pot: u32,
    pub bank: (u8, u8),
    pub prompt: PromptTold,
    pub deals: Vec<DealTold>,
    /// Candidate, to play, name.
    pub vote: Option<(u32, bool, ([u8; 32], u8))>,
    pub pending: bool,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            me: 0,
            users: Vec::new(),
            deeds: [(0, false, 0, 0); 28],
            cards: [0; 32],
            pot: 0,
            bank: (32, 12),
            prompt: PromptTold::default(),
            deals: Vec::new(),
            vote: None,
            pending: false,
        }
    }
}

/// Big-endian bytes, one after the other; a frame that is too short is a failure of the server.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().expect("a frame is too short");
        self.0 = rest;
        *first
    }
    fn number(&mut self) -> u32 {
        (0..4).fold(0, |sum, _| sum << 8 | u32::from(self.byte()))
    }
    fn name(&mut self) -> ([u8; 32], u8) {
        let length = self.byte();
        let mut name = [0; 32];
        name[..usize::from(length)].copy_from_slice(&self.0[..usize::from(length)]);
        self.0 = &self.0[usize::from(length)..];
        (name, length)
    }
}

/// Calls `each` with code and payload of every frame.
pub fn frames(mut bytes: &[u8], mut each: impl FnMut(u8, &[u8])) {
    while let [code, length, rest @ ..] = bytes {
        let (payload, later) = rest.split_at(usize::from(*length));
        each(*code, payload);
        bytes = later;
    }
    assert!(bytes.is_empty(), "a frame without a length: {bytes:?}");
}

/// Is this part of the answer to HANDSHAKE and REJOIN (pimp 4)?
const fn is_told(code: u8) -> bool {
    matches!(code, 0x01 | 0x06 | 0x07 | 0x0B | 0x10 | 0x12..=0x16 | 0x1F | 0x20 | 0x2A | 0x2F | 0x30 | 0x33 | 0x35 | 0x37
        | 0x40 | 0x41 | 0x45 | 0x4A | 0x51..=0x56 | 0x61 | 0x62 | 0x65 | 0x67 | 0x6B | 0x6D | 0x71 | 0x72 | 0x77 | 0x78
        | 0x7D | 0xC4 | 0xD2 | 0xDF)
}

impl Told {
    /// Decodes the answer to a REJOIN: WELCOME_BACK, dump and resync.
    pub fn read(&mut self, bytes: &[u8]) {
        let mut over = false;
        frames(bytes, |code, payload| {
            // Coming back can decide a vote or a kick: what follows from that is no part of the dump.
            over |= !is_told(code);
            if !over {
                self.frame(code, payload);
            }
        });
    }

    fn frame(&mut self, code: u8, payload: &[u8]) {
        let b = &mut Bytes(payload);
        match code {
            0x01 => {}
            0x0B => self.me = b.byte(),
            0x10 => self.pending = true,
            0x12 => {
                assert_eq!(b.byte(), 0, "another board");
                *self = Self { me: self.me, pending: self.pending, ..Self::default() };
            }
            0x13 | 0x14 => self.user(code, b),
            0x15 => {
                let deed = usize::from(b.byte());
                self.deeds[deed] = (b.byte(), b.byte() == 1, b.byte(), b.byte());
            }
            0x16 => {
                let card = usize::from(b.byte());
                self.cards[card] = b.byte();
            }
            0xC4 => self.bank = (b.byte(), b.byte()),
            0x1F => self.pot = b.number(),
            0x06 | 0x07 => self.vote = Some((b.number(), code == 0x06, b.name())),
            0xD2 => {}
            0x51..=0x56 => self.deal(code, b),
            0x61..=0x7D => self.body(code, b),
            0x20..=0x4A | 0xDF => self.prompt(code, b),
            _ => panic!("0x{code:02X} is no part of a dump"),
        }
        assert!(b.0.is_empty() || code == 0x0B || code == 0x01 || code == 0xD2, "0x{code:02X} has a tail");
    }

    fn user(&mut self, code: u8, b: &mut Bytes<'_>) {
        let (id, piece, name) = (b.byte(), b.byte(), b.name());
        let playing = code == 0x13;
        let (square, cash, jail_turn) = if playing { (b.byte(), b.number(), b.byte()) } else { (0, 0, 0) };
        self.users.push(UserTold { id, playing, piece, square, jail_turn, cash, name });
    }

    fn deal(&mut self, kind: u8, b: &mut Bytes<'_>) {
        let mut deal = DealTold { id: b.number(), kind, ..DealTold::default() };
        match kind {
            0x51 => deal.other = b.byte(),
            0x52 | 0x53 => {
                (deal.other, deal.about, deal.creditor, deal.amount) = (b.byte(), b.byte(), b.byte(), b.number());
            }
            0x54 => (deal.about, deal.amount) = (b.byte(), b.number()),
            _ => deal.amount = b.number(),
        }
        self.deals.push(deal);
    }

    fn body(&mut self, code: u8, b: &mut Bytes<'_>) {
        let id = b.number();
        let deal = self.deals.iter_mut().find(|deal| deal.id == id).expect("a body without its deal");
        match code {
            0x61 => deal.mine.cash = b.number(),
            0x62 => deal.theirs.cash = b.number(),
            0x65 => deal.mine.deeds |= 1 << b.byte(),
            0x67 => deal.theirs.deeds |= 1 << b.byte(),
            0x6B => deal.mine.cards |= 1 << b.byte(),
            0x6D => deal.theirs.cards |= 1 << b.byte(),
            0x71 => deal.mine.step = 1,
            0x72 => deal.theirs.step = 1,
            0x77 => deal.mine.step = 2,
            0x78 => deal.theirs.step = 2,
            0x7D => deal.unusual = true,
            _ => panic!("0x{code:02X} is no part of a resync"),
        }
    }

    fn prompt(&mut self, code: u8, b: &mut Bytes<'_>) {
        let p = &mut self.prompt;
        match code {
            0x35 => return (p.player, p.number) = (b.byte(), b.number()),
            0x37 => return p.passed.push(b.byte()),
            // Who chooses is told last; square and card came with the card.
            0x41 => return (p.code, p.player) = (0x41, b.byte()),
            _ => *p = PromptTold { code, ..PromptTold::default() },
        }
        match code {
            0x20 => (p.player, p.flag) = (b.byte(), b.byte() == 1),
            0x4A => (p.player, p.number, p.flag) = (b.byte(), b.byte().into(), b.byte() == 1),
            0x2F | 0xDF => p.player = b.byte(),
            0x30 => (p.player, p.about, p.number) = (b.byte(), b.byte(), b.number()),
            0x33 => p.about = b.byte(),
            0x45 => (p.player, p.about) = (b.byte(), b.byte()),
            0x40 => (p.player, p.about, p.number) = (b.byte(), b.byte(), b.byte().into()),
            0x2A => (p.player, p.number) = (b.byte(), b.number()),
            _ => panic!("0x{code:02X} is no prompt"),
        }
    }

    /// Puts a view's knowledge into the same words.
    pub fn of(&mut self, known: &Known<'_>) {
        self.me = known.me;
        self.users.clear();
        self.users.extend(known.users.iter().map(|user| UserTold {
            id: user.id,
            playing: user.playing,
            piece: user.piece,
            square: user.square.id(),
            jail_turn: user.jail_turn,
            cash: user.cash,
            name: padded(user.name().bytes()),
        }));
        for (told, (_, deed)) in self.deeds.iter_mut().zip(known.deeds.iter()) {
            *told = (deed.owner, deed.mortgaged, deed.houses, deed.hotels);
        }
        self.cards = *known.cards;
        self.pot = known.pot;
        self.bank = (known.bank_houses, known.bank_hotels);
        self.prompt = prompt(known.prompt);
        self.deals.clear();
        self.deals.extend(known.deals.iter().map(deal));
        self.vote = known.vote.map(|vote| (vote.candidate, vote.play, padded(vote.name().bytes())));
        self.pending = known.pending;
    }

    /// No message tells of an observer who is gone and whose place was given to a candidate: it stays in the mirrors
    /// until somebody is welcomed in that place.
    pub fn forget_ghosts(&mut self, dumped: &Self) {
        self.users.retain(|user| user.playing || dumped.users.iter().any(|told| told.id == user.id));
    }

    /// The first field in which two differ, for a failure's message.
    pub fn difference(&self, other: &Self) -> Option<String> {
        macro_rules! fields {
            ($($field:ident)*) => {
                $( if self.$field != other.$field {
                    let field = stringify!($field);
                    return Some(format!("{field}: view {:?}, dump {:?}", self.$field, other.$field));
                } )*
            };
        }
        if let Some((mine, theirs)) = self.users.iter().zip(&other.users).find(|(mine, theirs)| mine != theirs) {
            return Some(format!("user: view {mine:?}, dump {theirs:?}"));
        }
        let mut deeds = self.deeds.iter().zip(&other.deeds).enumerate();
        if let Some((id, (mine, theirs))) = deeds.find(|(_, (mine, theirs))| mine != theirs) {
            return Some(format!("deed {id}: view {mine:?}, dump {theirs:?}"));
        }
        if let Some((mine, theirs)) = self.deals.iter().zip(&other.deals).find(|(mine, theirs)| mine != theirs) {
            return Some(format!("deal: view {mine:?}, dump {theirs:?}"));
        }
        fields!(me users deeds cards pot bank prompt deals vote pending);
        None
    }
}

fn padded(name: &[u8]) -> ([u8; 32], u8) {
    let mut room = [0; 32];
    room[..name.len()].copy_from_slice(name);
    (room, name.len() as u8)
}

fn prompt(prompt: Prompt) -> PromptTold {
    let mut told = PromptTold::default();
    let p = &mut told;
    match prompt {
        Prompt::Idle => {}
        Prompt::Start { player, may_throw } => (p.code, p.player, p.flag) = (0x20, player, may_throw),
        Prompt::Jail { player, rolls_left, may_build } => {
            (p.code, p.player, p.number, p.flag) = (0x4A, player, rolls_left.into(), may_build);
        }
        Prompt::Again { player } => (p.code, p.player) = (0x2F, player),
        Prompt::Sale { player, deed, price } => {
            (p.code, p.player, p.about, p.number) = (0x30, player, deed.id(), price);
        }
        Prompt::Auction { deed, leader, bid, passed } => {
            (p.code, p.about, p.player, p.number) = (0x33, deed.id(), leader, bid);
            p.passed = (1..=255).filter(|id| passed.contains(*id)).collect();
        }
        Prompt::Tax { player, square } => (p.code, p.player, p.about) = (0x45, player, square.id()),
        Prompt::CardChoice { player, square, card } => {
            (p.code, p.player, p.about, p.number) = (0x41, player, square.id(), card.id().into());
        }
        Prompt::Waiting { player, transaction } => (p.code, p.player, p.number) = (0x2A, player, transaction),
        Prompt::Over { winner } => (p.code, p.player) = (0xDF, winner),
    }
    told
}

fn deal(deal: &Deal) -> DealTold {
    let (kind, about) = match deal.kind {
        Kind::Trade => (0x51, 0),
        Kind::Rent { deed } => (0x52, deed.id()),
        Kind::Card { card } => (0x53, card.id()),
        Kind::Square { square } => (0x54, square.id()),
        Kind::Bank => (0x55, 0),
        Kind::Jail => (0x56, 0),
    };
    let Deal { id, other, creditor, amount, unusual, .. } = *deal;
    DealTold { id, kind, about, other, creditor, amount, mine: side(&deal.mine), theirs: side(&deal.theirs), unusual }
}

fn side(side: &Side) -> SideTold {
    let deeds = side.deeds.iter().fold(0, |set, deed| set | 1 << deed.id());
    let cards = side.cards().map(Card::id).fold(0, |set, card| set | 1 << card);
    SideTold { cash: side.cash, deeds, cards, step: side.step as u8 }
}
