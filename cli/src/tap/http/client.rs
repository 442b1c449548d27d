//! The proxy's client, which sends requests to the server.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tower_service::Service;

use super::body::Logged;

/// The time to connect, with TLS if there is any.
const CONNECT: Duration = Duration::from_secs(10);
/// The time after which an idle connection is closed. Some servers close one after 5 seconds, and a request that is sent at
/// that moment fails.
const IDLE: Duration = Duration::from_secs(4);

#[cfg(feature = "tls")]
type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "tls"))]
type Connector = HttpConnector;

/// A client that keeps connections.
#[derive(Clone)]
pub struct Sender(Client<Timed<Connector>, Logged<Incoming>>);

impl Sender {
    /// Creates a client.
    ///
    /// # Errors
    ///
    /// Returns why there is no TLS, such as a system without root certificates.
    pub fn new() -> std::io::Result<Self> {
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_idle_timeout(IDLE).pool_timer(TokioTimer::new());
        client.http1_preserve_header_case(true);
        Ok(Self(client.build(Timed(connector()?))))
    }

    /// Sends a request.
    ///
    /// # Errors
    ///
    /// Returns the error of the connection, or of the body.
    pub async fn send(
        &self,
        request: Request<Logged<Incoming>>,
    ) -> Result<Response<Incoming>, Error> {
        self.0.request(request).await
    }
}

fn http() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT));
    connector.enforce_http(cfg!(not(feature = "tls")));
    connector
}

#[cfg(not(feature = "tls"))]
#[expect(clippy::unnecessary_wraps, reason = "with TLS, it can fail")]
fn connector() -> std::io::Result<Connector> {
    Ok(http())
}

#[cfg(feature = "tls")]
fn connector() -> std::io::Result<Connector> {
    let provider = rustls::crypto::ring::default_provider();
    let builder =
        hyper_rustls::HttpsConnectorBuilder::new().with_provider_and_native_roots(provider)?;
    Ok(builder.https_or_http().enable_http1().wrap_connector(http()))
}

/// A connector with a time limit.
#[derive(Clone)]
struct Timed<C>(C);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl<C> Service<Uri> for Timed<C>
where
    C: Service<Uri>,
    C::Error: Into<BoxError>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connected = tokio::time::timeout(CONNECT, self.0.call(uri));
        Box::pin(async move {
            match connected.await {
                Ok(connected) => connected.map_err(Into::into),
                Err(_) => Err(format!("no connection within {} seconds", CONNECT.as_secs()).into()),
            }
        })
    }
}

/// Returns the causes of an error, from the outside in.
pub fn causes(error: &Error) -> String {
    let mut words = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let next = cause.to_string();
        if !words.contains(&next) {
            words = format!("{words}: {next}");
        }
        source = cause.source();
    }
    words
}

/// An empty body of the proxy's own responses, or a text.
pub fn text(words: &str) -> http_body_util::Full<Bytes> {
    http_body_util::Full::new(Bytes::from(format!("tautline: {words}\n")))
}
