//! A prediction as a picture or an animation.

use super::{Predicted, PredictionFormat};
use crate::error::Result;
use crate::picture::prediction::{self, Frame, Observed, Subject};
use lto_numerics::Points;
use lto_numerics::dataset::write::write_whole;
use std::path::Path;

/// The observations, then the field at a few times.
pub(super) struct Png;

impl PredictionFormat for Png {
    fn suffix(&self) -> &'static str {
        "png"
    }

    fn write(&self, path: &Path, predicted: &Predicted) -> Result<()> {
        Ok(write_whole(path, &png(predicted)?)?)
    }
}

/// That picture as the bytes of a PNG file.
///
/// # Errors
/// A picture that is too large.
pub fn png(predicted: &Predicted) -> Result<Vec<u8>> {
    prediction::png(&subject(predicted))
}

/// The field over the times.
pub(super) struct Gif;

impl PredictionFormat for Gif {
    fn suffix(&self) -> &'static str {
        "gif"
    }

    fn refusal(&self, _query: &Points, n_times: usize) -> Option<&'static str> {
        (n_times < 2).then_some("an animation needs several times; write a .png")
    }

    fn write(&self, path: &Path, predicted: &Predicted) -> Result<()> {
        if let Some(reason) = self.refusal(predicted.query, predicted.times.len()) {
            return crate::Error::no_picture(reason);
        }
        Ok(write_whole(path, &prediction::gif(&subject(predicted))?)?)
    }
}

/// One channel of the prediction, with its observations.
fn subject<'a>(predicted: &Predicted<'a>) -> Subject<'a> {
    let names = predicted.channel_names();
    let channel = predicted.shown_channel;
    let context = &predicted.observations.context;
    let n = context.points.len();
    // Same quantity, same colors: only if the state is predicted from itself.
    let same = predicted.card.problem.times.is_some() && context.n_channels == names.len();
    let source = if same { channel } else { 0 };
    let observed = Observed {
        points: &context.points,
        values: context.values.get(source * n..(source + 1) * n).unwrap_or_default(),
        title: match predicted.observations.time {
            Some(time) => format!("observed, {}", predicted.when(time)),
            None => "observed".into(),
        },
        same_quantity: same,
    };
    let frame = |index: usize| Frame {
        title: match predicted.times.get(index) {
            Some(&time) => format!("predicted, {}", predicted.when(time)),
            None => "predicted".into(),
        },
        values: predicted.channel(index, channel),
        ends: predicted.ends(index, channel),
    };
    Subject {
        query: predicted.query,
        observed,
        frames: (0..predicted.n_frames()).map(frame).collect(),
        quantity: names.get(channel).cloned().unwrap_or_default(),
        level: predicted.band.map(|band| band.level),
        title: format!("{n} sensors"),
        colormap: predicted.colormap,
    }
}
