//! A prediction as a picture or an animation.

use super::Predicted;
use crate::args::PredictArgs;
use crate::output::write_atomically;
use anyhow::Result;
use lto_report::picture::channel_number;
use lto_report::picture::prediction::{self, Frame, Observed, Subject};
use lto_report::picture::ticks::short;
use std::path::Path;

/// Draws one channel of the prediction with the observations it comes from.
pub fn write(path: &Path, predicted: &Predicted, args: &PredictArgs, animated: bool) -> Result<()> {
    let names = predicted.channel_names();
    let channel = channel_number(&args.channel, &names)?;
    let context = &predicted.sensors.context;
    let n = context.points.len();
    // A state predicted from itself shares its colors; anything else is another quantity.
    let same = predicted.card.problem.times.is_some() && context.n_channels == names.len();
    let source = if same { channel } else { 0 };
    let observed = Observed {
        points: &context.points,
        values: context.values.get(source * n..(source + 1) * n).unwrap_or_default(),
        title: match predicted.sensors.from {
            Some(time) => format!("observed, t = {}", short(time)),
            None => "observed".into(),
        },
        same_quantity: same,
    };
    let frame = |index: usize| Frame {
        title: match predicted.times.get(index) {
            Some(&time) => format!("predicted, t = {}", short(time)),
            None => "predicted".into(),
        },
        values: predicted.channel(index, channel),
    };
    let subject = Subject {
        query: predicted.query,
        observed,
        frames: (0..predicted.n_frames()).map(frame).collect(),
        quantity: names.get(channel).cloned().unwrap_or_default(),
        title: format!("{} sensors", n),
        colormap: args.colormap,
    };
    let bytes = if animated { prediction::gif(&subject)? } else { prediction::png(&subject)? };
    write_atomically(path, &bytes)
}
