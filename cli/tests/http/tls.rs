//! A probe over an encrypted connection. The certificate and its key are for tests, and valid for a century.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http/certificate.pem");

fn start() -> u16 {
    let certificate = CertificateDer::from_pem_file(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            // A client without trusted certificates closes the connection.
            let _ = serve(StreamOwned::new(connection, socket));
        }
    });
    port
}

/// Answers one request, whatever it asks for, like `server/discover`.
fn serve(mut stream: StreamOwned<ServerConnection, TcpStream>) -> std::io::Result<()> {
    let (mut received, mut room) = (Vec::new(), [0; 4096]);
    let id = loop {
        let length = stream.read(&mut room)?;
        if length == 0 {
            return Ok(());
        }
        received.extend_from_slice(&room[..length]);
        let body = received.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4);
        let message = body.and_then(|at| serde_json::from_slice::<Value>(&received[at..]).ok());
        if let Some(message) = message {
            break message["id"].clone();
        }
    };
    let result =
        json!({"supportedVersions": ["2026-07-28"], "capabilities": {}, "resultType": "complete"});
    let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    stream.conn.send_close_notify();
    stream.flush()
}

#[test]
fn a_certificate_that_is_trusted_is_needed() {
    let url = format!("https://localhost:{}/mcp", start());
    let run = |trusted: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tautline"));
        command.args([
            "probe",
            "--url",
            &url,
            "--rules",
            "2026-07-28",
            "--case",
            "http-modern-post",
        ]);
        command.args(["--format", "json"]).stdin(Stdio::null());
        command.env("SSL_CERT_FILE", trusted).env_remove("SSL_CERT_DIR").output().unwrap()
    };
    let output = run(CERTIFICATE);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        (output.status.code(), &document["totals"]["right"]),
        (Some(0), &json!(1)),
        "{words}"
    );
    let output = run("/dev/null");
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(words.contains("certificate"), "{words}");
}
