//! Servers with https.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

use super::support::{Tap, User, answer, call};
use crate::support::root;

/// Starts a server with https that answers each call on a connection of its own.
fn server() -> SocketAddr {
    let path = root().join("cli/tests/data/localhost.pem");
    let certificates = CertificateDer::pem_file_iter(&path).unwrap().collect::<Result<_, _>>();
    let key = PrivateKeyDer::from_pem_file(&path).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates.unwrap(), key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut connection = ServerConnection::new(config.clone()).unwrap();
            // A client that does not trust the certificate leaves.
            let _ = one(&mut Stream::new(&mut connection, &mut stream));
        }
    });
    address
}

fn one(stream: &mut (impl Read + Write)) -> std::io::Result<()> {
    let (mut request, mut room) = (Vec::new(), [0; 4096]);
    while !request.ends_with(b"}") {
        match stream.read(&mut room)? {
            0 => return Ok(()),
            read => request.extend_from_slice(&room[..read]),
        }
    }
    let body = answer(&serde_json::json!({"id": 1}));
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    stream.flush()
}

#[test]
fn a_server_with_https_is_reached_if_it_is_trusted() {
    let url = format!("https://{}/mcp", server());
    let pem = root().join("cli/tests/data/localhost.pem");
    let tap = Tap::start_with(&url, &[], |command| {
        command.env("SSL_CERT_FILE", pem);
    });
    let answer = User::new().ask(call(&tap.url("/mcp"), "tools/call", "add"));
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let stopped = tap.stop();
    assert_eq!(stopped.audit().1, [] as [&str; 0]);
    // A system that trusts something else.
    let tap = Tap::start(&url, &[]);
    let answer = User::new().ask(call(&tap.url("/mcp"), "tools/call", "add"));
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.status == 502 && text.contains("certificate"), "{text}");
    tap.stop();
}
