use std::vec::Vec;

use embassy_futures::block_on;

use super::nor::{Nor, Tear};
use super::*;

/// As an RP2040's flash is read and written, in few sectors, so that they are soon full.
type Small = Nor<1, 4096>;
const SECTORS: usize = 4;
const LONGEST: usize = 6_000;

fn store<const WORD: usize>(flash: &mut Nor<WORD, 4096>) -> Store<&mut Nor<WORD, 4096>> {
    let end = flash.bytes.len() as u32;
    Store::new(flash, 0..end, LONGEST, Duration::MIN).unwrap()
}

/// The game that was saved as the `nth`: none is like another, and they grow and shrink.
fn game(nth: usize) -> Vec<u8> {
    let length = [1_200, PART, 1, 3_000, 2 * PART, LONGEST, 40][nth % 7];
    (0..length).map(|at| (at * 31 + nth * 7 + (at >> 8)) as u8).collect()
}

fn loaded<const WORD: usize>(store: &mut Store<&mut Nor<WORD, 4096>>) -> Option<Vec<u8>> {
    let mut out = [0; LONGEST];
    block_on(store.load(&mut out)).map(<[u8]>::to_vec)
}

/// Saves games `nths`, after `last` was saved, until the power goes; the last one that was saved, and the one in which
/// it went.
fn play<const WORD: usize>(
    flash: &mut Nor<WORD, 4096>,
    nths: Range<usize>,
    last: Option<usize>,
) -> (Option<usize>, Option<usize>) {
    let mut store = store(flash);
    let mut kept = last;
    assert_eq!(loaded(&mut store), last.map(game));
    for nth in nths {
        if block_on(store.save(&game(nth))).is_err() {
            return (kept, Some(nth));
        }
        kept = Some(nth);
    }
    (kept, None)
}

/// Boots after a cut: the game before it or the one it met, byte by byte; which of them.
fn revive<const WORD: usize>(
    flash: &mut Nor<WORD, 4096>,
    (kept, met): (Option<usize>, Option<usize>),
    what: &str,
) -> Option<usize> {
    flash.boot(None);
    let found = loaded(&mut store(flash));
    if met.is_some() && found == met.map(game) {
        return met;
    }
    assert!(found == kept.map(game), "{what}: neither {kept:?} nor {met:?}");
    kept
}

/// The flash after so many saves without a cut.
fn after<const WORD: usize>(saves: usize) -> Nor<WORD, 4096> {
    let mut flash = Nor::<WORD, 4096>::new(SECTORS);
    assert_eq!(play(&mut flash, 0..saves, None), (Some(saves - 1), None));
    flash
}

fn cut_everywhere<const WORD: usize>() {
    // Enough to fill both sides and erase them again.
    const SAVES: usize = 20;
    let Nor { changes, erases, .. } = after::<WORD>(SAVES);
    assert!(erases.iter().all(|count| *count > 1), "{erases:?}");
    std::println!("{changes} changes, each torn in {} ways", Tear::EACH.len());
    for at in 0..changes {
        for tear in Tear::EACH {
            let mut flash = Nor::<WORD, 4096>::new(SECTORS);
            flash.boot(Some((at, tear)));
            let end = play(&mut flash, 0..SAVES, None);
            assert!(end.1.is_some());
            let what = std::format!("change {at}, {tear:?}");
            let last = revive(&mut flash, end, &what);
            // And on as if nothing had been.
            let next = last.map_or(0, |last| last + 1);
            let end = play(&mut flash, next..next + 5, last);
            assert_eq!(end, (Some(next + 4), None), "{what}");
            assert_eq!(revive(&mut flash, end, &what), Some(next + 4));
        }
    }
}

#[test]
fn a_cut_at_any_change_leaves_the_old_or_the_new_game() {
    cut_everywhere::<1>();
}

#[test]
fn so_it_does_where_a_word_has_four_bytes() {
    cut_everywhere::<4>();
}

#[test]
fn a_second_cut_does_no_more_harm() {
    const SAVES: usize = 5;
    let changes = after::<1>(SAVES).changes;
    for first in 0..changes {
        let mut flash = Small::new(SECTORS);
        flash.boot(Some((first, Tear::EACH[first % Tear::EACH.len()])));
        let end = play(&mut flash, 0..SAVES, None);
        let last = revive(&mut flash, end, "first");
        let next = last.map_or(0, |last| last + 1);
        for second in 0..40 {
            let mut flash = flash.clone();
            let tear = Tear::EACH[(first / 8 + second) % Tear::EACH.len()];
            flash.boot(Some((second, tear)));
            let end = play(&mut flash, next..next + 2, last);
            let what = std::format!("changes {first} and {second}, {tear:?}");
            let last = revive(&mut flash, end, &what);
            let next = last.map_or(0, |last| last + 1);
            assert_eq!(play(&mut flash, next..next + 2, last), (Some(next + 1), None), "{what}");
        }
    }
}

/// A loose contact: every save is cut. However often, the last whole game stays.
#[test]
fn a_game_outlives_any_number_of_cuts() {
    let mut flash = Small::new(SECTORS);
    assert_eq!(play(&mut flash, 0..5, None), (Some(4), None));
    for nth in 0..200 {
        let tear = Tear::EACH[nth % 7];
        flash.boot(Some((nth % 12, tear)));
        let end = play(&mut flash, 5..6, Some(4));
        assert_eq!(end, (Some(4), Some(5)));
        assert_eq!(revive(&mut flash, end, "loose contact"), Some(4));
    }
}

/// A boot erases no more than was written, and what a cut may have left half erased.
#[test]
fn blank_sectors_are_left_alone() {
    let mut flash = Small::new(16);
    play(&mut flash, 0..2, None);
    assert_eq!(flash.erases, [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    flash.boot(None);
    play(&mut flash, 2..4, Some(1));
    assert_eq!(flash.erases, [1, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 2]);
    // The power went when the third sector of a side seemed to be blank: the fourth was not yet.
    flash.bytes[0xB000..0xC000].fill(0);
    flash.boot(None);
    play(&mut flash, 4..6, Some(3));
    assert_eq!(flash.erases, [2, 0, 0, 0, 0, 0, 0, 3, 2, 0, 1, 1, 0, 0, 0, 3]);
}

#[test]
fn wear_is_even() {
    const SAVES: u32 = 10_000;
    let mut flash = Nor::<1, 4096>::new(16);
    let mut store = Store::new(&mut flash, 0..16 * 4096, LONGEST, Duration::MIN).unwrap();
    let game: Vec<u8> = (0..1_500).map(|at| at as u8).collect();
    (0..SAVES).for_each(|_| block_on(store.save(&game)).unwrap());
    let (least, most) = (*flash.erases.iter().min().unwrap(), *flash.erases.iter().max().unwrap());
    std::println!("{SAVES} saves of {} bytes: each sector erased {least} to {most} times", game.len());
    // 3 parts a game, 7 in a sector, 16 sectors.
    assert!(most <= least + 1 && most <= SAVES * 3 / (7 * 16) + 20, "{least} to {most}");
}

#[test]
fn flash_that_has_no_room_is_no_store() {
    let fits = |range, longest| Store::new(Small::new(8), range, longest, Duration::MIN).map(|_| ()).err();
    assert_eq!(fits(0..0x8000, LONGEST), None);
    assert_eq!(fits(0x2000..0x6000, LONGEST), None);
    assert_eq!(fits(0..0x4000, 14 * PART), None);
    assert_eq!(fits(0..0x4000, 14 * PART + 1), Some(Trouble::NoRoom));
    assert_eq!(fits(0x800..0x4800, 1), Some(Trouble::NoRoom));
    assert_eq!(fits(0..0x3000, 1), Some(Trouble::NoRoom));
    assert_eq!(fits(0x4000..0xC000, 1), Some(Trouble::NoRoom));
    #[expect(clippy::reversed_empty_ranges, reason = "a board's mistake")]
    let backwards = 0x4000..0;
    assert_eq!(fits(backwards, 1), Some(Trouble::NoRoom));
    let mut flash = Small::new(4);
    let mut store = store(&mut flash);
    assert_eq!(block_on(store.save(&[])), Err(Trouble::NoRoom));
    assert_eq!(block_on(store.save(&[0; LONGEST + 1])), Err(Trouble::NoRoom));
    assert_eq!(flash.changes, 0);
}

#[test]
fn what_others_left_is_no_game() {
    for byte in [0x00, 0x55, 0xA5, 0xFE] {
        let mut flash = Small::new(SECTORS);
        flash.bytes.fill(byte);
        assert_eq!(play(&mut flash, 0..3, None), (Some(2), None), "{byte:#x}");
        assert_eq!(revive(&mut flash, (Some(2), None), "others"), Some(2));
    }
}

#[test]
fn a_buffer_too_short_is_no_game() {
    let mut flash = Small::new(SECTORS);
    let mut store = store(&mut flash);
    block_on(store.save(&game(0))).unwrap();
    assert_eq!(block_on(store.load(&mut [0; 1_199])), None);
    assert_eq!(block_on(store.load(&mut [0; 1_200])), Some(&*game(0)));
}
