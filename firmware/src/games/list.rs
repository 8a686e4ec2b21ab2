//! What becomes of the list of games.

/// Makes of the list: what names a game, all servers, a framer of any, the settings of all.
macro_rules! games {
    ($($(#[$if:meta])* $field:ident $Variant:ident: $server:ty;)*) => {
        /// Names a game of this image.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub enum Id { $($(#[$if])* $Variant,)* }

        impl Id {
            pub const ALL: &[Self] = &[$($(#[$if])* Self::$Variant,)*];

            pub const fn entry(self) -> Entry {
                match self { $($(#[$if])* Self::$Variant => const { Entry::of::<$server>() },)* }
            }

            /// Of a set of games: the lowest for the first.
            const fn bit(self) -> u8 {
                const { assert!(Self::ALL.len() <= u8::BITS as usize) };
                1 << self as u8
            }
        }

        struct Servers { $($(#[$if])* $field: $server,)* }

        impl Servers {
            const NEW: Self = Self { $($(#[$if])* $field: <$server as Game>::NEW,)* };

            fn begin(&mut self, seed: &mut dyn FnMut() -> [u8; 32], settings: &Settings, now: Millis) {
                $($(#[$if])* Game::begin(&mut self.$field, &seed(), &settings.$field, now);)*
            }
            fn server(&mut self, id: Id) -> &mut dyn Served {
                match id { $($(#[$if])* Id::$Variant => &mut self.$field,)* }
            }
            fn peek(&self, id: Id) -> &dyn Served {
                match id { $($(#[$if])* Id::$Variant => &self.$field,)* }
            }
        }

        /// A connection's unread bytes, for whichever game it speaks to.
        pub(crate) enum Framer { $($(#[$if])* $Variant(<$server as Server>::Framer),)* }

        impl Framer {
            pub(crate) fn new(id: Id) -> Self {
                match id { $($(#[$if])* Id::$Variant => Self::$Variant(Default::default()),)* }
            }
            pub(crate) fn any(&mut self) -> &mut dyn AnyFramer {
                match self { $($(#[$if])* Self::$Variant(framer) => framer,)* }
            }
        }

        /// A bot of whichever game.
        #[cfg(feature = "bots")]
        #[allow(clippy::large_enum_variant, reason = "a place is for a bot of any game")]
        pub(crate) enum Mind { $($(#[$if])* $Variant(Thinker<<$server as Game>::Player>),)* }

        #[cfg(feature = "bots")]
        impl Mind {
            /// `None`: a text is longer than the game can say.
            pub(crate) fn new(id: Id, seat: &Seat<'_>) -> Option<Self> {
                match id { $($(#[$if])* Id::$Variant => Thinker::new(seat).map(Self::$Variant),)* }
            }
            pub(crate) fn any(&mut self) -> &mut dyn AnyPlayer {
                match self { $($(#[$if])* Self::$Variant(thinker) => thinker,)* }
            }
        }

        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings { $($(#[$if])* pub $field: <$server as Game>::Config,)* }

        impl Default for Settings {
            fn default() -> Self {
                #[cfg_attr(not(feature = "bots"), expect(unused_mut, reason = "nobody else has a say"))]
                let mut settings = Self { $($(#[$if])* $field: <$server as Game>::BOARD,)* };
                // Games without such a setting are not told of it.
                #[cfg(feature = "bots")]
                settings.set("bots", "on");
                settings
            }
        }

        impl Settings {
            /// Tells every setting of this game.
            pub(crate) fn tell(&self, id: Id, tell: TellOne<'_>) {
                match id { $($(#[$if])* Id::$Variant => tell_all(&self.$field, tell),)* }
            }
            /// Tells every setting of this game in words.
            #[cfg(feature = "settings")]
            pub(crate) fn show(&self, id: Id, show: ShowOne<'_>) {
                match id { $($(#[$if])* Id::$Variant => show_all(&self.$field, show),)* }
            }
            fn each(&mut self, act: &mut dyn FnMut(&str, SetOne<'_>)) {
                use parlor_core::settings::Settings as _;
                $($(#[$if])* act(<$server as Game>::NAME, &mut |name, value| self.$field.set(name, value).ok());)*
            }
        }

        /// The longest frame that any of them sends.
        pub(crate) const LONGEST_FRAME: usize = {
            let mut most = 0;
            $($(#[$if])* { most = max(most, <$server as Server>::MAX_FRAME); })*
            most
        };
        /// The longest save of any of them.
        #[cfg(feature = "autosave")]
        pub const LONGEST_SAVE: usize = {
            let mut most = 0;
            $($(#[$if])* { most = max(most, <$server as Game>::SAVE_MAX); })*
            most
        };
    };
}
