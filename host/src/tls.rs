//! TLS on every port, beside plain connections or instead: the first bytes tell them apart. A certificate that is renewed
//! is read again, and one that can't be read leaves the old one where it is.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::cli::{self, Exit, TlsKind};
use crate::config;
use crate::door::{Door, Tls};
use crate::quiet::warn_seldom;

/// Key and certificate that we made ourselves, in the data directory.
const OWN: &str = "self-signed.pem";

/// How often files are looked at.
const LOOK: Duration = Duration::from_secs(5);

/// What the doors need, and the certificate's fingerprint for the banner.
pub struct Secure {
    pub tls: Tls,
    pub fingerprint: String,
    /// Where certificate and key were read.
    files: [PathBuf; 2],
}

impl Secure {
    /// What the banner says: whether plain connections are taken beside, and who is trusted.
    pub fn announced(&self) -> String {
        let taken = if self.tls.is_required { "TLS alone" } else { "TLS too" };
        format!("{taken}, SHA-256 fingerprint {}", self.fingerprint)
    }

    /// Differs when the files do.
    fn stamp(files: &[PathBuf; 2]) -> [Option<(SystemTime, u64)>; 2] {
        files.each_ref().map(|file| {
            let about = fs::metadata(file).ok()?;
            Some((about.modified().ok()?, about.len()))
        })
    }

    /// Has the door speak with a renewed certificate, for ever.
    pub async fn follow(self, door: Arc<Door>) {
        let (files, is_required, mut known) = (self.files.clone(), self.tls.is_required, Self::stamp(&self.files));
        loop {
            tokio::time::sleep(LOOK).await;
            let stamp = Self::stamp(&files);
            if stamp == known {
                continue;
            }
            match read(&files, is_required) {
                Ok(secure) => {
                    known = stamp;
                    tracing::info!(fingerprint = secure.fingerprint, "the certificate was renewed");
                    door.speak(Some(secure.tls));
                }
                // Half of it may be written by now: it is looked at again.
                Err(error) => warn_seldom!("{}; the certificate from before is used", error.text()),
            }
        }
    }
}

pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// As the flags say; `None`: plain connections only.
pub fn set_up(asked: &cli::Tls, data: Option<&Path>) -> Result<Option<Secure>, Exit> {
    let files = match (&asked.tls_cert, &asked.tls_key, asked.tls) {
        (Some(certificate), Some(key), _) => [certificate.clone(), key.clone()],
        (_, _, TlsKind::SelfSigned | TlsKind::Required) => {
            let own = config::data_dir(data)?.join(OWN);
            if !own.exists() {
                make_own(&own).map_err(|error| Exit::fault(format!("can't write {}: {error}", own.display())))?;
            }
            [own.clone(), own]
        }
        _ => return Ok(None),
    };
    read(&files, asked.tls == TlsKind::Required).map(Some)
}

fn read(files: &[PathBuf; 2], is_required: bool) -> Result<Secure, Exit> {
    let [certificate, key] = files;
    let chain = read_chain(certificate)
        .map_err(|error| Exit::fault(format!("can't read the certificate {}: {error}", certificate.display())))?;
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| Exit::fault(format!("can't read the private key {}: {error}", key.display())))?;
    let fingerprint = chain.first().map(|first| fingerprint(first)).unwrap_or_default();
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| Exit::fault(format!("{} does not work: {error}", certificate.display())))?;
    let tls = Tls { acceptor: TlsAcceptor::from(Arc::new(config)), is_required };
    Ok(Secure { tls, fingerprint, files: files.clone() })
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let chain = CertificateDer::pem_file_iter(path).map_err(|error| error.to_string())?;
    let chain = chain.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    if chain.is_empty() { Err("it holds no certificate".into()) } else { Ok(chain) }
}

/// SHA-256 of a certificate, as hexadecimal digits.
pub fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, certificate);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A key and a certificate for this machine, in one file that only its owner reads.
fn make_own(path: &Path) -> io::Result<()> {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let own = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // Under another name first: a crash leaves no half of it, and of two that start at once the first is right for both.
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.write_all(own.signing_key.serialize_pem().as_bytes())?;
    file.write_all(own.cert.pem().as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    }
}

/// Looks at a connection's first bytes without taking them: a TLS record of kind 22, version 3. No game's
/// client begins so: lines begin with letters or signs, frames with a zero byte.
pub async fn is_hello(stream: &TcpStream) -> io::Result<bool> {
    loop {
        let mut first = [0; 2];
        match (stream.peek(&mut first).await?, first) {
            (0, _) => return Ok(false),
            (1, [0x16, _]) => tokio::time::sleep(Duration::from_millis(20)).await,
            (_, first) => return Ok(first == [0x16, 0x03]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_says_whether_plain_connections_are_taken() {
        let folder = std::env::temp_dir().join(format!("parlor-tls-{}", std::process::id()));
        let announced = |tls| {
            let asked = cli::Tls { tls, tls_cert: None, tls_key: None };
            set_up(&asked, Some(&folder)).ok().flatten().map(|secure| secure.announced())
        };
        let [off, too, alone] = [TlsKind::Off, TlsKind::SelfSigned, TlsKind::Required].map(announced);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(off, None);
        assert!(too.unwrap().starts_with("TLS too, SHA-256 fingerprint "));
        assert!(alone.unwrap().starts_with("TLS alone, SHA-256 fingerprint "));
    }
}
