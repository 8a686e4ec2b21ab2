//! One POST: a line of text to an address, and whether it was taken. Nothing of the answer but its status is looked at, and
//! no redirect is followed.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::address::Address;
use crate::access::Subnet;
use crate::net::Stream;
use crate::tls;

/// From the first question to the last byte that is looked at.
const IN_TIME: Duration = Duration::from_secs(10);
/// The first line of an answer is no longer.
const STATUS: usize = 256;
/// Where systems keep the certificates that they trust, the usual ones first; `SSL_CERT_FILE` names another.
const BUNDLES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

/// Why a text was not taken. It tells nothing of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untaken {
    /// It leads nowhere, or into the server's own network.
    Nowhere,
    /// No server is there, or none that can prove to be.
    Unreachable,
    /// An answer that is no success, a redirect among them.
    Status(u16),
    Late,
}

pub async fn post(address: &Address, text: &str, allowed: &[Subnet]) -> Result<(), Untaken> {
    timeout(IN_TIME, try_post(address, text, allowed)).await.unwrap_or(Err(Untaken::Late))
}

async fn try_post(address: &Address, text: &str, allowed: &[Subnet]) -> Result<(), Untaken> {
    let found = address.find(allowed).await;
    if found.is_empty() {
        return Err(Untaken::Nowhere);
    }
    let stream = TcpStream::connect(&*found).await.map_err(|_| Untaken::Unreachable)?;
    let mut stream = secured(address, stream).await.map_err(|_| Untaken::Unreachable)?;
    let status = exchange(&mut stream, address, text).await.map_err(|_| Untaken::Unreachable)?;
    if (200..300).contains(&status) { Ok(()) } else { Err(Untaken::Status(status)) }
}

async fn secured(address: &Address, stream: TcpStream) -> io::Result<Box<dyn Stream>> {
    if !address.is_secure() {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(address.host().to_owned()).map_err(io::Error::other)?;
    Ok(Box::new(TlsConnector::from(trusting()?).connect(name, stream).await?))
}

/// Trusts the authorities that this machine trusts. Read once.
fn trusting() -> io::Result<Arc<ClientConfig>> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    let named = std::env::var_os("SSL_CERT_FILE").map(std::path::PathBuf::from);
    let usual = || BUNDLES.iter().map(Path::new).find(|path| path.exists()).map(Path::to_path_buf);
    let path = named.or_else(usual).ok_or(io::ErrorKind::NotFound)?;
    let mut roots = RootCertStore::empty();
    let found = CertificateDer::pem_file_iter(path).map_err(io::Error::other)?;
    roots.add_parsable_certificates(found.filter_map(Result::ok));
    let builder = ClientConfig::builder_with_provider(tls::provider()).with_safe_default_protocol_versions();
    let config = builder.map_err(io::Error::other)?.with_root_certificates(roots).with_no_client_auth();
    Ok(CONFIG.get_or_init(|| Arc::new(config)).clone())
}

/// Sends the text and reads the status of the answer.
async fn exchange(stream: &mut (impl Stream + ?Sized), address: &Address, text: &str) -> io::Result<u16> {
    let request = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: parlor/{}\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
        address.path(),
        address.authority(),
        env!("CARGO_PKG_VERSION"),
        text.len()
    );
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let mut answer = Vec::with_capacity(STATUS);
    while answer.len() < STATUS && !answer.contains(&b'\n') {
        let mut part = [0; STATUS];
        match stream.read(&mut part).await? {
            0 => break,
            n => answer.extend_from_slice(part.get(..n).unwrap_or_default()),
        }
    }
    status(&answer).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// `HTTP/1.1 200 OK`.
fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.split(|byte| *byte == b'\n').next().and_then(|line| std::str::from_utf8(line).ok())?;
    let mut words = line.split_whitespace();
    words.next().filter(|version| version.starts_with("HTTP/1."))?;
    words.next()?.parse().ok().filter(|status| (100..600).contains(status))
}

#[cfg(test)]
mod tests {
    use super::status;

    #[test]
    fn only_the_status_of_an_answer_counts() {
        assert_eq!(status(b"HTTP/1.1 200 OK\r\nA: b\r\n"), Some(200));
        assert_eq!(status(b"HTTP/1.0 302 Found\r\n"), Some(302));
        for bad in [&b""[..], b"HTTP/1.1", b"HTTP/1.1 abc", b"SSH-2.0-x 200", b"HTTP/1.1 99999 x", b"\xff\xfe 200"] {
            assert_eq!(status(bad), None);
        }
    }
}
