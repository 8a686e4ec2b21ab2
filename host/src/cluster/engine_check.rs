//! What must be true of the engine before anything is kept there: it is new enough, and syncs what it acknowledges.
//!
//! Every server is asked at its monitoring port. One that is away is no reason not to start as long as most are there
//! and well: a node must come back while a machine is gone. Such a server is asked until it answers, and what is wrong
//! with it then is told until it is mended ([`Doubted`]).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use crate::task;

/// The oldest engine that is trusted: older ones lose what they acknowledged, or sync a hundredth as fast.
const OLDEST: (u32, u32) = (2, 15);
/// How long a server may take to tell about itself.
const ANSWER: Duration = Duration::from_secs(2);
/// How often a server that was away is asked again.
const AGAIN: Duration = Duration::from_secs(5);

/// What is not as it should be: refused in one sentence, or said and passed over.
pub(super) struct Doubts {
    pub trust: bool,
}

impl Doubts {
    pub fn raise(&self, doubt: String) -> Result<(), String> {
        if self.trust {
            tracing::warn!("{doubt}; --cluster-trust goes on all the same");
            return Ok(());
        }
        Err(format!("{doubt} (--cluster-trust to go on all the same)"))
    }
}

/// Servers that were not seen to be well, by where they tell about themselves: what is wrong, in a sentence.
#[derive(Default)]
pub struct Doubted(Mutex<BTreeMap<String, String>>);

impl Doubted {
    pub fn sentences(&self) -> Vec<String> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a server now.
    fn note(&self, address: &str, judged: Result<(), String>) {
        let before = match &judged {
            Ok(()) => self.lock().remove(address),
            Err(doubt) => self.lock().insert(address.into(), doubt.clone()),
        };
        match judged {
            Ok(()) => tracing::info!("the engine's server at {address} is back, and as it should be"),
            Err(doubt) if before.as_ref() != Some(&doubt) => {
                tracing::error!("{doubt}; what is told to players from now on may be lost");
            }
            Err(_) => {}
        }
    }
}

/// Looks at every server of the engine. Those that do not answer are looked at later.
pub(super) async fn check_servers(doubts: &Doubts, monitors: &[String]) -> Result<Arc<Doubted>, String> {
    let mut silent = BTreeMap::new();
    for monitor in monitors {
        let address = monitor.trim_start_matches("http://").trim_end_matches('/');
        match look(address).await {
            Ok(varz) => judge(&varz).or_else(|doubt| doubts.raise(doubt))?,
            Err(why) => {
                let doubt = format!(
                    "whether the engine syncs what it acknowledges can't be seen at http://{address}/varz \
                     ({why}; --cluster-monitor says where)"
                );
                silent.insert(address.to_owned(), doubt);
            }
        }
    }
    let most_are_silent = 2 * silent.len() >= monitors.len();
    for doubt in silent.values() {
        if most_are_silent {
            doubts.raise(doubt.clone())?;
        } else {
            tracing::warn!("{doubt}; the others are as they should be");
        }
    }
    let is_asked_again = !silent.is_empty() && !doubts.trust;
    let doubted = Arc::new(Doubted(Mutex::new(silent)));
    if is_asked_again {
        task::spawn(ask_again(Arc::downgrade(&doubted)));
    }
    Ok(doubted)
}

/// Until all were seen to be well, or no one holds `doubted`.
async fn ask_again(doubted: Weak<Doubted>) {
    loop {
        sleep(AGAIN).await;
        let Some(doubted) = doubted.upgrade() else { return };
        let addresses: Vec<String> = doubted.lock().keys().cloned().collect();
        if addresses.is_empty() {
            return;
        }
        for address in addresses {
            if let Ok(varz) = look(&address).await {
                doubted.note(&address, judge(&varz));
            }
        }
    }
}

/// What is wrong with a server, by what it tells.
fn judge(varz: &Varz) -> Result<(), String> {
    let Varz { server_name, version, jetstream } = varz;
    judge_version(server_name, version)?;
    if jetstream.config.as_ref().is_some_and(|config| config.sync_always) {
        return Ok(());
    }
    Err(format!(
        "the engine {server_name} does not sync what it acknowledges: jetstream {{ sync_interval: always }} is needed"
    ))
}

fn judge_version(name: &str, version: &str) -> Result<(), String> {
    let mut numbers = version.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    let found = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let (major, minor) = OLDEST;
    if found >= OLDEST {
        return Ok(());
    }
    Err(format!("the engine {name} is nats-server {version}, and {major}.{minor} is needed"))
}

pub(super) fn check_version(doubts: &Doubts, name: &str, version: &str) -> Result<(), String> {
    judge_version(name, version).or_else(|doubt| doubts.raise(doubt))
}

/// What `/varz` tells, as far as it matters.
#[derive(Deserialize)]
struct Varz {
    server_name: String,
    version: String,
    #[serde(default)]
    jetstream: JetStreamz,
}

#[derive(Default, Deserialize)]
struct JetStreamz {
    config: Option<JetStreamConfig>,
}

#[derive(Deserialize)]
struct JetStreamConfig {
    #[serde(default)]
    sync_always: bool,
}

/// What a server tells at its monitoring port.
async fn look(address: &str) -> Result<Varz, String> {
    let asking = async {
        let mut stream = tokio::net::TcpStream::connect(address).await?;
        stream.write_all(format!("GET /varz HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes()).await?;
        let mut answer = String::new();
        stream.take(1 << 20).read_to_string(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    let answer = timeout(ANSWER, asking).await.map_err(|_| "no answer")?.map_err(|error| error.to_string())?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    serde_json::from_str(body).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_engines_are_refused_unless_trusted() {
        let (strict, trusting) = (Doubts { trust: false }, Doubts { trust: true });
        for (version, is_good) in
            [("2.15.1", true), ("2.16.0-beta.1", true), ("3.0.0", true), ("2.10.27", false), ("", false)]
        {
            assert_eq!(check_version(&strict, "n1", version).is_ok(), is_good, "{version}");
            assert!(check_version(&trusting, "n1", version).is_ok());
        }
        let text = check_version(&strict, "n1", "2.9.10").unwrap_err();
        assert!(text.contains("2.9.10") && text.contains("2.15") && text.contains("--cluster-trust"), "{text}");
    }

    /// Tells for ever that it syncs, or that it does not; where.
    async fn monitor(sync_always: bool) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = [0; 512];
                let _ = stream.read(&mut head).await;
                let config = format!("{{\"config\":{{\"sync_always\":{sync_always}}}}}");
                let body = format!("{{\"server_name\":\"n\",\"version\":\"2.15.1\",\"jetstream\":{config}}}");
                let _ = stream.write_all(format!("HTTP/1.0 200 OK\r\n\r\n{body}").as_bytes()).await;
            }
        });
        address
    }

    #[tokio::test]
    async fn one_of_three_may_be_away_and_none_may_be_wrong() {
        let (strict, gone) = (Doubts { trust: false }, "127.0.0.1:1".to_owned());
        let [one, other, lazy] = [monitor(true).await, monitor(true).await, monitor(false).await];
        let check = async |monitors: [&String; 3]| check_servers(&strict, &monitors.map(String::clone)).await;
        assert!(check([&one, &other, &one]).await.unwrap().sentences().is_empty());
        let doubted = check([&one, &gone, &other]).await.unwrap().sentences();
        assert!(matches!(&doubted[..], [doubt] if doubt.contains(&gone)), "{doubted:?}");
        let text = check([&one, &gone, &gone.replace('1', "2")]).await.err().unwrap();
        assert!(text.contains("/varz") && text.contains("--cluster-trust"), "{text}");
        let text = check([&one, &gone, &lazy]).await.err().unwrap();
        assert!(text.contains("does not sync"), "{text}");
    }

    #[test]
    fn a_server_is_doubted_until_it_is_seen_to_be_well() {
        let doubted = Doubted(Mutex::new([("a:1".to_owned(), "away".to_owned())].into()));
        doubted.note("a:1", Err("does not sync".into()));
        assert_eq!(doubted.sentences(), ["does not sync"]);
        doubted.note("a:1", Ok(()));
        assert!(doubted.sentences().is_empty());
    }
}
