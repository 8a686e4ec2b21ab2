//! Every PIMP message there and back, with the values at its edges; what a frame that is no message gives.

use parlor_core::pimp::wire::{
    Direction, Entry, FRAME_MAX, Flaw, HEADER, LOTS_MAX, Lot, Message, NAME_MAX, Name, TABLE,
};
use parlor_tests::pimp::vectors::payloads;

/// From whichever end may send it.
fn decode<'a>(entry: &Entry, payload: &'a [u8]) -> Result<Message<'a>, Flaw> {
    match entry.direction {
        Direction::ToServer => Message::from_client(entry.code, payload),
        Direction::Either => {
            assert_eq!(Message::from_client(entry.code, payload), Message::from_server(entry.code, payload));
            Message::from_client(entry.code, payload)
        }
        _ => Message::from_server(entry.code, payload),
    }
}

#[test]
fn every_message_there_and_back() {
    for entry in TABLE {
        for (payload, shown) in payloads(entry) {
            let message = decode(entry, &payload).unwrap_or_else(|flaw| panic!("{}: {flaw:?}", entry.name));
            assert_eq!((message.code(), message.payload_len()), (entry.code, payload.len()), "{message}");
            assert_eq!(message.to_string(), shown);

            let mut out = [0xAA; FRAME_MAX + 1];
            let n = HEADER + payload.len();
            assert_eq!(message.encode(&mut out), Some(n), "{message}");
            assert_eq!(out[..2], [entry.code, payload.len() as u8], "{message}");
            assert_eq!(out[2..n], payload, "{message}");
            assert!(out[n..].iter().all(|&byte| byte == 0xAA), "{message} wrote past its end");
        }
    }
}

#[test]
fn the_columns_of_lengths_are_reached_and_never_passed() {
    for entry in TABLE {
        let lens: Vec<_> = payloads(entry).iter().map(|(payload, _)| payload.len()).collect();
        assert_eq!(lens.iter().min(), Some(&entry.min_payload), "{}", entry.name);
        assert_eq!(lens.iter().max(), Some(&entry.max_payload), "{}", entry.name);
    }
}

#[test]
fn a_buffer_too_short_is_refused() {
    for entry in TABLE {
        for (payload, _) in payloads(entry) {
            let message = decode(entry, &payload).expect("decoded above");
            let mut out = [0; FRAME_MAX];
            for n in 0..HEADER + payload.len() {
                assert_eq!(message.encode(&mut out[..n]), None, "{message} into {n} bytes");
            }
            assert_eq!(message.encode(&mut out[..HEADER + payload.len()]), Some(HEADER + payload.len()));
        }
    }
}

#[test]
fn every_message_cut_short_is_unparseable() {
    for entry in TABLE {
        for (payload, _) in payloads(entry) {
            for n in 0..payload.len() {
                assert_eq!(decode(entry, &payload[..n]), Err(Flaw::Unparseable(entry.code)), "{} at {n}", entry.name);
            }
        }
    }
}

#[test]
fn a_tail_is_ignored() {
    for entry in TABLE {
        for (payload, _) in payloads(entry) {
            let longer = [&payload[..], &[0xFF; 9]].concat();
            assert_eq!(decode(entry, &longer), decode(entry, &payload), "{}", entry.name);
        }
    }
}

#[test]
fn only_the_sender_of_a_code_may_send_it() {
    for code in 0..=255 {
        let long = [0; 254];
        let (from_client, from_server) = (Message::from_client(code, &long), Message::from_server(code, &long));
        let known = TABLE.iter().find(|entry| entry.code == code).map(|entry| entry.direction);
        match known {
            None => {
                assert_eq!(from_client, Err(Flaw::Unknown(code)));
                assert_eq!(from_server, Err(Flaw::Unknown(code)));
            }
            Some(Direction::Either) => assert!(from_client.is_ok() && from_server.is_ok()),
            Some(Direction::ToServer) => {
                assert!(from_client.is_ok());
                assert_eq!(from_server, Err(Flaw::WrongSide(code)));
                // Who may send it is asked before its length.
                assert_eq!(Message::from_server(code, &[]), Err(Flaw::WrongSide(code)));
            }
            Some(_) => {
                assert!(from_server.is_ok());
                assert_eq!(from_client, Err(Flaw::WrongSide(code)));
                assert_eq!(Message::from_client(code, &[]), Err(Flaw::WrongSide(code)));
            }
        }
    }
    assert_eq!(Message::from_client(0xFF, &[]), Err(Flaw::Unknown(0xFF)));
}

#[test]
fn the_document_s_samples_to_the_letter() {
    let samples: [(&[u8], Message<'_>); 3] = [
        (&[0x00, 0x01, 0x01], Message::Handshake { version: 1 }),
        (&[0x01, 0x04, 0xA9, 0x3F, 0x91, 0x0E], Message::HandshakeAcknowledge { game: 0xA93F_910E }),
        (b"\x02\x07\x02\x01\x04kerz", Message::Join { piece: 2, play: true, name: Name::new(b"kerz").expect("short") }),
    ];
    for (bytes, message) in samples {
        let mut out = [0; FRAME_MAX];
        let n = message.encode(&mut out).expect("room enough");
        assert_eq!(out[..n], *bytes);
        let decoded = match message.code() {
            0x01 => Message::from_server(bytes[0], &bytes[2..]),
            _ => Message::from_client(bytes[0], &bytes[2..]),
        };
        assert_eq!(decoded, Ok(message));
    }
}

#[test]
fn a_bool_is_bit_0() {
    for byte in 0..=255u8 {
        let payload = [2, byte, 0];
        let join = Message::from_client(0x02, &payload).expect("whole");
        assert_eq!(join, Message::Join { piece: 2, play: byte % 2 == 1, name: Name::default() });
        let mut out = [0; 5];
        assert_eq!(join.encode(&mut out), Some(5));
        assert_eq!(out[3], byte % 2);
    }
}

#[test]
fn a_name_of_33_bytes_is_unparseable() {
    let mut payload = [b'n'; 254];
    for length in 0..=255 {
        payload[2] = length;
        let decoded = Message::from_client(0x02, &payload);
        match length {
            0..=32 => assert!(decoded.is_ok()),
            _ => assert_eq!(decoded, Err(Flaw::Unparseable(0x02))),
        }
    }
    assert_eq!(Name::new(&[0; NAME_MAX + 1]), None);
}

#[test]
fn lots_are_signed_and_at_most_84() {
    let payload = [2, 1, 0xFF, 0, 39, 4, 0x80];
    let Ok(Message::PurchaseHouses { lots }) = Message::from_client(0x90, &payload) else { panic!("no lots") };
    let told: Vec<_> = lots.iter().collect();
    assert_eq!(told, [Lot { property: 1, houses: -1, hotels: 0 }, Lot { property: 39, houses: 4, hotels: -128 }]);
    assert_eq!((lots.len(), lots.is_empty()), (2, false));

    let mut payload = [0; 254];
    for count in 0..=255 {
        payload[0] = count;
        let decoded = Message::from_client(0x90, &payload);
        assert_eq!(decoded.is_ok(), usize::from(count) <= LOTS_MAX, "{count} lots");
    }
}
