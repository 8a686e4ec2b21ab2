//! Accounts in a saved file, and in a server that is frozen with its connections.

use super::{Account, AccountId, HASH_MAX};
use crate::save::{LoadError, Reader, SaveError, Writer, must};
use crate::server::Millis;
use crate::text::Text;

const NO_NAME: &str = "a name that can't be";
const NO_HASH: &str = "no such hash";

/// One account of a saved file.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Kept<'a> {
    pub id: AccountId,
    pub name: &'a str,
    hash: &'a [u8],
}

/// The accounts that a saved file begins with.
#[derive(Clone, Copy)]
pub(crate) struct Saved<'a> {
    pub body: Reader<'a>,
    pub count: u16,
    /// An older file does not tell who has played. Then all accounts count as played: no name is given away.
    pub tells_who_played: bool,
}

impl<'a> Saved<'a> {
    fn take(&mut self) -> Result<(Kept<'a>, bool), LoadError> {
        let kept = self.body.take()?;
        let has_played = if self.tells_who_played { self.body.take()? } else { true };
        Ok((kept, has_played))
    }

    /// Decodes the accounts and checks that a server of `most` can have written them. Gives what follows them.
    pub fn check<const NAME: usize>(mut self, most: usize) -> Result<Reader<'a>, LoadError> {
        let (all, mut least) = (self, 0);
        for nth in 0..self.count {
            let (kept, _) = self.take()?;
            if usize::from(kept.id) >= most {
                return Err(LoadError::TooManyUsers);
            }
            must(kept.id >= least, "accounts out of order")?;
            must(!kept.hash.is_empty() && kept.hash.len() <= HASH_MAX, NO_HASH)?;
            name::<NAME>(kept.name)?;
            must(!Self { count: nth, ..all }.any(|other| other.name == kept.name)?, "a name twice")?;
            least = kept.id + 1;
        }
        Ok(self.body)
    }

    /// Is one of the accounts like this?
    pub fn any(mut self, like: impl Fn(&Kept<'_>) -> bool) -> Result<bool, LoadError> {
        for _ in 0..self.count {
            if like(&self.take()?.0) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts accounts that passed [`Saved::check`] where they were. Gives what follows them.
    pub fn load<const NAME: usize>(
        mut self,
        accounts: &mut [Account<NAME>],
        now: Millis,
    ) -> Result<Reader<'a>, LoadError> {
        accounts.iter_mut().for_each(|account| *account = Account::BLANK);
        for _ in 0..self.count {
            let (kept, has_played) = self.take()?;
            if let Some(account) = accounts.get_mut(usize::from(kept.id)) {
                *account = Account::named(name(kept.name)?);
                account.set_hash(kept.hash);
                (account.seen, account.has_played) = (now, has_played);
            }
        }
        Ok(self.body)
    }
}

/// A name that was saved: it was fit when it was given.
fn name<const NAME: usize>(name: &str) -> Result<Text<NAME>, LoadError> {
    Text::new(name).filter(|name| !name.is_empty()).ok_or(LoadError::Unsound(NO_NAME))
}

/// The accounts that a login has made, with their places.
pub(crate) fn made<const NAME: usize>(accounts: &[Account<NAME>]) -> impl Iterator<Item = (AccountId, &Account<NAME>)> {
    (0..).zip(accounts).filter(|(_, account)| account.is_made())
}

/// Writes the accounts that a login has made, after their count.
pub(crate) fn save<const NAME: usize>(accounts: &[Account<NAME>], writer: &mut Writer<'_>) -> Result<(), SaveError> {
    for (id, account) in made(accounts) {
        writer.put(&(Kept { id, name: account.name.as_str(), hash: account.hash() }, account.has_played))?;
    }
    Ok(())
}

/// Writes all accounts, with their links.
pub(crate) fn freeze<const NAME: usize>(accounts: &[Account<NAME>], writer: &mut Writer<'_>) -> Result<(), SaveError> {
    for account in accounts {
        writer.put(&(&account.name, account.hash(), account.slot(), account.seen, account.has_played))?;
    }
    Ok(())
}

/// Reads what [`freeze`] wrote, for a server of so many links.
pub(crate) fn thaw<const NAME: usize>(
    accounts: &mut [Account<NAME>],
    links: usize,
    body: &mut Reader<'_>,
) -> Result<(), LoadError> {
    for account in accounts {
        let (name, hash, slot, seen, has_played): (Text<NAME>, &[u8], Option<u16>, Millis, bool) = body.take()?;
        *account = Account::BLANK;
        if name.is_empty() {
            continue;
        }
        *account = Account { seen, has_played, ..Account::named(name) };
        must(hash.is_empty() || account.set_hash(hash), NO_HASH)?;
        account.connect(slot);
        must(account.is_within(links), "no such link")?;
    }
    Ok(())
}
