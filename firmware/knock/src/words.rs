//! A game's settings as the words that an image takes. parlor-firmware's `settings` reads them.

use parlor_core::game::Game;
use parlor_core::settings::Settings as _;

/// `seed=` and 32 bytes.
pub fn seed(seed: &[u8; 32]) -> String {
    let digits = seed.iter().map(|byte| format!("{byte:02x}"));
    digits.fold("seed=".into(), |word, digits| word + &digits)
}

/// Whatever is not as a board has it.
pub fn settings<G: Game>(config: &G::Config) -> Vec<String> {
    let mut words = Vec::new();
    G::Config::each(&mut |row| {
        if let Some(value) = config.get(row.name).filter(|value| G::BOARD.get(row.name) != Some(*value)) {
            words.push(format!("{}={}", row.name.replace('_', "-"), row.kind.show(value)));
        }
    });
    words
}

#[cfg(test)]
mod tests {
    use parlor_core::pimp::limits::BoardTable;
    use parlor_core::pimp::server::Config;
    use parlor_core::yard;
    use parlor_core::yard::limits::BoardYard;
    use parlor_firmware::options::Words;
    use parlor_firmware::settings::For;

    use super::*;

    #[test]
    fn an_image_reads_them_back() {
        let mut config = Config { rate: 0, claim_grace: 250, ascii_names: true, ..Config::DEFAULT };
        config.rules.pot = None;
        let line = settings::<BoardTable>(&config).join(" ");
        assert_eq!(line, "pot=off claim-grace=250ms rate=0 ascii-names=on");
        let options = Words::<For<BoardTable>>::parse(&format!("{line} {}", seed(&[0xA5; 32])));
        assert_eq!((options.config.0, options.seed), (config, Some([0xA5; 32])));
    }

    #[test]
    fn an_image_of_the_yard_reads_them_back() {
        let config = yard::server::Config {
            login_timeout: 1,
            password_pause: 2,
            deserted: 3_000,
            rate: 4,
            wrong_passwords: 5,
            bots: false,
        };
        let line = settings::<BoardYard>(&config).join(" ");
        assert_eq!(line, "login-timeout=1ms password-pause=2ms deserted=3 rate=4");
        assert_eq!(Words::<For<BoardYard>>::parse(&line).config.0, config);
    }
}
