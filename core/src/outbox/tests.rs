use super::*;

#[test]
fn a_link_is_as_far_behind_as_it_has_not_read() {
    let mut outbox = Outbox::<256, 4, 64>::new();
    let [ann, bob] = [(); 2].map(|()| outbox.open().unwrap());
    assert_eq!((outbox.ring(), outbox.behind(ann)), (RingFill { size: 256, used: 0 }, 0));
    outbox.enter(ann.slot, 0);
    outbox.enter(bob.slot, 0);
    outbox.send(Audience::Room, 10, |frame| frame.fill(7));
    outbox.release(outbox.produced());
    let said = outbox.ring().used;
    assert!(said > 10 && outbox.behind(bob) == said);
    pulled(&mut outbox, ann, 64);
    assert_eq!((outbox.behind(ann), outbox.behind(bob), outbox.ring().used), (0, said, said));
    outbox.close(bob);
    assert_eq!(outbox.behind(bob), 0);
}

#[test]
fn who_has_pulled_is_named_for_nothing_but_input_and_the_end() {
    let mut outbox = Outbox::<256, 4, 64>::new();
    let [ann, bob] = [(); 2].map(|()| outbox.open().unwrap());
    outbox.reply(ann.slot, b"yes");
    outbox.reply(bob.slot, b"no");
    assert_eq!(pulled(&mut outbox, ann, 64), b"yes");
    assert_eq!((outbox.next_ready(), outbox.next_ready()), (Some(bob), None));
    // Said after the pull.
    outbox.reply(ann.slot, b"more");
    assert_eq!((outbox.next_ready(), outbox.next_ready()), (Some(ann), None));
    // It may be read from again, whatever it has pulled.
    outbox.stall(ann.slot);
    outbox.wake_stalled();
    assert_eq!(pulled(&mut outbox, ann, 64), b"more");
    assert_eq!((outbox.next_ready(), outbox.next_ready()), (Some(ann), None));
    outbox.resume(ann.slot);
    outbox.doom(ann.slot);
    assert!(pulled(&mut outbox, ann, 64).is_empty());
    assert_eq!((outbox.next_ready(), outbox.next_ready()), (Some(ann), None));
    assert!(outbox.closing(ann));
}

#[test]
fn a_link_falls_behind_once() {
    let mut outbox = Outbox::<64, 1, 32>::new();
    let link = outbox.open().unwrap();
    outbox.enter(link.slot, 0);
    for n in 1..=40 {
        outbox.send(Audience::Room, 5, |room| room.fill(n));
        if let Some(lagging) = outbox.next_lagging(true) {
            // Nothing happens until the adapter says so.
            assert_eq!((lagging, outbox.next_lagging(true)), (Lagging { slot: 0, again: false }, Some(lagging)));
            assert!(outbox.lag(lagging) && !outbox.lag(Lagging { slot: 1, again: false }));
        }
        assert_eq!(outbox.lagging(), u32::from(n > 6), "{n}");
    }
    assert!(outbox.closing(link));
    assert_eq!(outbox.pull(link, &mut [0; 64], |_, _| Dumped::Done), 0);
}

/// Nothing wakes a link for what others alone are told. However much that is, in calls of half a ring each, it loses nothing by
/// it, before the ring has come round for the first time as after it.
#[test]
fn what_others_are_told_runs_over_nobody() {
    let mut outbox = Outbox::<256, 4, 64>::new();
    let [ann, bob, eve] = [(); 3].map(|()| outbox.open().unwrap());
    outbox.enter(ann.slot, 3);
    outbox.enter(eve.slot, 0);
    outbox.reply(bob.slot, b"yes");
    let tell_eve = |outbox: &mut Outbox<256, 4, 64>| {
        for call in 0..50 {
            for n in 0..5 {
                outbox.send(Audience::One(eve.slot), 10, |room| room.fill(n));
                outbox.leave(eve.slot);
                outbox.enter(eve.slot, n);
            }
            if let Some(lagging) = outbox.next_lagging(true) {
                return Some((lagging.slot, call));
            }
            while !pulled(outbox, eve, 64).is_empty() {}
        }
        None
    };
    assert_eq!(tell_eve(&mut outbox), None);
    outbox.send(Audience::Team(3), 2, |room| room.fill(b'a'));
    assert_eq!(pulled(&mut outbox, ann, 64), b"aa");
    assert_eq!(pulled(&mut outbox, bob, 64), b"yes");
    // What it is told itself it must read.
    outbox.send(Audience::One(bob.slot), 2, |room| room.fill(b'b'));
    assert_eq!(tell_eve(&mut outbox).map(|(slot, _)| slot), Some(bob.slot));
}

fn pulled(outbox: &mut Outbox<256, 4, 64>, link: Link, room: usize) -> std::vec::Vec<u8> {
    outbox.release(outbox.produced());
    let mut out = std::vec![0; room];
    let n = outbox.pull(link, &mut out, |step, out| match (bytes::put(out, b"dump"), *step) {
        (None, _) => Dumped::NoRoom,
        (Some(n), 0) => {
            *step += 1;
            Dumped::Frames(n)
        }
        _ => Dumped::Done,
    });
    out.truncate(n);
    out
}

#[test]
fn four_teams_are_spoken_to_at_once() {
    let mut outbox = Outbox::<256, 4, 64>::new();
    let links = [0u8, 4, 6, 8].map(|team| {
        let link = outbox.open().unwrap();
        outbox.enter(link.slot, team);
        link
    });
    outbox.send(Audience::Teams(1), 1, |room| room.fill(b'a'));
    // One steps out for the length of a line.
    outbox.leave(links[1].slot);
    outbox.send(Audience::Teams(1), 1, |room| room.fill(b'b'));
    outbox.enter(links[1].slot, 4);
    outbox.send(Audience::Team(4), 1, |room| room.fill(b'c'));
    let heard = links.map(|link| pulled(&mut outbox, link, 64));
    assert_eq!(heard, [&b""[..], b"ac", b"ab", b""]);
}

#[test]
fn the_end_of_a_dump_wakes_who_waits_for_it() {
    let mut outbox = Outbox::<256, 4, 64>::new();
    let link = outbox.open().unwrap();
    outbox.begin_dump(link.slot);
    outbox.stall(link.slot);
    // No room for more: whether that was all is not known yet.
    assert_eq!(pulled(&mut outbox, link, 4), b"dump");
    while outbox.next_ready().is_some() {}
    assert!(pulled(&mut outbox, link, 4).is_empty());
    assert_eq!((outbox.is_dumping(link.slot), outbox.next_ready()), (false, Some(link)));
}

#[test]
fn a_dump_that_is_lost_is_told_anew_however_often() {
    let mut outbox = Outbox::<256, 4, 64>::new();
    let link = outbox.open().unwrap();
    outbox.lose(link.slot);
    assert_eq!(outbox.next_lagging(true), None, "nothing is being told");
    for _ in 0..5 {
        outbox.begin_dump(link.slot);
        outbox.lose(link.slot);
        assert!(pulled(&mut outbox, link, 64).is_empty());
        let lagging = outbox.next_lagging(true).unwrap();
        assert!(lagging.again && outbox.lag(lagging));
        assert_eq!(outbox.next_lagging(true), None);
    }
    outbox.begin_dump(link.slot);
    assert_eq!(pulled(&mut outbox, link, 64), b"dump");
}

#[test]
fn what_many_hear_is_a_change_and_what_one_hears_is_none() {
    let mut outbox = Outbox::<256, 4, 64>::new();
    let link = outbox.open().unwrap();
    let before = outbox.produced();
    outbox.enter(link.slot, 0);
    outbox.reply(link.slot, b"no");
    outbox.send(Audience::One(link.slot), 1, |room| room.fill(1));
    assert!(outbox.produced() != before && !outbox.produced().has_changed_since(before));
    outbox.send(Audience::Room, 1, |room| room.fill(1));
    assert!(outbox.produced().has_changed_since(before));
}

#[cfg(feature = "postcard")]
#[test]
fn the_sum_tells_what_was_said_and_in_which_order() {
    let sum = |said: &[&[u8]]| said.iter().fold(0, |sum, frame| mix(sum, frame));
    let told = [sum(&[b"ab", b"cd"]), sum(&[b"cd", b"ab"]), sum(&[b"abcd"]), sum(&[b"ab", b"ce"]), sum(&[b"ab"])];
    let mut different = told.to_vec();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), told.len(), "{told:?}");
}
