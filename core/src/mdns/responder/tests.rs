use std::vec::Vec;

use super::*;

const HTTP: u16 = 80;
const OURS: [u8; 4] = [10, 0, 2, 15];
const THEIRS: [u8; 4] = [10, 0, 2, 9];

type Responder = super::Responder<12>;

fn responder(seed: u32) -> Responder {
    Responder::new("parlor", HTTP, "games=pimp", seed)
}

/// What it says to all from `from` on, for so many milliseconds.
fn run(responder: &mut Responder, from: u64, length: u64) -> Vec<(u64, Vec<u8>)> {
    let mut out = [0; LONGEST];
    let mut said = Vec::new();
    for now in from..from + length {
        if let Some(length) = responder.poll(&mut out, Millis(now)) {
            said.push((now, out[..length].to_vec()));
        }
    }
    said
}

fn settled() -> Responder {
    let mut responder = responder(1);
    responder.set_address(Some(OURS), Millis(0));
    assert_eq!(run(&mut responder, 0, 5_000).len(), 5);
    assert!(responder.is_settled());
    responder
}

fn asked(name: &[&str], kind: u16) -> Vec<u8> {
    let mut out = [0; LONGEST];
    let mut writer = Writer::new(&mut out, Header { id: 0x1234, questions: 1, ..Header::default() });
    writer.question(name, kind, false);
    let length = writer.end().unwrap();
    out[..length].to_vec()
}

fn claim(label: &str, address: [u8; 4], ttl: u32) -> Vec<u8> {
    let mut out = [0; LONGEST];
    let mut writer = Writer::new(&mut out, Header { is_response: true, answers: 1, ..Header::default() });
    writer.record(&[label, "local"], A, ttl, true, |writer| writer.put(&address));
    let length = writer.end().unwrap();
    out[..length].to_vec()
}

fn ask(responder: &mut Responder, packet: &[u8], is_legacy: bool, now: u64) -> Option<Vec<u8>> {
    let mut out = [0; LONGEST];
    let length = responder.receive(packet, is_legacy, &[], &mut out, Millis(now))?;
    Some(out[..length].to_vec())
}

/// Kinds and times of all records, of any section.
fn records(packet: &[u8]) -> Vec<(u16, u32)> {
    let (header, mut reader) = Reader::new(packet).unwrap();
    for _ in 0..header.questions {
        reader.question().unwrap();
    }
    let count = header.answers + header.authorities + header.additional;
    (0..count).map(|_| reader.record().map(|record| (record.kind, record.ttl)).unwrap()).collect()
}

#[test]
fn it_probes_three_times_and_says_its_name_twice() {
    let mut responder = responder(1);
    assert_eq!(responder.poll(&mut [0; LONGEST], Millis(0)), None);
    responder.set_address(Some(OURS), Millis(0));
    let said = run(&mut responder, 0, 10_000);
    let times: Vec<u64> = said.iter().map(|(now, _)| now - said[0].0).collect();
    assert_eq!(times, [0, 250, 500, 750, 1_750]);
    assert!(said[0].0 < 250);
    assert_eq!(
        said[0].1,
        b"\0\0\0\0\0\x03\0\0\0\x03\0\0\x06parlor\x05local\0\0\xFF\x80\x01\
          \x06parlor\x05_http\x04_tcp\x05local\0\0\xFF\x80\x01\
          \x06parlor\x07_parlor\x04_tcp\x05local\0\0\xFF\x80\x01\
          \x06parlor\x05local\0\0\x01\0\x01\0\0\0\x78\0\x04\x0A\0\x02\x0F\
          \x06parlor\x05_http\x04_tcp\x05local\0\0\x21\0\x01\0\0\0\x78\0\x14\0\0\0\0\0\x50\x06parlor\x05local\0\
          \x06parlor\x07_parlor\x04_tcp\x05local\0\0\x21\0\x01\0\0\0\x78\0\x14\0\0\0\0\0\x50\x06parlor\x05local\0"
    );
    let all = [(A, 120), (PTR, 4_500), (PTR, 4_500), (SRV, 120), (SRV, 120), (TXT, 4_500), (TXT, 4_500)];
    assert_eq!(records(&said[4].1), all);
    assert!(responder.is_settled() && responder.label() == "parlor");
    // Everything and a question have room.
    assert!(said[4].1.len() + 40 < LONGEST, "{}", said[4].1.len());
}

#[test]
fn questions_are_answered_to_all() {
    let mut responder = settled();
    assert_eq!(ask(&mut responder, &asked(&["PARLOR", "local"], A), false, 5_000), None);
    let said = run(&mut responder, 5_000, 1_000);
    assert_eq!(said, [(5_000, claim("parlor", OURS, 120))]);
    // Nothing is said to all twice in a second.
    ask(&mut responder, &asked(&["parlor", "local"], A), false, 5_100);
    assert_eq!(run(&mut responder, 5_100, 2_000), [(6_000, claim("parlor", OURS, 120))]);
    // Other hosts may answer this as well.
    ask(&mut responder, &asked(&["_http", "_tcp", "local"], PTR), false, 8_000);
    let said = run(&mut responder, 8_000, 1_000);
    assert!(said.len() == 1 && said[0].0 >= 8_020 && records(&said[0].1) == [(PTR, 4_500)], "{said:?}");
    ask(&mut responder, &asked(&["parlor", "_parlor", "_tcp", "local"], ANY), false, 10_000);
    let said = run(&mut responder, 10_000, 1_000);
    assert_eq!(records(&said[0].1), [(SRV, 120), (TXT, 4_500)]);
    assert!(said[0].1.windows(11).any(|text| text == b"\x0Agames=pimp"));
    ask(&mut responder, &asked(&["_services", "_dns-sd", "_udp", "local"], PTR), false, 12_000);
    assert_eq!(records(&run(&mut responder, 12_000, 1_000)[0].1).len(), 2);
    for name in [&["other", "local"][..], &["parlor"], &["parlor", "local", "x"], &["_ipp", "_tcp", "local"]] {
        ask(&mut responder, &asked(name, ANY), false, 14_000);
        assert_eq!(run(&mut responder, 14_000, 1_000), []);
    }
}

#[test]
fn plain_dns_is_answered_to_its_asker() {
    let mut responder = settled();
    let answer = ask(&mut responder, &asked(&["parlor", "local"], A), true, 5_000).unwrap();
    assert_eq!(
        answer,
        b"\x12\x34\x84\0\0\x01\0\x01\0\0\0\0\x06parlor\x05local\0\0\x01\0\x01\
          \x06parlor\x05local\0\0\x01\0\x01\0\0\0\x0A\0\x04\x0A\0\x02\x0F"
    );
    assert_eq!(ask(&mut responder, &asked(&["other", "local"], A), true, 5_000), None);
    assert_eq!(run(&mut responder, 5_000, 5_000), []);
}

#[test]
fn what_the_asker_knows_is_not_said() {
    let mut responder = settled();
    for (ttl, answers) in [(120, 0), (60, 0), (59, 1)] {
        let mut packet = asked(&["parlor", "local"], A);
        packet.extend(&claim("parlor", OURS, ttl)[12..]);
        packet[7] = 1;
        ask(&mut responder, &packet, false, 10_000);
        assert_eq!(run(&mut responder, 10_000, 5_000).len(), answers, "{ttl}");
    }
}

#[test]
fn a_name_that_is_taken_is_left_to_its_owner() {
    let mut responder = responder(1);
    responder.set_address(Some(OURS), Millis(0));
    run(&mut responder, 0, 400);
    // A goodbye, our own words and another one's name are no objection.
    for packet in [claim("parlor", THEIRS, 0), claim("parlor", OURS, 120), claim("parlor-2", THEIRS, 120)] {
        ask(&mut responder, &packet, false, 400);
        assert_eq!(responder.label(), "parlor");
    }
    ask(&mut responder, &claim("parlor", THEIRS, 120), false, 400);
    ask(&mut responder, &claim("parlor-2", THEIRS, 120), false, 500);
    assert_eq!(responder.label(), "parlor-3");
    assert!(!responder.is_settled());
    assert_eq!(run(&mut responder, 500, 5_000).len(), 5);
    // Later as well: the host probes for its name again, and loses it only if the other insists.
    ask(&mut responder, &claim("parlor-3", THEIRS, 120), false, 6_000);
    assert!(!responder.is_settled() && responder.label() == "parlor-3");
    assert_eq!(run(&mut responder, 6_000, 5_000).len(), 5);
    assert_eq!(responder.label(), "parlor-3");
}

#[test]
fn who_loses_every_name_becomes_slow() {
    let mut responder = responder(1);
    responder.set_address(Some(OURS), Millis(0));
    for nth in 0..40 {
        let label = std::string::String::from(responder.label());
        ask(&mut responder, &claim(&label, THEIRS, 120), false, nth);
    }
    assert_eq!(responder.label(), "parlor-41");
    assert!(run(&mut responder, 40, 4_900).is_empty());
}

/// Whatever one says to all, the other hears.
fn let_meet(boards: &mut [Responder; 2], starts: [u64; 2], until: u64) {
    let addresses = [THEIRS, OURS];
    for now in 0..until {
        for at in 0..2 {
            if now == starts[at] {
                boards[at].set_address(Some(addresses[at]), Millis(now));
            }
            let mut out = [0; LONGEST];
            if let Some(length) = boards[at].poll(&mut out, Millis(now)) {
                boards[1 - at].receive(&out[..length], false, &[], &mut [0; LONGEST], Millis(now));
            }
        }
    }
}

#[test]
fn two_boards_on_one_network_have_two_names() {
    for starts in [[0, 0], [0, 100], [100, 0], [0, 700], [0, 800], [0, 60_000], [60_000, 0]] {
        for seeds in 1..20 {
            let mut boards = [responder(seeds), responder(seeds * 77)];
            let_meet(&mut boards, starts, 70_000);
            let mut labels = [boards[0].label(), boards[1].label()];
            labels.sort();
            assert_eq!(labels, ["parlor", "parlor-2"], "{starts:?} {seeds}");
            assert!(boards.iter().all(Responder::is_settled));
        }
    }
}

/// A machine with two addresses in one network, and two programs on one machine.
#[test]
fn kin_are_no_rivals_and_two_programs_have_two_names() {
    let mut responder = responder(1);
    responder.set_address(Some(OURS), Millis(0));
    let mut hear = |packet: &[u8], kin: &[[u8; 4]], now| {
        responder.receive(packet, false, kin, &mut [0; LONGEST], Millis(now));
        std::string::String::from(responder.label())
    };
    assert_eq!(hear(&claim("parlor", THEIRS, 120), &[THEIRS], 1), "parlor");
    assert_eq!(hear(&claim("parlor", THEIRS, 120), &[], 2), "parlor-2");
    for starts in [[0, 0], [0, 100], [100, 0], [0, 60_000], [60_000, 0]] {
        let mut programs = [8080, 8081].map(|port| Responder::new("parlor", port, "", 7));
        for now in 0..70_000 {
            for at in 0..2 {
                if now == starts[at] {
                    programs[at].set_address(Some(OURS), Millis(now));
                }
                let mut out = [0; LONGEST];
                if let Some(length) = programs[at].poll(&mut out, Millis(now)) {
                    for program in &mut programs {
                        program.receive(&out[..length], false, &[], &mut [0; LONGEST], Millis(now));
                    }
                }
            }
        }
        let mut labels = [programs[0].label(), programs[1].label()];
        labels.sort();
        assert_eq!(labels, ["parlor", "parlor-2"], "{starts:?}");
        assert!(programs.iter().all(Responder::is_settled));
    }
}

#[test]
fn who_stops_says_so() {
    let mut out = [0; LONGEST];
    assert_eq!(responder(1).farewell(&mut out), None);
    let length = settled().farewell(&mut out).unwrap();
    let gone = records(&out[..length]);
    assert!(gone.len() == 7 && gone.iter().all(|(_, ttl)| *ttl == 0), "{gone:?}");
}

#[test]
fn any_bytes_do_no_harm() {
    let mut responder = settled();
    let mut seed = 3_u32;
    for round in 0..20_000 {
        let mut packet = asked(&["parlor", "local"], ANY);
        packet.extend(&claim("parlor", THEIRS, 120)[12..]);
        for _ in 0..3 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (seed >> 8) as usize % packet.len();
            packet[at] = (seed >> 24) as u8;
        }
        packet.truncate(packet.len() - (seed >> 16) as usize % 8);
        ask(&mut responder, &packet, round % 2 == 0, round);
        responder.poll(&mut [0; LONGEST], Millis(round));
    }
}

#[test]
fn a_board_takes_another_name_when_its_owner_likes() {
    let mut board = settled();
    let text = "games=pimp";
    board.set_name("parlor", text, Millis(10_000));
    assert!(board.is_settled() && run(&mut board, 10_000, 3_000).is_empty());
    board.set_name("den", text, Millis(20_000));
    assert!(!board.is_settled());
    // Three probes and two announcements.
    assert_eq!(run(&mut board, 20_000, 5_000).len(), 5);
    assert!(ask(&mut board, &asked(&["den", "local"], A), true, 30_000).is_some());
    assert_eq!(ask(&mut board, &asked(&["parlor", "local"], A), true, 30_000), None);
}
