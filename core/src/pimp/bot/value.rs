//! What deeds are worth to a user, and what the squares ahead may cost. Reckoned from a view; says nothing.

use crate::pimp::board::{Deed, DeedKind, Group, Square};
use crate::pimp::view::View;

/// What a whole group adds to the printed prices of its deeds, in percent: how much rent its buildings bring for their
/// cost and how often its squares are hit. Orange and red lie behind the jail; green is dear to build on.
const WHOLE: [i64; 8] = [60, 170, 210, 280, 260, 240, 190, 210];

/// Ways out of 36 to throw 2, 3, … 12.
const WAYS: [u32; 11] = [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1];

/// Owner of each deed, as it is or as it might be.
pub(super) type Owner<'o> = &'o dyn Fn(Deed) -> u8;

/// What everything that `who` would own is worth to it when it has `cash` to build with, that cash left out.
pub(super) fn estate<const U: usize, const D: usize>(view: &View<U, D>, who: u8, cash: i64, owner: Owner<'_>) -> i64 {
    Group::all().map(|group| share(view, group, who, cash, owner)).sum()
}

fn share<const U: usize, const D: usize>(view: &View<U, D>, group: Group, who: u8, cash: i64, owner: Owner<'_>) -> i64 {
    let (mut base, mut mine, mut rival) = (0i64, 0usize, 0usize);
    let first_other = group.deeds().iter().map(|deed| owner(*deed)).find(|id| *id != who && *id != 0);
    for deed in group.deeds() {
        let id = owner(*deed);
        if id == who {
            mine += 1;
            let burden = if view.deed(*deed).mortgaged { deed.unmortgage_cost() } else { 0 };
            base += i64::from(deed.price()) - i64::from(burden);
        } else if Some(id) == first_other {
            rival += 1;
        }
    }
    let size = group.deeds().len();
    let percent = match group.kind() {
        DeedKind::Railroad => match mine {
            0 | 1 => 100,
            2 => 120,
            3 => 150,
            _ => 200,
        },
        DeedKind::Utility => {
            if mine == size {
                115
            } else {
                85
            }
        }
        DeedKind::Street if mine == size => 100 + whole(group) * readiness(view, group, cash) / 100,
        // One deed keeps a rival from the whole group.
        DeedKind::Street if mine == 1 && rival + 1 == size => 150,
        DeedKind::Street if mine + 1 == size && rival == 0 => 130,
        DeedKind::Street => 100,
    };
    base * percent / 100
}

/// How much of a whole group's worth can be had soon, in percent: without cash for houses it is a promise.
fn readiness<const U: usize, const D: usize>(view: &View<U, D>, group: Group, cash: i64) -> i64 {
    if view.group_has_buildings(group) {
        return 100;
    }
    let houses: i64 = group.deeds().iter().map(|deed| i64::from(deed.house_cost()) * 3).sum();
    (cash * 100 / houses.max(1)).clamp(25, 100)
}

/// What the whole of a group is worth above its prices, in percent.
pub(super) fn whole(group: Group) -> i64 {
    WHOLE.get(usize::from(group.id())).copied().unwrap_or(20)
}

/// What `deed`, now the bank's, would add for `who`.
pub(super) fn gain<const U: usize, const D: usize>(view: &View<U, D>, deed: Deed, who: u8) -> i64 {
    let now = |d: Deed| view.deed(d).owner;
    let then = |d: Deed| if d == deed { who } else { view.deed(d).owner };
    let group = deed.group();
    let cash = view.user(who).map_or(0, |user| i64::from(user.cash));
    share(view, group, who, cash, &then) - share(view, group, who, cash, &now)
}

/// Would `deed` give `who` a whole street group?
pub(super) fn completes<const U: usize, const D: usize>(view: &View<U, D>, deed: Deed, who: u8) -> bool {
    let group = deed.group();
    deed.kind() == DeedKind::Street
        && group.deeds().iter().all(|other| *other == deed || view.deed(*other).owner == who)
}

/// What the next throw from `from` costs `who` on average and at worst.
pub(super) fn danger<const U: usize, const D: usize>(view: &View<U, D>, who: u8, from: Square) -> (u32, u32) {
    let (mut sum, mut worst) = (0, 0);
    for (total, ways) in (2u8..).zip(WAYS) {
        let Some(deed) = from.plus(total).deed() else { continue };
        if view.deed(deed).owner == who {
            continue;
        }
        let rent = view.rent(deed, u32::from(total));
        sum += rent * ways;
        worst = worst.max(rent);
    }
    (sum / 36, worst)
}

/// What a whole round among the others' deeds would cost, were every square hit as often as any other: 40 squares at 7 a
/// throw are 6 landings.
pub(super) fn round_cost<const U: usize, const D: usize>(view: &View<U, D>, who: u8) -> u32 {
    let all = Deed::all().filter(|deed| view.deed(*deed).owner != who).map(|deed| view.rent(deed, 7));
    all.sum::<u32>() * 6 / 40
}

/// How many deeds the bank still has.
pub(super) fn unsold<const U: usize, const D: usize>(view: &View<U, D>) -> usize {
    Deed::all().filter(|deed| view.deed(*deed).owner == 0).count()
}

/// The group and deed where one more building brings most for its cost, of those that can be built on, up to `level`.
pub(super) fn best_building<const U: usize, const D: usize>(view: &View<U, D>, level: u8) -> Option<Deed> {
    let may = Deed::all().filter(|deed| view.deed(*deed).level() < level && view.may_build(*deed));
    may.max_by_key(|deed| {
        let now = view.deed(*deed).level();
        let more = i64::from(deed.rent(now + 1)) - i64::from(view.rent(*deed, 7));
        // Two that bring as much: the dearer lot is hit by the same throws for more.
        (more * (100 + whole(deed.group())) / i64::from(deed.house_cost().max(1)), deed.id())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pimp::wire::{Message, Name};

    fn view(owners: &[(u8, u8)]) -> View {
        let mut view = View::new();
        for (player, name) in [(1, b"ann"), (2, b"bob")] {
            let name = Name::new(name).unwrap();
            view.take(&Message::StatePlayer { player, piece: 1, name, square: 0, cash: 1000, jail_turn: 0 });
        }
        for (property, owner) in owners {
            view.take(&Message::DeltaProperty { from: 0, to: *owner, property: *property });
        }
        view
    }
    fn deed(id: u8) -> Deed {
        Deed::new(id).unwrap()
    }

    #[test]
    fn the_last_of_a_group_is_worth_most() {
        let view = view(&[(11, 1), (12, 1), (14, 2), (15, 2)]);
        assert!(gain(&view, deed(13), 1) > 1000, "completes orange");
        assert_eq!(gain(&view, deed(16), 1), 360, "keeps red from the rival");
        assert_eq!(gain(&view, deed(0), 1), 60 * 130 / 100);
        assert!(completes(&view, deed(13), 1) && !completes(&view, deed(13), 2) && !completes(&view, deed(2), 1));
    }

    #[test]
    fn danger_lies_in_the_squares_ahead() {
        let mut view = view(&[(3, 2), (4, 2), (5, 2)]);
        view.take(&Message::DeltaHousesPurchased { player: 2, property: 5, houses: 0, hotels: 1 });
        // 6: 12 * 5 ways, 8: 12 * 5, 9: 600 * 4.
        assert_eq!(danger(&view, 1, Square::GO), ((12 * 5 + 12 * 5 + 600 * 4) / 36, 600));
        assert_eq!(danger(&view, 2, Square::GO), (0, 0));
        assert_eq!(round_cost(&view, 1), (12 + 12 + 600) * 6 / 40);
        assert_eq!(unsold(&view), 25);
    }

    #[test]
    fn houses_go_where_they_bring_most() {
        let mut view = view(&[(0, 1), (1, 1), (11, 1), (12, 1), (13, 1)]);
        view.take(&Message::WelcomeDetails { player: 1, password: 1 });
        assert_eq!(best_building(&view, 3), None, "not this user's turn");
        view.take(&Message::StartOfTurn { player: 1, may_throw: true });
        assert_eq!(best_building(&view, 3), Some(deed(13)));
    }
}
