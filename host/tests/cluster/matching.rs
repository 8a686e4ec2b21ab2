//! Which links of a log each connection was at.
//!
//! Who heard little may have been at any of several links, and which of them others need may only be known when those others
//! have ended. So no link is given away for good: a connection that has another way gives its links up to one that has none.

use std::collections::{BTreeMap, BTreeSet};

/// One way to explain a connection: its links, by the records that opened them.
pub type Way = Vec<u64>;

#[derive(Clone, Default)]
pub struct Matching {
    /// The ways of each connection, and the one that it has now.
    ways: Vec<(Vec<Way>, Way)>,
    /// By link, the connection that has it.
    holders: BTreeMap<u64, usize>,
}

impl Matching {
    /// Adds a connection; `false`: however the others are explained, all its ways need a link of theirs.
    pub fn add(&mut self, ways: Vec<Way>) -> bool {
        self.ways.push((ways, Way::new()));
        self.settle(self.ways.len() - 1, &mut Vec::new(), &mut BTreeSet::new())
    }

    /// Whether a connection was at this link, as far as is known.
    pub fn has(&self, link: u64) -> bool {
        self.holders.contains_key(&link)
    }

    /// Gives a connection one of its ways, without the links that are `reserved` for those for whom it gives way. Whoever has a
    /// link that is `fixed` has no other way.
    fn settle(&mut self, at: usize, reserved: &mut Vec<u64>, fixed: &mut BTreeSet<u64>) -> bool {
        for way in self.ways[at].0.clone() {
            if way.iter().any(|link| reserved.contains(link)) {
                continue;
            }
            let before = reserved.len();
            reserved.extend(&way);
            let is_free = way.iter().all(|link| match self.holders.get(link).copied() {
                Some(other) if other != at => {
                    let gives_way = !fixed.contains(link) && self.settle(other, reserved, fixed);
                    if !gives_way {
                        fixed.insert(*link);
                    }
                    gives_way
                }
                _ => true,
            });
            reserved.truncate(before);
            if is_free {
                let former = std::mem::replace(&mut self.ways[at].1, way.clone());
                for link in former {
                    if self.holders.get(&link) == Some(&at) {
                        self.holders.remove(&link);
                    }
                }
                self.holders.extend(way.into_iter().map(|link| (link, at)));
                return true;
            }
        }
        false
    }
}

#[test]
fn a_link_that_another_needs_is_given_up() {
    let mut matching = Matching::default();
    // It heard the greeting of the lobby's table alone, as all do who come to it: its link is the second, or the first.
    assert!(matching.add(vec![vec![1], vec![5]]));
    // It went from the lobby's table on to its own, before the other came.
    assert!(matching.add(vec![vec![1, 2]]));
    // There are no more.
    assert!(!matching.clone().add(vec![vec![1], vec![5]]));
    assert!(!matching.clone().add(vec![vec![2]]));
    assert!(matching.add(vec![vec![5, 6], vec![7]]));
    let has: Vec<_> = matching.ways.iter().map(|(_, way)| way.clone()).collect();
    assert_eq!(has, [vec![5], vec![1, 2], vec![7]]);
    // Of several first links, the last is needed by somebody else, too.
    let [mut first, mut second] = [(); 2].map(|()| Matching::default());
    assert!(first.add(vec![vec![3]]) && first.add(vec![vec![3, 4], vec![2, 4], vec![1, 4]]));
    assert!(second.add(vec![vec![2, 4], vec![1, 4]]) && second.add(vec![vec![2, 5], vec![1, 5]]));
    assert!(!second.clone().add(vec![vec![1]]) && !second.add(vec![vec![2]]));
    // Whoever gives way may need that a third does.
    assert!(matching.add(vec![vec![8]]) && matching.add(vec![vec![3]]));
    let mut chain = Matching::default();
    assert!([vec![vec![1], vec![2]], vec![vec![2], vec![3]], vec![vec![1]]].into_iter().all(|ways| chain.add(ways)));
    assert!(!chain.add(vec![vec![2], vec![3]]));
}
