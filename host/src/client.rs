//! The other end of a connection: how `parlor bot` and `parlor status` reach a server.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::Arc;

use parlor_core::game::Encoding;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::net::Stream;
use crate::{tls, ws};

/// Where a server is, and what it speaks there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub is_secure: bool,
    pub is_web: bool,
    /// Host and port.
    pub authority: String,
    pub path: String,
}

impl FromStr for Target {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("tcp", text));
        // As in a browser, pages have a usual port; games have one each, so theirs is said.
        let (is_secure, is_web, usual) = match scheme {
            "tcp" => (false, false, None),
            "tls" => (true, false, None),
            "http" => (false, false, Some(80)),
            "https" => (true, false, Some(443)),
            "ws" => (false, true, Some(80)),
            "wss" => (true, true, Some(443)),
            _ => return Err("not tcp://, tls://, http://, https://, ws:// or wss://"),
        };
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let has_port =
            host.rsplit_once(':').is_some_and(|(name, port)| !name.is_empty() && port.parse::<u16>().is_ok());
        let is_bare = !host.is_empty() && (!host.contains(':') || host.ends_with(']'));
        let authority = match usual {
            _ if has_port => host.into(),
            Some(port) if is_bare => format!("{host}:{port}"),
            _ => return Err("neither HOST:PORT, like 127.0.0.1:13220, nor a URL, like ws://127.0.0.1:8080/ws/GAME"),
        };
        Ok(Self { is_secure, is_web, authority, path: format!("/{path}") })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.authority)
    }
}

/// Whom we trust to be the server.
#[derive(Clone, Debug)]
pub enum Trust {
    /// The one whose certificate has this SHA-256 fingerprint.
    Fingerprint(String),
    /// Anybody.
    Blind,
}

/// Why there is no connection, with what is likely the matter.
pub fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("nothing listens there: {error}"),
        // As rustls says it.
        _ if error.to_string().contains("InvalidContentType") => "no TLS is spoken there".into(),
        _ => error.to_string(),
    }
}

/// Opens a connection that carries a game's bytes; where that is a WebSocket, in such messages.
pub async fn connect(target: &Target, trust: &Trust, encoding: Encoding) -> io::Result<Box<dyn Stream>> {
    let stream = TcpStream::connect(&target.authority).await?;
    stream.set_nodelay(true)?;
    let stream: Box<dyn Stream> = if target.is_secure {
        let fingerprint = match trust {
            Trust::Fingerprint(fingerprint) => Some(fingerprint.clone()),
            Trust::Blind => None,
        };
        let host = target.authority.rsplit_once(':').map_or("", |(host, _)| host).trim_matches(['[', ']']);
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        Box::new(TlsConnector::from(Arc::new(tls_config(fingerprint))).connect(name, stream).await?)
    } else {
        Box::new(stream)
    };
    if !target.is_web {
        return Ok(stream);
    }
    ws::connect(stream, &target.authority, &target.path, encoding).await
}

/// A client that trusts the certificate with this fingerprint, or any.
pub fn tls_config(fingerprint: Option<String>) -> ClientConfig {
    let provider = tls::provider();
    let verifier = Arc::new(Pinned { fingerprint, provider: provider.clone() });
    let versions = [&rustls::version::TLS13, &rustls::version::TLS12];
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&versions);
    // Both versions are part of the provider that we compile in.
    builder
        .expect("the provider speaks TLS 1.2 and 1.3")
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth()
}

/// Knows a server by its certificate alone: most of ours are self-signed.
#[derive(Debug)]
struct Pinned {
    fingerprint: Option<String>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match &self.fingerprint {
            Some(known) if !known.eq_ignore_ascii_case(&tls::fingerprint(certificate)) => {
                Err(rustls::Error::General("the server's certificate has another fingerprint".into()))
            }
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read() {
        let target = |text: &str| text.parse::<Target>();
        let plain = target("127.0.0.1:13220").unwrap();
        assert_eq!((plain.is_secure, plain.is_web, plain.path.as_str()), (false, false, "/"));
        let web = target("wss://[::1]:8080/ws/pimp/2").unwrap();
        assert_eq!((web.is_secure, web.is_web), (true, true));
        assert_eq!((web.authority.as_str(), web.path.as_str()), ("[::1]:8080", "/ws/pimp/2"));
        let wrong = ["", "localhost", "ftp://a:1", ":1", "a:b", "tls://a", "http://", "http://a:b", "http://:1"];
        assert!(wrong.iter().all(|text| target(text).is_err()));
    }

    #[test]
    fn pages_have_a_usual_port() {
        let authority = |text: &str| text.parse::<Target>().unwrap().authority;
        assert_eq!(authority("http://parlor.local/fair/pimp-1-3.json"), "parlor.local:80");
        assert_eq!(authority("https://games.example"), "games.example:443");
        assert_eq!(authority("ws://[::1]/ws/pimp"), "[::1]:80");
        assert_eq!(authority("wss://games.example/ws/pimp"), "games.example:443");
    }
}
