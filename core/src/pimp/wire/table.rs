//! The macro that turns the message table into a codec. The table itself stands in `message.rs`.

/// One line a message: `code Variant NAME direction document-line { field: type, … }`.
macro_rules! messages {
    (
        $(#[$doc:meta])*
        <$life:lifetime>
        $( $code:literal $Variant:ident $NAME:ident $direction:ident $line:literal { $($field:ident : $kind:ty),* } )*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        pub enum Message<$life> { $( $Variant { $($field: $kind),* } ),* }

        impl<$life> Message<$life> {
            /// Reads the payload of a message of type `code`. A longer payload than needed is accepted and its tail
            /// ignored (pimp 1.3).
            #[inline]
            fn decode_as<const FROM_CLIENT: bool>(code: u8, payload: &$life [u8]) -> Result<Self, Flaw> {
                let mut from = Reader(payload);
                let _ = &mut from;
                let message = match code {
                    $( $code => {
                        if !Direction::$direction.is_sent_by(FROM_CLIENT) {
                            return Err(Flaw::WrongSide(code));
                        }
                        // One look at the length here spares the optimiser one for every field of fixed size.
                        if payload.get(..0 $( + <$kind as Field<'_>>::MIN )*).is_none() {
                            return Err(Flaw::Unparseable(code));
                        }
                        $( let Some($field) = <$kind as Field<'_>>::read(&mut from) else {
                            return Err(Flaw::Unparseable(code));
                        }; )*
                        Message::$Variant { $($field),* }
                    } )*
                    _ => return Err(Flaw::Unknown(code)),
                };
                Ok(message)
            }

            /// Tells each field by its name, as it is written.
            pub fn each_field(&self, tell: &mut dyn FnMut(&'static str, &[u8])) {
                // Messages without a field have nothing to tell.
                let _ = &tell;
                match self { $( Message::$Variant { $($field),* } => { $(
                    let mut room = [0; FRAME_MAX];
                    let _ = Field::write($field, &mut Writer::new(&mut room));
                    tell(stringify!($field), room.get(..Field::len($field)).unwrap_or_default());
                )* } ),* }
            }

            /// Every message, in the order of its code.
            const TABLE: &'static [Entry] = &[ $( Entry {
                name: stringify!($NAME),
                code: $code,
                direction: Direction::$direction,
                line: $line,
                fields: &[ $( FieldEntry { name: stringify!($field), kind: <$kind as Field<'_>>::KIND } ),* ],
                min_payload: 0 $( + <$kind as Field<'_>>::MIN )*,
                max_payload: MaxLen::$NAME - HEADER,
            } ),* ];

            /// The first byte of its frame.
            #[cfg_attr(not(target_os = "none"), inline(always))]
            pub const fn code(&self) -> u8 {
                match self { $( Message::$Variant { .. } => $code ),* }
            }

            /// The length of its payload, exactly.
            #[inline]
            pub fn payload_len(&self) -> usize {
                match self { $( Message::$Variant { $($field),* } => { 0 $( + Field::len($field) )* } ),* }
            }

            /// Writes the whole frame and says how long it is; `None` if `out` is too short (nothing of use is in it
            /// then). The header comes last: only then is the length known. Messages of the same fields differ by their code
            /// alone, which a table has: the optimiser keeps what writes them once.
            #[cfg_attr(not(target_os = "none"), inline(never))]
            #[cfg_attr(target_os = "none", inline(always))]
            pub fn encode(&self, out: &mut [u8]) -> Option<usize> {
                self.encode_in_line(out)
            }

            /// The same where the compiler sees which message it is, and where many are written: what writes that one is all
            /// that is left. On a board, whose flash is short, it is the same call.
            #[cfg_attr(not(target_os = "none"), inline(always))]
            #[cfg_attr(target_os = "none", inline(never))]
            pub fn encode_in_line(&self, out: &mut [u8]) -> Option<usize> {
                let (header, body) = out.split_first_chunk_mut::<HEADER>()?;
                let room = body.len();
                let mut to = Writer::new(body);
                match self { $( Message::$Variant { $($field),* } => {
                    to.spare(0 $( + <$kind as Field<'_>>::MIN )*)?;
                    $( Field::write($field, &mut to)?; )*
                } ),* }
                let n = room - to.room();
                // No payload is longer than 254 bytes: see the assertions on `MaxLen`.
                *header = [self.code(), n as u8];
                Some(HEADER + n)
            }
        }

        /// The longest frame of each message as we send it, header included.
        pub enum MaxLen {}

        impl<$life> MaxLen {
            $( pub const $NAME: usize = HEADER $( + <$kind as Field<'_>>::MAX )*; )*
        }
        $( const _: () = assert!(MaxLen::$NAME <= FRAME_MAX); )*

        /// Every message, in the order of its code.
        pub const TABLE: &[Entry] = Message::TABLE;

        /// What a person reads: the protocol's name, then each field by name.
        impl fmt::Display for Message<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $( Message::$Variant { $($field),* } => {
                    f.write_str(stringify!($NAME))?;
                    $(
                        f.write_str(concat!(" ", stringify!($field), "="))?;
                        Field::show($field, f)?;
                    )*
                    Ok(())
                } ),* }
            }
        }
    };
}
pub(super) use messages;
