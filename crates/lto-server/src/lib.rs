//! Models as a service: predictions, certificates and sensor layouts over HTTP. Everything is computed by `lto` and
//! `lto-numerics`; here are the routes, their limits, and the threads that compute.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = lto_server::Service::new(lto_server::Config::default())?; // the twin that is part of the crate
//! let router = lto_server::router(&service);
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! lto_server::serve(listener, router, service, async { /* until a signal comes */ }).await;
//! # Ok(())
//! # }
//! ```

mod auth;
mod batch;
mod compute;
mod connection;
mod error;
mod limits;
mod metrics;
mod page;
mod pool;
mod routes;
mod served;
mod service;
mod source;
mod states;
mod trace;
mod truth;
mod twin;
mod wire;

pub use auth::{Access, Guard, Tokens};
pub use connection::serve;
pub use error::Error;
pub use limits::Limits;
pub use routes::{openapi, router};
pub use service::{Config, Service, SetupError};
pub use source::{Origin, Source};
pub use twin::model as twin;
