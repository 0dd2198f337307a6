//! Generate, inspect and plot for every PDE.

mod common;

use common::{TINY, Workspace, bytes};
use lto_numerics::pde::PdeConfig;
use serde_json::Value;

#[test]
fn every_pde_is_generated_understood_and_drawn() {
    let mut names: Vec<&str> = PdeConfig::all().iter().map(PdeConfig::name).collect();
    let mut tested: Vec<&str> = TINY.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    tested.sort_unstable();
    assert_eq!(names, tested, "every PDE of the library is on the command line and in these tests");
    let space = Workspace::new();
    for (pde, _) in TINY {
        for suffix in ["hdf5", "npz"] {
            let file = format!("{pde}.{suffix}");
            space.generate(pde, 3, &file, &["--seed", "1", "--quiet"]);
            let json: Value =
                serde_json::from_str(&space.succeed(&["data", "inspect", &file, "--json"])).unwrap();
            assert_eq!(json["dataset"]["n_samples"], 3, "{file}: {json:#}");
            assert!(json["dataset"]["problem"].is_null(), "{file}: {json:#}");
            let text = space.succeed(&["data", "inspect", &file]);
            assert!(text.contains("3 samples"), "{text}");

            let png = format!("{file}.png");
            space.succeed(&["data", "plot", &file, "--sample", "2", "-o", &png]);
            assert_eq!(bytes(&space.path(&png))[..4], *b"\x89PNG", "{file}");
        }
    }
}

#[test]
fn pictures_come_as_svg_and_gif_too() {
    let space = Workspace::new();
    space.generate("burgers", 1, "a.hdf5", &["--quiet"]);
    space.succeed(&["data", "plot", "a.hdf5", "-o", "a.svg", "--frames", "0,2", "--colormap", "cividis"]);
    assert!(bytes(&space.path("a.svg")).starts_with(b"<svg"));
    space.succeed(&["data", "plot", "a.hdf5", "-o", "a.gif", "--quiet"]);
    assert!(bytes(&space.path("a.gif")).starts_with(b"GIF89a"));

    space.generate("darcy", 1, "b.hdf5", &["--quiet"]);
    let error = space.fail(1, &["data", "plot", "b.hdf5", "-o", "b.gif"]);
    assert!(error.contains("no times"), "{error}");
    for (wrong, said) in [
        (["--sample", "1"], "no sample 1"),
        (["--channel", "v"], "no channel v"),
        (["--frames", "9"], "frame"),
    ] {
        let args = ["data", "plot", "a.hdf5", "-o", "c.png", wrong[0], wrong[1]];
        let error = space.fail(1, &args);
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(space.files(), ["a.gif", "a.hdf5", "a.svg", "b.hdf5"]);
}
