//! What a layout says about a file: which arrays hold which channels, what their axes are, and where and when
//! the values are.

use crate::grid::Placement;

/// What one axis of an array runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Samples.
    Sample,
    /// Frames.
    Time,
    /// Spatial axis number d.
    Space(usize),
    /// Channels; several such axes form one, row-major.
    Channel,
    /// An axis of length one.
    Single,
}

/// Which array holds a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// One array for all samples.
    Whole(String),
    /// One array for each sample.
    PerSample(Vec<String>),
}

/// Some channels of a state. An array is broadcast along roles it lacks: without time, it is the same at all
/// times.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// Its name in `OpenOptions::keys`.
    pub key: String,
    /// Where it is.
    pub source: Source,
    /// Its shape in the file.
    pub shape: Vec<usize>,
    /// What its axes are.
    pub roles: Vec<Role>,
    /// Names of its channels.
    pub channels: Vec<String>,
}

/// What one sample is made of.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A state that evolves.
    Evolution(Vec<Component>),
    /// A pair without time.
    Steady {
        /// The known field.
        source: Vec<Component>,
        /// The field that is sought.
        target: Vec<Component>,
    },
}

impl Content {
    /// All components.
    pub fn components(&self) -> impl Iterator<Item = &Component> {
        let (first, second) = match self {
            Content::Evolution(state) => (state.as_slice(), [].as_slice()),
            Content::Steady { source, target } => (source.as_slice(), target.as_slice()),
        };
        first.iter().chain(second)
    }
}

/// What a layout knows about one spatial axis; options fill in or override the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct AxisDraft {
    /// Name.
    pub name: String,
    /// Number of points in the file.
    pub n: usize,
    /// Coordinates from the file.
    pub coordinates: Option<Vec<f64>>,
    /// The placement fixed by the layout; for coordinates, how the bounds follow from them.
    pub placement: Option<Placement>,
    /// Bounds fixed by the layout or the file.
    pub bounds: Option<(f64, f64)>,
    /// Whether the axis is periodic, if known.
    pub periodic: Option<bool>,
}

/// The meaning of a file.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    /// Number of samples.
    pub n_samples: usize,
    /// Spatial axes, in array order.
    pub axes: Vec<AxisDraft>,
    /// Times of the frames; empty for a steady pair.
    pub times: Vec<f64>,
    /// What a sample is made of.
    pub content: Content,
}
