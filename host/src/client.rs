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
        let (is_secure, is_web) = match scheme {
            "tcp" | "http" => (false, false),
            "tls" | "https" => (true, false),
            "ws" => (false, true),
            "wss" => (true, true),
            _ => return Err("not tcp://, tls://, ws:// or wss://"),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        match authority.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {}
            _ => return Err("not an address like 127.0.0.1:13220 or ws://127.0.0.1:8080/ws/GAME"),
        }
        Ok(Self { is_secure, is_web, authority: authority.into(), path: format!("/{path}") })
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
        assert!(["", "localhost", "ftp://a:1", ":1", "a:b"].iter().all(|text| target(text).is_err()));
    }
}
