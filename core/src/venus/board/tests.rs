//! What must hold for any board, and the sums of the one that is played on.

use super::*;
use crate::venus::pieces::Numbers;
use std::vec::Vec;

fn boards() -> [&'static Board; 2] {
    [Chart::Galaxy.board(), Chart::Pocket.board()]
}

/// How many spaces are of some kind.
fn count(board: &Board, is: impl Fn(Kind) -> bool) -> usize {
    board.spaces().filter(|space| is(board.kind(*space))).count()
}

#[test]
fn every_way_leads_back_and_flies_between_cities_alone() {
    for board in boards() {
        for space in board.spaces() {
            for way in board.ways(space) {
                let back: Vec<_> = board.ways(way.to()).iter().filter(|back| back.to() == space).collect();
                assert_eq!(back.len(), 1, "{} and {}", board.name(space), board.name(way.to()));
                assert_eq!(back[0].is_fly(), way.is_fly());
                let cities = board.kind(space) == Kind::City && board.kind(way.to()) == Kind::City;
                assert_eq!(cities, way.is_fly(), "{}", board.name(space));
                assert_ne!(way.to(), space);
            }
            assert!((1..=DEGREE).contains(&board.ways(space).len()), "{}", board.name(space));
        }
    }
}

#[test]
fn a_circle_has_each_number_once_and_is_a_dot() {
    for board in boards() {
        for space in board.spaces().filter(|space| board.is_circle(*space)) {
            assert!(matches!(board.kind(space), Kind::Dot(_)));
            assert!(board.ways(space).iter().all(|way| !way.numbers().is_empty()));
            assert_eq!(board.ways(space).iter().map(|way| way.numbers().count()).sum::<u32>(), 6);
            let all = board
                .ways(space)
                .iter()
                .fold(Numbers::NONE, |all, way| Numbers::from_bits(all.bits() | way.numbers().bits()));
            assert_eq!(all, Numbers::ALL, "{}", board.name(space));
        }
    }
}

#[test]
fn every_space_can_be_reached_without_flying() {
    for board in boards() {
        let mut seen = std::vec![false; board.size()];
        let mut next = std::vec![board.base_space()];
        while let Some(space) = next.pop() {
            if !std::mem::replace(&mut seen[space.index()], true) {
                next.extend(board.ways(space).iter().filter(|way| !way.is_fly()).map(|way| way.to()));
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }
}

#[test]
fn names_are_distinct_and_found_again() {
    for board in boards() {
        for space in board.spaces() {
            assert!(!board.name(space).is_empty() && board.name(space).len() <= 16);
            assert_eq!(board.named(board.name(space)), Some(space));
            assert!(!board.name(space).contains(['!', '/', '|', ',', '%']), "{}", board.name(space));
        }
        for system in board.systems() {
            assert_eq!(board.system_named(board.system_name(system)), Some(system));
            assert!(board.system_name(system).len() <= 22);
        }
        assert_eq!((board.named(""), board.system_named("")), (None, None));
    }
}

#[test]
fn systems_lie_apart_and_one_is_the_base() {
    for board in boards() {
        assert_eq!(board.systems().filter(|system| board.lives(*system) == Lives::Base).count(), 1);
        assert_eq!(board.kind(board.base_space()), Kind::SpaceCity);
        let inside: usize = board.systems().map(|system| board.spaces_of(system).count()).sum();
        assert_eq!(board.spaces().filter(|space| board.system_of(*space).is_some()).count(), inside);
        for system in board.systems() {
            assert!(board.spaces_of(system).all(|space| board.system_of(space) == Some(system)));
        }
    }
}

#[test]
fn cities_and_orbits_lie_in_inhabited_systems() {
    for board in boards() {
        let lives = |space| board.system_of(space).map_or(Lives::Nobody, |system| board.lives(system));
        for space in board.spaces() {
            if matches!(board.kind(space), Kind::City | Kind::SpaceCity) {
                assert_ne!(lives(space), Lives::Nobody, "{}", board.name(space));
            }
            assert_eq!(board.qbox_at(space).is_some(), board.kind(space) == Kind::Qbox);
        }
        for port in board.ports() {
            let space = board.port_space(port);
            assert_eq!((board.kind(space), board.port_at(space)), (Kind::Dot(Colour::Blue), Some(port)));
            assert_eq!(lives(space), Lives::Culture);
        }
        assert!(board.qboxes().all(|qbox| board.qbox_at(board.qbox_space(qbox)) == Some(qbox)));
    }
}

#[test]
fn the_galaxy_has_the_sums_of_the_printed_board() {
    let board = &GALAXY;
    assert_eq!((board.size(), board.way_count()), (268, 2 * 334));
    let flights = board.spaces().flat_map(|space| board.ways(space)).filter(|way| way.is_fly()).count();
    assert_eq!(flights, 2 * 11);
    assert_eq!(board.spaces().map(|space| board.ways(space).len()).max(), Some(6));
    assert_eq!(board.systems().count(), 17);
    assert_eq!(board.systems().filter(|system| board.lives(*system) == Lives::Culture).count(), 14);
    assert_eq!((board.qboxes().count(), board.ports().count()), (24, 25));
    assert_eq!(board.spaces().filter(|space| board.is_circle(*space)).count(), 9);
    assert_eq!(count(board, |kind| kind == Kind::City), 20);
    assert_eq!(count(board, |kind| kind == Kind::SpaceCity), 6);
    assert_eq!(count(board, |kind| kind == Kind::Asteroid), 12);
    assert_eq!(count(board, |kind| matches!(kind, Kind::Penalty(..))), 28);
    assert_eq!(board.spaces().map(|space| board.name(space).len()).sum::<usize>(), 2430);
    assert_eq!(board.ports().map(|port| port.name().len()).sum::<usize>(), 253);
    assert_eq!(board.name(board.base_space()), "Galactic Base");
}

#[test]
fn the_galaxy_fits_in_12_kilobytes() {
    std::println!("galaxy: {} bytes, pocket: {} bytes", GALAXY.bytes(), POCKET.bytes());
    assert!(GALAXY.bytes() <= 12 * 1024);
}

#[test]
fn a_few_rows_as_they_are_printed() {
    let board = &GALAXY;
    let at = |name| board.named(name).unwrap();
    let lists = |name| -> Vec<(&str, Vec<u8>)> {
        board.ways(at(name)).iter().map(|way| (board.name(way.to()), way.numbers().iter().collect())).collect()
    };
    assert_eq!(
        lists("cloud_body_8"),
        [("cloud_body_4", [1, 4, 5, 6].to_vec()), ("Galactic Base", [2].to_vec()), ("cloud_body_7", [3].to_vec())]
    );
    assert_eq!(lists("Hoth Base"), [("ip_loop_1", Vec::new())]);
    assert_eq!(board.kind(at("AS_5_3")), Kind::Penalty(Colour::Blue, 40));
    assert_eq!(board.kind(at("WTS_PP_03")), Kind::Dot(Colour::Red));
    assert_eq!(board.way_between(at("Rumble City"), at("Rain City")), Some(0));
    assert_eq!(board.way_between(at("Rumble City"), at("AS_5_3")), None);
    assert_eq!(board.system_of(at("WTS_PP_03")), None);
}
