//! Mutual TLS between nodes, made of the cluster's key: a node that holds it can make a certificate that the others
//! believe, and no other program can. There is no file to copy beside the key, and nothing that runs out.

use std::io;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, PKCS_ED25519};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::sealed::Keys;
use crate::tls;

/// What every node calls itself in its certificate.
const NAME: &str = "node.parlor.internal";
/// An Ed25519 key as PKCS #8 has it, before its 32 bytes (RFC 8410, section 7).
const PKCS8: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

pub struct Identity {
    pub acceptor: TlsAcceptor,
    pub connector: TlsConnector,
}

impl Identity {
    pub fn new(keys: &Keys) -> io::Result<Self> {
        let secret = keys.secret("certificates");
        let pkcs8 = [&PKCS8[..], &secret].concat();
        let authority = KeyPair::from_pkcs8_der_and_sign_algo(&PrivatePkcs8KeyDer::from(pkcs8), &PKCS_ED25519);
        let authority = authority.map_err(io::Error::other)?;
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "parlor cluster");
        let root = params.self_signed(&authority).map_err(io::Error::other)?;
        let issuer = Issuer::new(params, authority);
        let own_key = KeyPair::generate().map_err(io::Error::other)?;
        let own = CertificateParams::new(vec![NAME.to_owned()]).map_err(io::Error::other)?;
        let own = own.signed_by(&own_key, &issuer).map_err(io::Error::other)?;
        let chain: Vec<CertificateDer<'static>> = vec![own.der().clone()];
        let key = || PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own_key.serialize_der()));
        let mut roots = RootCertStore::empty();
        roots.add(root.der().clone()).map_err(io::Error::other)?;
        let roots = Arc::new(roots);
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), tls::provider());
        let server = ServerConfig::builder_with_provider(tls::provider())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(io::Error::other)?
            .with_client_cert_verifier(verifier.build().map_err(io::Error::other)?)
            .with_single_cert(chain.clone(), key())
            .map_err(io::Error::other)?;
        let client = ClientConfig::builder_with_provider(tls::provider())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key())
            .map_err(io::Error::other)?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(server)), connector: TlsConnector::from(Arc::new(client)) })
    }

    pub fn name() -> ServerName<'static> {
        ServerName::try_from(NAME).unwrap_or_else(|_| unreachable!("a name of letters and dots"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// Whether a node with one key and a node with the other understand each other.
    async fn agree(server: &str, client: &str) -> bool {
        let [server, client] = [server, client].map(|text| Identity::new(&Keys::parse(text).unwrap()).unwrap());
        let (near, far) = tokio::io::duplex(4096);
        let serving = tokio::spawn(async move {
            let mut stream = server.acceptor.accept(far).await?;
            stream.write_all(b"ok").await?;
            stream.flush().await
        });
        let asked = async {
            let mut stream = client.connector.connect(Identity::name(), near).await?;
            let mut word = [0; 2];
            stream.read_exact(&mut word).await.map(|_| word == *b"ok")
        };
        let is_told = asked.await.unwrap_or(false);
        serving.await.unwrap().is_ok() && is_told
    }

    #[tokio::test]
    async fn only_holders_of_one_key_understand_each_other() {
        let (one, two) = ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210");
        assert!(agree(one, one).await);
        assert!(!agree(one, two).await && !agree(two, one).await);
    }

    #[tokio::test]
    async fn whoever_shows_no_certificate_is_refused() {
        let keys = Keys::parse("0123456789abcdef0123456789abcdef").unwrap();
        let server = Identity::new(&keys).unwrap();
        let (near, far) = tokio::io::duplex(4096);
        let serving = tokio::spawn(async move { server.acceptor.accept(far).await.is_ok() });
        let stranger = TlsConnector::from(Arc::new(crate::client::tls_config(None)));
        if let Ok(mut stream) = stranger.connect(Identity::name(), near).await {
            let _ = stream.read(&mut [0; 2]).await;
        }
        assert!(!serving.await.unwrap());
    }
}
