//! A game's settings as the words that an image takes. parlor-firmware's `settings` reads them.

use parlor_core::pimp::server::Config;
use parlor_core::yard;

/// `seed=` and 32 bytes.
pub fn seed(seed: &[u8; 32]) -> String {
    let digits = seed.iter().map(|byte| format!("{byte:02x}"));
    digits.fold("seed=".into(), |word, digits| word + &digits)
}

/// Whatever is not as usual.
pub fn settings(config: &Config) -> Vec<String> {
    unusual(every(config), every(&Config::DEFAULT))
}

/// The same for Scotland Yard.
pub fn yard_settings(config: &yard::server::Config) -> Vec<String> {
    unusual(every_of_yard(config), every_of_yard(&yard::server::Config::BOARD))
}

fn unusual(all: Vec<String>, usual: Vec<String>) -> Vec<String> {
    all.into_iter().zip(usual).filter(|(word, usual)| word != usual).map(|(word, _)| word).collect()
}

fn every_of_yard(config: &yard::server::Config) -> Vec<String> {
    // A board has no bots of its own: there is no word for them.
    let yard::server::Config { login_timeout, password_pause, deserted, rate, wrong_passwords, bots: _ } = config;
    let times = [("login-timeout", login_timeout), ("password-pause", password_pause), ("deserted", deserted)];
    let times = times.iter().map(|(name, time)| format!("{name}={time}ms"));
    times.chain([format!("rate={rate}"), format!("wrong-passwords={wrong_passwords}")]).collect()
}

fn every(config: &Config) -> Vec<String> {
    let times = [
        ("vote-timeout", config.vote_timeout),
        ("vote-pause", config.vote_pause),
        ("ping-interval", config.ping_interval),
        ("ping-timeout", config.ping_timeout),
        ("auction-timeout", config.auction_timeout),
        ("claim-grace", config.claim_grace),
        ("presence", config.presence),
        ("silence", config.silence),
        ("join-timeout", config.join_timeout),
        ("deserted", config.deserted),
        ("farewell", config.farewell),
        ("password-pause", config.password_pause),
        ("dump-pause", config.dump_pause),
    ];
    let numbers = [
        ("rate", u32::from(config.rate)),
        ("wrong-passwords", u32::from(config.wrong_passwords)),
        ("refusals", u32::from(config.refusals)),
        ("max-players", u32::from(config.max_players)),
        ("pot", config.rules.pot.unwrap_or_default()),
        ("termites", u32::from(config.rules.termites)),
    ];
    let switches = [
        ("ascii-names", config.ascii_names),
        ("double-go", config.rules.double_go),
        ("lap-before-buy", config.rules.lap_before_buy),
        ("estate-to-creditor", config.rules.estate_to_creditor),
        ("bail-ends-turn", config.rules.bail_ends_turn),
        ("debt-blocks-roll", config.rules.debt_blocks_roll),
    ];
    let times = times.iter().map(|(name, time)| format!("{name}={time}ms"));
    let numbers = numbers.iter().map(|(name, number)| format!("{name}={number}"));
    let switches = switches.iter().map(|(name, on)| format!("{name}={}", if *on { "yes" } else { "no" }));
    times.chain(numbers).chain(switches).collect()
}

#[cfg(test)]
mod tests {
    use parlor_firmware::options::{Options, Words};
    use parlor_firmware::settings::Yard;

    use super::*;

    #[test]
    fn an_image_reads_them_back() {
        let mut config = Config { rate: 0, claim_grace: 250, ascii_names: true, ..Config::DEFAULT };
        config.rules.pot = None;
        let line = settings(&config).join(" ");
        assert_eq!(line, "claim-grace=250ms rate=0 pot=0 ascii-names=yes");
        let options = Options::parse(&format!("{line} {}", seed(&[0xA5; 32])));
        assert_eq!((options.config, options.seed), (config.clone(), Some([0xA5; 32])));
        // Every one of them has a name that is known there.
        assert_eq!(Options::parse(&every(&config).join(" ")).config, config);
        assert_eq!(every(&config).len(), 25);
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
        let line = yard_settings(&config).join(" ");
        assert_eq!(line, "login-timeout=1ms password-pause=2ms deserted=3000ms rate=4");
        assert_eq!(Words::<Yard>::parse(&line).config, Yard(config));
    }
}
