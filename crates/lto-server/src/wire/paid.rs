//! A body that is paid for while it is sent.

use crate::limits::Share;
use axum::body::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Bytes handed over at a time: whoever takes the last piece has nearly everything.
const PIECE: usize = 1 << 16;

/// Bytes that keep their share of the budget until a client has taken them.
pub struct Paid {
    bytes: Bytes,
    _share: Share,
}

impl Paid {
    /// Bytes with the share that pays for them.
    pub fn new(bytes: Vec<u8>, share: Share) -> Self {
        Self { bytes: bytes.into(), _share: share }
    }
}

impl Body for Paid {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let n = self.bytes.len().min(PIECE);
        Poll::Ready((n > 0).then(|| Ok(Frame::data(self.bytes.split_to(n)))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
