//! Lines to knowledge, and nonsense to nothing.

use super::*;
use crate::venus::pieces::{Age, Named, Token};
use crate::venus::wire::Event;

fn take(view: &mut View, line: &str) {
    let mut room = [0; 512];
    let event = Event::parse(line.as_bytes(), &mut room).unwrap_or_else(|| panic!("no event: {line}"));
    view.take(&event);
}

#[test]
fn a_player_learns_from_lines() {
    let mut view = View::new(Chart::Galaxy);
    for line in [
        "RESET,MerchantOfVenus",
        "OPTIONS,3000",
        "PLAYER,ann,0",
        "PLAYER,bob,1",
        "IAM,1",
        "TURNORDER,10",
        "CURPLAYER,1",
        "PLAYERMONEY,1,40,0,40",
        "PLAYERRACE,1,4a",
        "PLAYERLOCATION,1,Galactic Base",
        "SOLARSYSTEMPRIVACY,Ice Planet,01",
        "BASELOCATION,Ice Planet,7b",
        "QBOXPRIVACY,dw_loop_3,public",
        "QBOXCONTENTS,dw_loop_3,Penalty R 20",
        "QBOXPRIVACY,jw_loop_5,1",
        "DESTINATION,0,1,ib_gb_3!walk!1/cloud_body_8!walk!1!46",
        "DICE,???",
        "NEWSTATE,SelectMove,now",
        "LEGALACTION,ENDMOVE",
        "LEGALACTION,SELECTDESTINATION",
    ] {
        take(&mut view, line);
    }
    let me = Seat(1);
    assert_eq!((view.me(), view.game().current(), view.game().win_money()), (Some(me), me, 3000));
    assert_eq!((view.game().money(me).cash, view.game().race(me)), (40, Culture::C4a));
    assert_eq!(view.here(), view.board().base_space());
    let ice = view.board().system_named("Ice Planet").unwrap();
    assert_eq!(view.home(ice), Some(Culture::C7b));
    let (known, unknown) = (view.board().named("dw_loop_3").unwrap(), view.board().named("jw_loop_5").unwrap());
    let at = |space| view.board().qbox_at(space).unwrap();
    assert!(matches!(view.contents(at(known)), Some(Contents::Penalty(_, 20))));
    assert_eq!(view.contents(at(unknown)), None);
    assert_eq!((view.steps().len(), view.is_first_step(), view.phase()), (2, true, Phase::SelectMove));
    let legal: std::vec::Vec<Verb> = view.legal().iter().collect();
    assert_eq!(legal, [Verb::EndMove, Verb::SelectDestination]);
}

#[test]
fn names_that_are_not_on_the_board_change_nothing() {
    let mut view = View::new(Chart::Galaxy);
    let before = std::format!("{:?}", view.game());
    for line in [
        "PLAYERLOCATION,1,Nowhere",
        "BASELOCATION,Nowhere,7b",
        "QBOXCONTENTS,Nowhere,Station",
        "SUBTRACTFROMPLAYER,5,Scout|ship|60|30|barter|nowhere|notfg|unlimited|||notdeed|0|0|reusable||3|4|old",
    ] {
        take(&mut view, line);
    }
    assert_eq!(std::format!("{:?}", view.game()), before);
}

#[test]
fn what_comes_and_goes_is_counted() {
    let mut view = View::new(Chart::Galaxy);
    let good = Token::Good(Culture::C4a);
    let token = Named { token: good, age: Some(Age::New) };
    (0..2).for_each(|_| view.take(&Event::AddToPlayer { player: Seat(0), token }));
    assert_eq!(view.game().held(Seat(0), good, Age::New), 2);
    take(&mut view, "AGEPLAYER,0");
    assert_eq!((view.game().held(Seat(0), good, Age::Old), view.game().held(Seat(0), good, Age::New)), (2, 0));
}

#[test]
fn a_question_is_whole_when_its_last_line_has_come() {
    let mut view = View::new(Chart::Galaxy);
    for line in ["PLAYER,ann,0", "PLAYER,bob,1", "IAM,0", "TURNORDER,01", "CURPLAYER,0", "NEWSTATE,SelectMove,now"] {
        take(&mut view, line);
    }
    take(&mut view, "LEGALACTION,ENDMOVE");
    assert!(!view.is_told());
    take(&mut view, "LEGALACTION,SELECTDESTINATION");
    assert!(view.is_told());
    for line in ["REMAININGTRANSCOUNT,0,1,1", "NEWSTATE,TradePhase,now", "LEGALACTION,BUY", "LEGALACTION,DROPOFF"] {
        take(&mut view, line);
        assert!(!view.is_told() || view.phase() == Phase::SelectMove);
    }
    for verb in ["ENDTURN", "JETTISON", "PICKUP", "SELL", "TRADEINSHIP"] {
        assert!(!view.is_told());
        take(&mut view, &std::format!("LEGALACTION,{verb}"));
    }
    assert!(view.is_told());
}
