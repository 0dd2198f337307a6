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
    space.succeed(&["data", "plot", "a.hdf5", "-o", "a.svg", "--frames", "0-1,2", "--colormap", "cividis"]);
    let svg = String::from_utf8(bytes(&space.path("a.svg"))).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains(">u<") && !svg.contains("tensor"), "{svg}");
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

#[test]
fn point_clouds_and_unknown_files_are_described_too() {
    let space = Workspace::new();
    std::fs::write(space.path("a.csv"), "x,y,u\n0.1,0.2,1\n0.3,0.4,\n0.5,0.1,5\n").unwrap();
    let json: Value = serde_json::from_str(&space.succeed(&["data", "inspect", "a.csv", "--json"])).unwrap();
    assert_eq!(json["cloud"]["n_points"], 3);
    let u = &json["cloud"]["columns"][2];
    assert_eq!((&u["role"], &u["mean"], &u["n_missing"]), (&"value".into(), &3.0.into(), &1.into()));
    assert!(space.succeed(&["data", "inspect", "a.csv"]).contains("3 points"));

    space.write_npy("b.npy", "<f8", "2, 3, 4", 8 * 24);
    let error = space.fail(1, &["data", "inspect", "b.npy", "--layout", "point-cloud"]);
    assert!(error.contains("CSV"), "{error}");

    // An array that no layout knows: listed, with advice in its own terms, and a status for scripts.
    let text = space.ends(3, &["data", "inspect", "b.npy"]);
    assert!(text.contains("not recognized") && text.contains("2×3×4"), "{text}");
    assert!(text.contains("--key b --axes n,t,x,"), "{text}");
    let text = space.succeed(&["data", "inspect", "b.npy", "--axes", "n,t,x", "--grid", "left"]);
    assert!(text.contains("2 samples") && text.contains("3 frames on 4 points"), "{text}");
    std::fs::write(space.path("c.hdf5"), "no HDF5 at all").unwrap();
    space.fail(1, &["data", "inspect", "c.hdf5"]);
}

#[test]
fn arrays_without_numbers_are_refused_with_the_reason() {
    let space = Workspace::new();
    for (name, descr) in [("obj", "|O"), ("complex", "<c16"), ("words", "<U5")] {
        let file = format!("{name}.npy");
        space.write_npy(&file, descr, "3,", 3 * 20);
        let json: Value =
            serde_json::from_str(&space.ends(3, &["data", "inspect", &file, "--json"])).unwrap();
        let problem = json["dataset"]["problem"].as_str().unwrap();
        assert!(problem.contains("real numbers") && !problem.contains("--axes"), "{problem}");
        let error = space.fail(1, &["data", "inspect", &file, "--key", name, "--axes", "x"]);
        assert!(error.contains("real numbers") && !error.contains("no array named"), "{error}");
    }
}

#[test]
fn inspect_says_how_many_samples_it_looked_at() {
    let space = Workspace::new();
    space.generate("heat", 3, "a.hdf5", &["--quiet"]);
    let text = space.succeed(&["data", "inspect", "a.hdf5", "--samples", "2"]);
    assert!(text.contains("Values of 2 of 3 samples (all with --samples all"), "{text}");
    let all = ["data", "inspect", "a.hdf5", "--samples", "all"];
    assert!(space.succeed(&all).contains("Values of 3 samples\n"));
    let json: Value = serde_json::from_str(&space.succeed(&[&all[..], &["--json"]].concat())).unwrap();
    assert_eq!(json["summary"]["n_samples"], json["dataset"]["n_samples"]);
    space.generate("heat", 1, "b.npz", &["--quiet"]);
    let text = space.succeed(&["data", "inspect", "b.npz"]);
    assert!(text.contains("1 sample of") && !text.contains("not numbers"), "{text}");
}

#[test]
fn strides_that_leave_no_grid_are_refused() {
    let space = Workspace::new();
    space.generate("heat", 1, "a.hdf5", &["--quiet"]);
    space.succeed(&["data", "inspect", "a.hdf5", "--stride", "4"]);
    for (stride, said) in [("0", "at least 1"), ("8", "leaves [1, 1] points")] {
        let error = space.fail(2, &["data", "inspect", "a.hdf5", "--stride", stride]);
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn point_clouds_are_drawn() {
    let space = Workspace::new();
    std::fs::write(space.path("a.csv"), "x,u\n0,1\n0.5,2\n1,NaN\n").unwrap();
    std::fs::write(space.path("b.csv"), "lat,lon,t,u,v\n50,1,0,1,7\n51,2,0,2,8\n52,3,6,3,9\n").unwrap();
    let dots = |args: &[&str]| {
        space.succeed(&[&["data", "plot"], args, &["-o", "picture.svg", "--quiet"]].concat());
        let svg = String::from_utf8(bytes(&space.path("picture.svg"))).unwrap();
        (svg.matches("<circle").count(), svg)
    };
    assert_eq!(dots(&["a.csv"]).0, 2);
    let (n, svg) = dots(&["b.csv", "--channel", "v"]);
    assert_eq!(n, 2);
    assert!(svg.contains(">t = 0<") && svg.contains(">lon<") && svg.contains(">v<"), "{svg}");
    assert_eq!(dots(&["b.csv", "--frames", "0-1"]).0, 3);
    for (wrong, said) in [(["--frames", "2"], "no frame 2"), (["--channel", "w"], "u, v")] {
        let args = ["data", "plot", "b.csv", "-o", "b.png", wrong[0], wrong[1]];
        assert!(space.fail(1, &args).contains(said), "{wrong:?}");
    }
}

#[test]
fn sensors_are_drawn_from_any_data_set() {
    let space = Workspace::new();
    for (pde, _) in TINY {
        let file = format!("{pde}.hdf5");
        space.generate(pde, 3, &file, &["--quiet"]);
        let args = ["data", "sensors", &file, "--sample", "2", "--n", "9", "-o", "s.csv", "--force"];
        let line = space.succeed(&args);
        assert!(line.starts_with("s.csv: 9 sensors of ") && line.contains("at grid points"), "{line}");
        let first = bytes(&space.path("s.csv"));
        space.succeed(&args);
        assert_eq!(bytes(&space.path("s.csv")), first, "the seed decides");
        let interpolated = [&args[..], &["--design", "halton", "--noise", "0.1", "--json"]].concat();
        let json: Value = serde_json::from_str(&space.succeed(&interpolated)).unwrap();
        assert_eq!((&json["points"], &json["interpolated"]), (&9.into(), &true.into()), "{json:#}");
        assert!(json["noise"][0].as_f64().unwrap() > 0.0, "{json:#}");
        assert_eq!(json["time"].is_null(), pde == "darcy", "{json:#}");
        // The table is what commands that take sensors read.
        let json: Value =
            serde_json::from_str(&space.succeed(&["data", "inspect", "s.csv", "--json"])).unwrap();
        assert_eq!(json["cloud"]["n_points"], 9);
    }
    for (wrong, code, said) in [
        (["--sample", "3"], 1, "no sample 3"),
        (["--frame", "9"], 1, "no frame 9"),
        (["--n", "9999"], 2, "'--n'"),
        (["--noise", "-1"], 2, "0 or more"),
        (["--design", "square"], 2, "poisson_disc"),
    ] {
        let args = ["data", "sensors", "heat.hdf5", "-o", "t.csv", wrong[0], wrong[1]];
        assert!(space.fail(code, &args).contains(said), "{wrong:?}");
    }
    assert!(!space.path("t.csv").exists());
    assert!(space.fail(1, &["data", "sensors", "heat.hdf5", "-o", "s.csv"]).contains("--force"));
}
