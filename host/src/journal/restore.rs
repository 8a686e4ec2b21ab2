//! Reads back what is kept: the newest snapshot of each table that is whole, then its records, call by call, checking
//! that every table says what it said.
//!
//! No damage can keep the process from starting: a torn tail is cut at the last good block, a damaged snapshot falls back
//! to the one before, a table that does not agree with its journal goes on with what agreed. What was damaged is said, and
//! put aside. What another version wrote is no damage: then nothing is begun and nothing is touched.

use std::collections::{BTreeMap, BTreeSet};

use parlor_core::save::LoadError;

use super::archive::{self, Snapshot};
use super::record::{Event, HEAD, Record, Records, TableMeta, Torn};
use super::store::{Damage, Source, Store, StoreError};
use super::stored_table::{AnyTable, Disagreement, Heard};
use crate::games::{self, Entry};
use crate::table_id::TableId;

/// A listener to what is read.
pub trait Witness {
    /// A call was made again; `heard` is what links heard then. Other calls of the table follow only if it agreed.
    fn saw(&mut self, table: &Table, record: &Record<'_>, heard: &Heard, agreed: Result<(), &Disagreement>) {
        let _ = (table, record, heard, agreed);
    }
    /// A record of a table whose state is not known here.
    fn passed(&mut self, record: &Record<'_>) {
        let _ = record;
    }
    /// Something is not as it should be.
    fn warn(&mut self, text: String);
}

/// One table as it was read.
pub struct Table {
    pub id: TableId,
    /// Its index in the log.
    pub index: u32,
    pub game: &'static Entry,
    pub meta: TableMeta,
    pub stored: Box<dyn AnyTable>,
    /// The record before which its state was known last.
    pub point: u64,
    /// Records before this are in its state already.
    from: u64,
    /// Records that were played again.
    replayed: u64,
    /// What follows can't be played: records are missing, or do not agree.
    cut: bool,
    /// It is no longer what was read.
    is_renewed: bool,
}

impl Table {
    /// Nothing has happened since its state was known last.
    pub fn is_unchanged(&self) -> bool {
        self.replayed == 0 && !self.cut && !self.is_renewed
    }
}

/// All that was read.
#[derive(Default)]
pub struct House {
    pub tables: BTreeMap<TableId, Table>,
    /// The number of the next record.
    pub next: u64,
    /// The index of the next table.
    pub next_table: u32,
    /// Records that were played again.
    pub replayed: u64,
    damaged: Vec<Damage>,
    /// By index, the last record that says how a table stood: nothing before it need be played again.
    begun: BTreeMap<u32, u64>,
    /// By index, the table of those records.
    ids: BTreeMap<u32, TableId>,
    /// By index, tables of which there are records and no beginning.
    orphans: BTreeSet<u32>,
}

/// Which snapshot a table begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// To go on.
    Newest,
    /// To tell as much as there is.
    Oldest,
}

/// Why a table can't begin.
enum Refusal {
    /// It goes on without it.
    Damaged(String),
    /// Nothing goes on.
    Version(StoreError),
}

/// Reads everything; of the log, one part at a time.
pub fn read(source: &dyn Source, from: From, witness: &mut dyn Witness) -> Result<House, StoreError> {
    let mut house = House::default();
    let listed = source.listed()?;
    let parts = house.find_parts(source, from, &listed, witness)?;
    house.read_snapshots(source, from, parts.first().copied(), witness)?;
    // Every record since a table's snapshot is kept: where the log begins later, some are missing.
    let needed = house.tables.values().map(|table| table.from).min();
    let mut expected =
        parts.first().copied().into_iter().chain(listed.first().copied()).chain(needed).min().unwrap_or_default();
    for (at, first) in parts.iter().enumerate() {
        if *first > expected {
            house.gap(expected, *first, witness);
        }
        let end = parts.get(at + 1).copied();
        expected = house.read_part((*first, end), &source.part(*first)?, from, witness)?;
    }
    house.next = house.next.max(expected);
    Ok(house)
}

/// Takes what was damaged out of the way.
pub fn put_aside(store: &dyn Store, house: &House) {
    house.damaged.iter().for_each(|damage| store.put_aside(damage));
}

impl House {
    /// `first` is where the log begins: there may be older snapshots than it goes back to, and nothing is told from there.
    fn read_snapshots(
        &mut self,
        source: &dyn Source,
        from: From,
        first: Option<u64>,
        witness: &mut dyn Witness,
    ) -> Result<(), StoreError> {
        let names = source.snapshots()?;
        let mut snapshots: Vec<_> = names.iter().map(|name| (archive::parse(name), name)).collect();
        snapshots.sort_unstable();
        if from == From::Newest {
            snapshots.reverse();
        }
        for (parsed, name) in snapshots {
            let is_known = |(game, number, _): (&str, u32, u64)| {
                games::named(game).is_some_and(|game| self.tables.contains_key(&TableId::new(game.name, number)))
            };
            let is_older =
                |(_, _, next): (&str, u32, u64)| from == From::Oldest && first.is_some_and(|first| next < first);
            if parsed.is_some_and(|parsed| is_known(parsed) || is_older(parsed)) {
                continue;
            }
            let bytes = match source.snapshot(name) {
                Ok(bytes) => bytes,
                Err(error) => {
                    witness.warn(format!("snapshot {name} can't be read ({error}): the one before is used"));
                    continue;
                }
            };
            let refusal = match Snapshot::decode(&bytes) {
                Some(snapshot) => match self.begin_with(&snapshot) {
                    Ok(()) => {
                        self.next = self.next.max(snapshot.next);
                        continue;
                    }
                    Err(Refusal::Version(error)) => return Err(error),
                    Err(Refusal::Damaged(why)) => why,
                },
                None => "it is damaged".into(),
            };
            witness.warn(format!("snapshot {name} can't be used ({refusal}): the one before is"));
            self.damaged.push(Damage::Snapshot(name.clone()));
        }
        Ok(())
    }

    /// The parts of the log that are some, and where their tables begin.
    fn find_parts(
        &mut self,
        source: &dyn Source,
        from: From,
        listed: &[u64],
        witness: &mut dyn Witness,
    ) -> Result<Vec<u64>, StoreError> {
        let (mut parts, found) = (Vec::new(), source.parts()?);
        for first in listed.iter().filter(|first| !found.contains(first)) {
            witness.warn(format!("the log from record {first} on is missing: what happened then is lost"));
            self.damaged.push(Damage::Missing(*first));
        }
        for first in found {
            let bytes = source.part(first)?;
            match Records::new(&bytes).filter(|records| records.number == first) {
                Some(records) => {
                    parts.push(first);
                    self.look_ahead(records, from)?;
                }
                // Without a byte, or with none but room: the power failed between making it and writing to it.
                None if bytes.iter().all(|byte| *byte == 0) && !listed.contains(&first) => {}
                None if bytes.iter().all(|byte| *byte == 0) => {
                    witness.warn(format!("the log from record {first} on is empty: what happened then is lost"));
                    self.damaged.push(Damage::Part { first, good: Some(0) });
                }
                None => {
                    witness.warn(format!("the log from record {first} on has no head: nothing of it is used"));
                    self.damaged.push(Damage::Part { first, good: Some(0) });
                }
            }
        }
        Ok(parts)
    }

    /// Finds where tables begin that can.
    fn look_ahead(&mut self, records: Records<'_>, from: From) -> Result<(), StoreError> {
        for record in records.map_while(Result::ok) {
            self.next_table = self.next_table.max(record.table.saturating_add(1));
            match &record.event {
                Event::Begin { meta, .. } => {
                    let Some(game) = games::named(&meta.game).filter(|_| from == From::Newest) else { continue };
                    match (game.blank)().apply(&record.event, 0, &mut Vec::new()) {
                        Ok(()) => _ = self.begun.insert(record.table, record.number),
                        Err(why) => refuse_version(meta, &why)?,
                    }
                }
                Event::End if from == From::Newest => _ = self.begun.insert(record.table, record.number),
                _ => {}
            }
        }
        Ok(())
    }

    fn begin_with(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Refusal> {
        let Snapshot { table, number, next, meta, now, state } = snapshot;
        let begin = Event::Begin { number: *number, meta: meta.clone(), now: *now, state };
        self.begin(*table, [*next, *next], &begin)
    }

    /// `point` and `from` of a table, and the event that says how it stands.
    fn begin(&mut self, index: u32, [point, from]: [u64; 2], event: &Event<'_>) -> Result<(), Refusal> {
        let Event::Begin { number, meta, now, .. } = event else { return Ok(()) };
        let unknown = || Refusal::Damaged(format!("there is no game {:?}", meta.game));
        let game = games::named(&meta.game).ok_or_else(unknown)?;
        let mut stored = (game.blank)();
        if let Err(why) = stored.apply(event, 0, &mut Vec::new()) {
            refuse_version(meta, &why).map_err(Refusal::Version)?;
            return Err(Refusal::Damaged(why.to_string()));
        }
        stored.set_now(*now);
        let id = TableId::new(game.name, *number);
        self.next_table = self.next_table.max(index.saturating_add(1));
        self.ids.insert(index, id);
        let meta = meta.clone();
        self.tables.insert(
            id,
            Table { id, index, game, meta, stored, point, from, replayed: 0, cut: false, is_renewed: false },
        );
        Ok(())
    }

    /// The table whose records stand under this index.
    fn table(&mut self, index: u32) -> Option<&mut Table> {
        self.tables.get_mut(self.ids.get(&index)?).filter(|table| table.index == index)
    }

    /// Records are missing: tables that need them stop before.
    fn gap(&mut self, first: u64, end: u64, witness: &mut dyn Witness) {
        // What every table's state has in it already was thrown away, or would have been.
        let begun = &self.begun;
        let needs = |table: &Table| table.from.max(begun.get(&table.index).copied().unwrap_or(0)) < end;
        let mut is_needed = false;
        for table in self.tables.values_mut().filter(|table| needs(table)) {
            let (id, last) = (table.id, end.saturating_sub(1));
            witness.warn(format!("table {id}: records {first} to {last} are missing, it goes on as it was before"));
            (table.cut, is_needed) = (true, true);
        }
        if is_needed && !self.damaged.contains(&Damage::Missing(first)) {
            self.damaged.push(Damage::Missing(first));
        }
    }

    /// The number of the record after the last one taken.
    fn read_part(
        &mut self,
        (first, end): (u64, Option<u64>),
        bytes: &[u8],
        from: From,
        witness: &mut dyn Witness,
    ) -> Result<u64, StoreError> {
        let mut next = first;
        let Some(records) = Records::new(bytes) else { return Ok(next) };
        for record in records {
            match record {
                // Written again to the next part, because this one failed.
                Ok(record) if end.is_some_and(|end| record.number >= end) => break,
                Ok(record) => {
                    next = record.number + 1;
                    self.take(first, &record, from, witness)?;
                }
                Err(Torn { number, at }) => {
                    if end.is_none_or(|end| number < end) {
                        let lost = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1 - at);
                        witness.warn(format!(
                            "the log from record {first} on is cut after its last good block: {lost} bytes from byte {at} \
                             on are none"
                        ));
                        self.damaged.push(Damage::Part { first, good: Some(at.max(HEAD)) });
                    }
                    break;
                }
            }
        }
        Ok(next)
    }

    /// A record that changes no table. To go on, the beginning of every table that has not ended must be there.
    fn pass(&mut self, part: u64, record: &Record<'_>, from: From, witness: &mut dyn Witness) {
        let is_orphan = !self.ids.contains_key(&record.table) && record.event != Event::End;
        if from == From::Newest && is_orphan && self.orphans.insert(record.table) {
            let Record { number, table, .. } = record;
            witness
                .warn(format!("record {number} is of a table whose beginning is missing (index {table}): it is lost"));
            self.damaged.push(Damage::Part { first: part, good: None });
        }
        witness.passed(record);
    }

    fn take(
        &mut self,
        part: u64,
        record: &Record<'_>,
        from: From,
        witness: &mut dyn Witness,
    ) -> Result<(), StoreError> {
        if self.begun.get(&record.table).is_some_and(|begun| record.number < *begun) {
            return Ok(());
        }
        if matches!(record.event, Event::Begin { .. }) {
            return self.take_begin(record, from, witness);
        }
        let Some(table) = self.table(record.table).filter(|table| !table.cut && record.number >= table.from) else {
            self.pass(part, record, from, witness);
            return Ok(());
        };
        let mut heard = Vec::new();
        let agreed = table.stored.apply(&record.event, record.sum, &mut heard);
        if let Event::Port(port) = record.event {
            table.meta.port = Some(port);
        }
        table.replayed += 1;
        witness.saw(table, record, &heard, agreed.as_ref().copied());
        let id = table.id;
        if let Err(why) = agreed {
            table.cut = true;
            witness.warn(format!(
                "table {id} does not agree with its journal at record {}: {why}. It goes on from there",
                record.number
            ));
            self.damaged.push(Damage::Part { first: part, good: None });
        } else if record.event == Event::End {
            self.tables.remove(&id);
        }
        self.replayed += 1;
        Ok(())
    }

    /// How a table stood: that it stands so is known already where its snapshot is younger. A replay of as much as
    /// there is begins with it all the same.
    fn take_begin(&mut self, record: &Record<'_>, from: From, witness: &mut dyn Witness) -> Result<(), StoreError> {
        let number = record.number;
        if from == From::Newest && self.table(record.table).is_some_and(|table| number < table.from) {
            return Ok(());
        }
        match self.begin(record.table, [number, number + 1], &record.event) {
            Ok(()) => {
                if let Some(table) = self.table(record.table) {
                    witness.saw(table, record, &Vec::new(), Ok(()));
                }
            }
            Err(Refusal::Version(error)) => return Err(error),
            Err(Refusal::Damaged(why)) => {
                witness.warn(format!("the table of index {} can't go on at record {number}: {why}", record.table));
            }
        }
        Ok(())
    }

    /// To go on: the next games of tables that an earlier program has kept can be checked, too.
    pub fn begin_keys(&mut self) {
        for table in self.tables.values_mut() {
            table.is_renewed |= table.stored.begin_keys();
        }
    }

    /// Takes out the tables of this game.
    pub fn take_tables(&mut self, game: &Entry) -> Vec<Table> {
        self.tables.extract_if(.., |id, _| id.game == game.name).map(|(_, table)| table).collect()
    }

    /// Was anything damaged?
    pub fn is_damaged(&self) -> bool {
        !self.damaged.is_empty()
    }
}

/// A state that another version froze is none of ours to judge.
fn refuse_version(meta: &TableMeta, why: &Disagreement) -> Result<(), StoreError> {
    match why {
        Disagreement::State(LoadError::Version(version)) => {
            Err(StoreError::other_version(&format!("tables of {}, format {version}", meta.game)))
        }
        _ => Ok(()),
    }
}

/// Says warnings in the log.
pub struct Logged;

impl Witness for Logged {
    fn warn(&mut self, text: String) {
        tracing::warn!("{text}");
    }
}
