//! The service in-process: every route, its limits, and what it refuses.

#[path = "../../../lto-cli/tests/common/model.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod model;

mod access;
mod client;
mod clients;
mod connections;
mod limits;
mod oip;
mod predict;
mod reload;
mod routes;
mod running;
mod streams;
mod studies;
