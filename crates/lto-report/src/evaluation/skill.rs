//! Skill against the baselines that were evaluated beside.

use super::look::concerns;
use super::rows::{cases, names};
use super::table::{ResultTable, interval, number, plain};
use lto::evaluate::compare::differences;
use lto::evaluate::skill::Skill;
use lto::evaluate::{Evaluation, ResultKind};
use lto_numerics::metric::MetricKind;

/// The name of these tables on the command line.
pub const NAME: &str = "skill";

/// The kinds of models that others are measured against.
const REFERENCES: [&str; 2] = ["persistence", "climatology"];

/// What skill says.
pub const ABOUT: &str = "Skill is 1 − RMSE ÷ RMSE of the baseline: 1 is perfect, 0 is no better than the baseline. \
                         It also says something where values have a large offset, as in kelvins, and relative L2 \
                         says nothing; against climatology it is 1 − relative L2 of the anomalies. Its intervals \
                         compare sample by sample, so they are narrower than those of the errors.";

/// One table for each reference among the evaluations: the skill of all other models in every comparable case.
pub fn skills(evaluations: &[Evaluation]) -> Vec<ResultTable> {
    let of = |name: &&str| evaluations.iter().position(|e| e.model.kind == **name);
    let tables = REFERENCES.iter().filter_map(|name| Some(against(evaluations, of(name)?)));
    tables.filter(|table| !table.rows.is_empty()).collect()
}

fn against(evaluations: &[Evaluation], reference: usize) -> ResultTable {
    let (names, differences) = (names(evaluations), differences(evaluations));
    let title = format!("Skill against {}: 1 − RMSE ÷ its RMSE", names[reference]);
    let mut table = ResultTable::new(NAME, title);
    let others: Vec<usize> = (0..evaluations.len()).filter(|&i| i != reference).collect();
    table.columns = vec!["case".into()];
    table.columns.extend(others.iter().map(|&i| names[i].clone()));
    let comparable = |kind: &ResultKind| !differences.iter().any(|d| concerns(d.aspect, *kind));
    for kind in ResultKind::ALL.into_iter().filter(comparable) {
        for case in cases(evaluations, kind) {
            let errors = case.errors(MetricKind::Rmse);
            let skill = |&i: &usize| Skill::of(errors[i]?, errors[reference]?);
            let skills: Vec<Option<Skill>> = others.iter().map(skill).collect();
            if skills.iter().any(Option::is_some) {
                let mut row = vec![plain(label(kind, &case.label))];
                row.extend(skills.into_iter().map(|skill| plain(skill.map_or("–".into(), shown))));
                table.rows.push(row);
            }
        }
    }
    table
}

fn shown(skill: Skill) -> String {
    format!("{} ({})", number(skill.value), interval(skill.interval))
}

/// What a case is called among those of other kinds.
fn label(kind: ResultKind, case: &str) -> String {
    match kind {
        ResultKind::OneStep | ResultKind::Context => case.into(),
        ResultKind::Resolution => format!("{case} points"),
        _ => format!("{} {case}", kind.name()),
    }
}
