//! The folder of a run as a model repository (the layout of the Hugging Face hub): `README.md` with YAML front matter and
//! `config.json`, beside the `model.safetensors` that is already there.

use crate::error::{Error, Result};
use crate::picture::ticks::short;
use crate::words::{self, visible};
use lto::description::Description;
use lto::train::in_order;
use lto_numerics::dataset::write::write_whole;
use std::path::{Path, PathBuf};

/// The files, by name.
const README: &str = "README.md";
const CONFIG: &str = "config.json";

/// Marks a `README.md` that may be made anew.
const MADE: &str = "library_name: latent-twin";

/// Writes `README.md` and `config.json` into the folder of a run and returns them. `license` is the identifier of a license,
/// as `mit`. A `README.md` that was written by somebody else is replaced only with `replace`.
///
/// # Errors
/// No folder of a run, a `README.md` of somebody else, or a folder that cannot be written.
pub fn write(model: &Description, license: &str, replace: bool) -> Result<Vec<PathBuf>> {
    let run = &model.path;
    if !run.is_dir() {
        return Err(Error::bad_file(run, "a card is written into the folder of a trained run; give that"));
    }
    let (card, config) = (run.join(README), run.join(CONFIG));
    let ours = |text: String| text.contains(MADE);
    if !replace && card.exists() && !std::fs::read_to_string(&card).is_ok_and(ours) {
        return Err(Error::bad_file(&card, "was not made by lto; --force replaces it"));
    }
    write_whole(&config, config_json(model)?.as_bytes())?;
    write_whole(&card, readme(model, license).as_bytes())?;
    Ok(vec![card, config])
}

/// What `lto info --json` says, but for the path.
fn config_json(model: &Description) -> Result<String> {
    let wrong = |e: serde_json::Error| Error::bad_file(&model.path, e.to_string());
    let mut value = serde_json::to_value(model).map_err(wrong)?;
    if let Some(entries) = value.as_object_mut() {
        entries.remove("path");
        entries.insert("library_name".into(), "latent-twin".into());
    }
    Ok(serde_json::to_string_pretty(&value).map_err(wrong)? + "\n")
}

/// The card: front matter, what the model is for, how it does, how to use it.
fn readme(model: &Description, license: &str) -> String {
    let kind = model.model.name();
    let name = title(&model.path);
    let mut text = format!(
        "---\n{MADE}\nlicense: {}\ntags:\n- latent-twin\n- neural-operator\n- pde\n- {kind}\n---\n\n# {name}\n\n",
        visible(license)
    );
    let problem = &model.problem;
    let (dim, what) = (problem.domain.dim(), if problem.times.is_some() { "evolution" } else { "steady" });
    text.push_str(&format!("A {kind} for a {dim}-dimensional {what} problem"));
    if !model.data.is_empty() {
        text.push_str(&format!(", trained on {}", visible(&model.data)));
    }
    text.push_str(".\n\n| | |\n|---|---|\n");
    for (key, value) in rows(model) {
        text.push_str(&format!("| {key} | {} |\n", visible(&value).replace('|', "\\|")));
    }
    text.push_str(&usage(model, &name));
    text
}

/// The table of facts.
fn rows(model: &Description) -> Vec<(String, String)> {
    let problem = &model.problem;
    let native: Vec<String> = problem.native.iter().map(usize::to_string).collect();
    let mut rows = vec![
        ("domain".into(), problem.domain.to_string()),
        ("training grid".into(), format!("{} points", native.join(" × "))),
        ("channels".into(), model.channel_names.join(", ")),
        ("parameters".into(), model.parameters.total.to_string()),
        ("training steps".into(), model.steps.to_string()),
    ];
    if let Some(times) = words::times(problem, model.native_interval) {
        rows.push(("times".into(), times));
    }
    let errors = in_order(&model.errors);
    rows.extend(errors.into_iter().map(|(name, &error)| (name.replace('_', " "), short(error))));
    rows
}

/// How to predict with it, in Python and on the command line.
fn usage(model: &Description, name: &str) -> String {
    let times = model.problem.times.map(|[first, last]| (short(first), short(last)));
    let (encode, at, command) = match &times {
        Some((s, t)) => (format!(", s={s}"), format!(".at({t})"), format!(" --from {s} --to {t}")),
        None => (String::new(), ".at()".into(), String::new()),
    };
    let shape: Vec<String> = model.problem.native.iter().map(usize::to_string).collect();
    format!(
        "\n```python\nimport lto  # pip install latent-twin\n\nmodel = lto.load(\"{name}\")\nstate = model.encode(points, \
         values{encode})\nfield = state{at}.decode(lto.Grid({}))\n```\n\n```sh\nlto predict --model {name} --context \
         sensors.csv{command} -o field.png\n```\n",
        shape.join(", ")
    )
}

/// The name of a folder, also of `.`.
fn title(run: &Path) -> String {
    let whole = run.canonicalize().unwrap_or_else(|_| run.into());
    visible(&whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy())
}
