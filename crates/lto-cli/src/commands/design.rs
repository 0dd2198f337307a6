//! `lto design`: where to put sensors.

use super::known;
use super::product::{Delivery, Product, command_line};
use crate::args::{DesignArgs, GlobalArgs, GoalArg};
use crate::progress::Progress;
use crate::usage::{UsageError, with_flag};
use anyhow::Result;
use lto_numerics::Domain;
use lto_numerics::dataset::PointFile;
use lto_numerics::study::{SensorStudy, StudyGoal};
use lto_numerics::theory::plan::SensorRequest;
use lto_numerics::theory::{Estimator, Regularity};
use lto_report::{picture, placement};
use std::process::ExitCode;

/// Places sensors and judges the layout.
///
/// # Errors
/// A domain, a region or existing sensors that do not fit, flags without effect, or an output that cannot be
/// written.
pub fn run(args: &DesignArgs, global: &GlobalArgs) -> Result<ExitCode> {
    let written = |product| product != Product::Folder;
    let delivery = Delivery::new(&args.output, written, "a .csv, .png, .svg or .html file")?;
    let mut file = args.existing.as_deref().map(PointFile::open).transpose()?;
    let names = file.as_ref().map(PointFile::axis_names).unwrap_or_default();
    let (domain, objective) = goal(args, &names)?;
    for region in &args.avoid {
        region.check(domain.dim()).map_err(|_| {
            UsageError::new("avoid", region, format!("must have {} coordinates, as {domain}", domain.dim()))
        })?;
    }
    let existing = file.as_mut().map(|file| file.on(&domain)?.sensors()).transpose()?;
    let (existing, avoid) = (existing.as_ref(), args.avoid.as_slice());
    let request = SensorRequest { domain: &domain, n_new: args.n, existing, avoid, objective };
    let study = Progress::over("steps", SensorStudy::STEPS, global.quiet, |done| {
        SensorStudy::new(&request, args.seed, done).map_err(with_flag)
    })?;
    delivery.deliver(
        &study,
        global,
        |color| placement::text(&study, color),
        |product, _| {
            let bytes = match product {
                Product::Csv => placement::csv(&study).into_bytes(),
                Product::Picture(format) => picture::still(&placement::map(&study)?, format)?,
                _ => placement::page(&study, &command_line())?.html().into_bytes(),
            };
            Ok(vec![("", bytes)])
        },
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The domain, and what to minimize there; `names` are the axes of the existing sensors.
fn goal(args: &DesignArgs, names: &[String]) -> Result<(Domain, StudyGoal)> {
    let known = &args.regularity;
    if args.objective == GoalArg::Fill {
        let given = [
            ("curvature", known.curvature.is_some()),
            ("sup", known.sup.is_some()),
            ("gradient", known.gradient.is_some()),
            ("data", known.data.is_some()),
            ("margin", known.margin.is_some()),
            ("length-scale", args.length_scale.is_some()),
            ("estimator", args.estimator.is_some()),
        ];
        if let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(UsageError::idle(flag, "--objective certificate").into());
        }
        return Ok((known::domain(&args.dataset, None, names)?, StudyGoal::FillDistance));
    }
    let data = known::data(known, &args.dataset)?;
    let domain = known::domain(&args.dataset, data.as_ref(), names)?;
    let why = "--objective certificate";
    let regularity = known::regularity(known, data.as_ref(), &domain, why, Regularity::new)?;
    let estimator = args.estimator.unwrap_or(Estimator::LocalLinear);
    Ok((domain, StudyGoal::Certificate { estimator, regularity, length_scale: args.length_scale }))
}
