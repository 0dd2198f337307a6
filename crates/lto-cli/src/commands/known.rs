//! What the command line says about the observed states: their domain and their bounds.

use super::data::open;
use crate::args::{DatasetArgs, RegularityArgs};
use crate::usage::{UsageError, with_flag};
use anyhow::{Result, bail};
use lto_numerics::study::{EstimatedRegularity, open_part, sensor_domain};
use lto_numerics::theory::{Regularity, RegularityOf};
use lto_numerics::{Domain, Error};

/// The bounds estimated from the file of `--data`, if there is one.
///
/// # Errors
/// A margin without a file; a file that is not understood, does not cover the domain, or shows no bounds.
pub fn data(known: &RegularityArgs, args: &DatasetArgs) -> Result<Option<EstimatedRegularity>> {
    let Some(file) = &known.data else {
        return match known.margin {
            Some(_) => Err(UsageError::idle("margin", "--data").into()),
            None => Ok(None),
        };
    };
    let (mut dataset, info) = open::advised(file, args, open_part(file, &args.options(true)))?;
    if let Some(problem) = info.problem {
        bail!("{}: {problem}", file.display());
    }
    Ok(Some(EstimatedRegularity::of(&mut dataset, known.margin.unwrap_or(1.0))?))
}

/// The domain of the sensors: the one given, else the data's; with both, the given part of the data's.
/// `names` are the axes named in the sensors' file.
///
/// # Errors
/// Neither is known, or the given one does not fit.
pub fn domain(args: &DatasetArgs, data: Option<&EstimatedRegularity>, names: &[String]) -> Result<Domain> {
    let found =
        sensor_domain(args.domain.as_ref(), args.periodic.as_ref(), data, names).map_err(with_flag)?;
    found.ok_or_else(|| UsageError::missing("domain", "bounds along each axis, such as 0:1,0:1").into())
}

/// What is known about the states: from data, else what follows from the given bounds by `of`.
///
/// # Errors
/// No curvature, or too little known for the domain; `why` says what it is needed for.
pub fn regularity(
    args: &RegularityArgs,
    data: Option<&EstimatedRegularity>,
    domain: &Domain,
    why: &str,
    of: RegularityOf,
) -> Result<Regularity> {
    if let Some(data) = data {
        return Ok(data.regularity.clone());
    }
    let Some(curvature) = args.curvature else {
        let what = format!("{why} needs the largest second derivative, or --data to estimate it from");
        return Err(UsageError::missing("curvature", what).into());
    };
    of(domain, curvature, args.sup, args.gradient).map_err(|error| match error {
        Error::Parameter { name: "sup", .. } if args.sup.is_none() => UsageError::missing(
            "sup",
            "needed (or --gradient) if an axis is not periodic: curvature alone bounds no range there",
        )
        .into(),
        other => with_flag(other),
    })
}
