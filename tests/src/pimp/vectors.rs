//! Every PIMP message with the values at its edges: for the codec here, and for codecs in other languages.

use parlor_core::pimp::wire::{Entry, Kind};

/// Values at a field's edges, as they stand on the wire and as a person reads them.
fn edges(kind: Kind) -> Vec<(Vec<u8>, String)> {
    match kind {
        Kind::Byte => [0u8, 1, 254, 255].map(|n| (vec![n], n.to_string())).into(),
        Kind::Bool => vec![(vec![0], "false".into()), (vec![1], "true".into())],
        Kind::Number => [0u32, 1, 0x0102_0304, u32::MAX].map(|n| (n.to_be_bytes().to_vec(), n.to_string())).into(),
        Kind::Name => {
            names().into_iter().map(|(name, shown)| ([&[name.len() as u8], &name[..]].concat(), shown)).collect()
        }
        Kind::Lots => [0u8, 1, 2, 83, 84].map(lots).into(),
    }
}

fn names() -> Vec<(Vec<u8>, String)> {
    vec![
        (b"".to_vec(), "\"\"".into()),
        (b"x".to_vec(), "\"x\"".into()),
        ("Zoë 北京 🎩".into(), "\"Zoë 北京 🎩\"".into()),
        (vec![b'n'; 32], format!("\"{}\"", "n".repeat(32))),
        ("ü".repeat(16).into(), format!("\"{}\"", "ü".repeat(16))),
        // Not UTF-8, and a character cut in half: both must survive, to be answered by the server.
        (vec![b'a', 0xFF, 0x00], "\"a\\xff\\0\"".into()),
        ("🎩".as_bytes()[..3].into(), "\"\\xf0\\x9f\\x8e\"".into()),
    ]
}

fn lots(count: u8) -> (Vec<u8>, String) {
    let items: Vec<[u8; 3]> = (0..count).map(|i| [i, 1u8.wrapping_sub(i), 0x80 | i]).collect();
    let shown: Vec<_> = items.iter().map(|&[p, a, b]| format!("{p}:{:+}/{:+}", a as i8, b as i8)).collect();
    ([&[count], items.as_flattened()].concat(), format!("[{}]", shown.join(" ")))
}

/// Payloads of a message, and how it reads then: every edge of every field with its neighbours at each of theirs in turn.
pub fn payloads(entry: &Entry) -> Vec<(Vec<u8>, String)> {
    let fields: Vec<_> = entry.fields.iter().map(|field| (field.name, edges(field.kind))).collect();
    let mut all = Vec::new();
    for shift in 0..4 {
        for turn in 0..7 {
            let mut payload = Vec::new();
            let mut shown = entry.name.to_string();
            for (i, (name, edges)) in fields.iter().enumerate() {
                let (bytes, text) = &edges[(turn + i * shift) % edges.len()];
                payload.extend(bytes);
                shown += &format!(" {name}={text}");
            }
            all.push((payload, shown));
        }
    }
    all
}
