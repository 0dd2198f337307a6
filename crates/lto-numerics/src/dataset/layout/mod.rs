//! Layouts: what the arrays of a file mean. One file per layout; its first lines state the order of the axes,
//! where the points lie, and how bounds and periodicity are deduced.

mod fno_burgers;
mod fno_darcy;
mod fno_navier_stokes;
mod generic;
mod labelled;
mod meaning;
mod neuraloperator;
mod pdebench;
mod pdebench_compressible;
mod pdebench_darcy;
mod pdebench_grouped;
mod pdebench_incompressible;
mod pinn_mat;
mod probe;
mod resolutions;
#[cfg(test)]
mod tests;
mod the_well;
mod validate;

pub(crate) use meaning::{AxisDraft, Component, Content, Meaning, Role, Source};
pub(crate) use probe::Probe;
pub(crate) use resolutions::{finer_resolutions, prefix};

use crate::dataset::format::Format;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// All layouts in the order in which they are tried, one line each: the variant, its name, which files look like it, and
/// what their arrays mean.
macro_rules! layouts {
    ($($(#[$doc:meta])* $kind:ident = $name:literal: $recognizes:expr, $meaning:expr;)+) => {
        /// The known layouts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum LayoutKind {
            $($(#[$doc])* #[serde(rename = $name)] $kind,)+
        }

        impl LayoutKind {
            /// All layouts, in the order in which they are tried.
            pub const ALL: [LayoutKind; [$($name),+].len()] = [$(LayoutKind::$kind),+];

            /// Name as written on the command line.
            pub fn name(self) -> &'static str {
                match self { $(LayoutKind::$kind => $name,)+ }
            }

            /// Whether a file looks like the layout, by names and numbers of axes only; nothing is read.
            fn recognizes(self, probe: &Probe) -> bool {
                let recognizes: fn(&Probe) -> bool = match self { $(LayoutKind::$kind => $recognizes,)+ };
                recognizes(probe)
            }

            /// What the arrays of a file mean under the layout.
            fn meaning(self, probe: &mut Probe) -> Result<Meaning> {
                let meaning: fn(&mut Probe) -> Result<Meaning> = match self { $(LayoutKind::$kind => $meaning,)+ };
                meaning(probe)
            }
        }
    };
}

layouts! {
    /// PDEBench Darcy flow: `nu`, `tensor` (n,1,x,y).
    PdebenchDarcy = "pdebench-darcy": pdebench_darcy::recognizes, pdebench_darcy::meaning;
    /// PDEBench scalar equations: `tensor` `(n, t, x[, y[, z]])`.
    Pdebench = "pdebench": pdebench::recognizes, pdebench::meaning;
    /// PDEBench compressible Navier–Stokes: `density`, `pressure`, `Vx`, ….
    PdebenchCompressible = "pdebench-compressible": pdebench_compressible::recognizes, pdebench_compressible::meaning;
    /// PDEBench with one group per sample: `0000/data` `(t, x[, y], c)`.
    PdebenchGrouped = "pdebench-grouped": pdebench_grouped::recognizes, pdebench_grouped::meaning;
    /// PDEBench incompressible Navier–Stokes: `velocity` (n,t,x,y,2), `particles`, `force`.
    PdebenchIncompressible = "pdebench-incompressible": pdebench_incompressible::recognizes, pdebench_incompressible::meaning;
    /// FNO's Navier–Stokes: `a` (n,x,y), `u` (n,x,y,t).
    FnoNavierStokes = "fno-navier-stokes": fno_navier_stokes::recognizes, fno_navier_stokes::meaning;
    /// FNO's Burgers: `a`, `u` (n,x).
    FnoBurgers = "fno-burgers": fno_burgers::recognizes, fno_burgers::meaning;
    /// FNO's Darcy flow: `coeff`, `sol` (n,x,y).
    FnoDarcy = "fno-darcy": fno_darcy::recognizes, fno_darcy::meaning;
    /// The small files bundled with neuraloperator; never detected, since they look like others.
    Neuraloperator = "neuraloperator": |_| false, neuraloperator::meaning;
    /// The reference solutions of the PINN papers: `x`, `t`, `usol` (x,t).
    PinnMat = "pinn-mat": pinn_mat::recognizes, pinn_mat::meaning;
    /// The Well: `t0_fields`, `t1_fields`, `dimensions`, `boundary_conditions`.
    TheWell = "the-well": the_well::recognizes, the_well::meaning;
    /// Columns of points and values: one set of observations, for
    /// [`PointCloud`](crate::dataset::format::csv::PointCloud), not samples on a grid.
    PointCloud = "point-cloud": |probe| probe.format() == Format::Csv,
        |probe| Err(probe.unknown("a point cloud is one set of observations, not samples on a grid"));
    /// Arrays beside coordinate lists with well-known names.
    Labelled = "labelled": labelled::recognizes, labelled::meaning;
    /// Arrays whose axes the user names: what is left.
    Generic = "generic": |_| true, generic::meaning;
}

impl FromStr for LayoutKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| Error::Parameter {
            name: "layout",
            value: text.into(),
            requirement: "must be the name of a known layout, such as pdebench or fno-darcy",
        })
    }
}

/// Detects the layout, unless the options name it, and checks that all arrays agree with it. A file that does
/// not say enough gives a reason instead of a plan.
///
/// # Errors
/// Arrays that contradict the layout or each other.
pub(crate) fn understand(probe: &mut Probe) -> Result<(LayoutKind, std::result::Result<Meaning, String>)> {
    let kind = match (probe.options.layout, &probe.options.axes) {
        (Some(kind), _) => {
            probe.note(format!("layout {} as given", kind.name()));
            kind
        }
        (None, Some(_)) => LayoutKind::Generic,
        (None, None) => {
            let found = LayoutKind::ALL.into_iter().find(|kind| kind.recognizes(probe));
            let kind = found.unwrap_or(LayoutKind::Generic);
            if kind != LayoutKind::Generic {
                probe.note(format!("layout {} recognized from the names of the arrays", kind.name()));
            }
            kind
        }
    };
    let mut plan = match kind.meaning(probe) {
        Ok(plan) => plan,
        Err(Error::UnknownLayout { problem, .. }) => return Ok((kind, Err(problem))),
        Err(error) => return Err(error),
    };
    validate::select_keys(probe, &mut plan)?;
    validate::check(probe, &plan)?;
    Ok((kind, Ok(plan)))
}

/// Roles `before`, then `dim` spatial axes, then `after`.
fn roles(before: &[Role], dim: usize, after: &[Role]) -> Vec<Role> {
    before.iter().copied().chain((0..dim).map(Role::Space)).chain(after.iter().copied()).collect()
}

/// Numbers frames for which the file has no times.
fn frame_numbers(probe: &mut Probe, n: usize) -> Vec<f64> {
    if probe.options.time_step.is_none() {
        probe.note("times not in the file: frames are numbered 0, 1, 2, …; override with --time-step");
    }
    (0..n).map(|i| i as f64).collect()
}
