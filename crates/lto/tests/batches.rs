//! Batches: any step alone, in any order, from memory or file, moved by symmetries as a whole.

use lto::data::batches::{BatchOptions, BatchSource, Batches, Prepared};
use lto::data::config::DataConfig;
use lto::data::context::{ContextConfig, DesignWeights};
use lto::data::pairs::{Pairs, PushforwardConfig};
use lto::data::prefetch::Prefetch;
use lto::data::{Data, State, Wanted};
use lto_numerics::dataset::write::{Header, create};
use lto_numerics::pde::{PdeConfig, sample_rng};
use lto_numerics::{PointStructure, Points};
use std::path::Path;
use std::sync::Arc;

const HEAT: &str = "generate = { pde = 'heat', dim = 2, resolution = 8, n_frames = 7 }\nsamples = 6\nseed = 3\n\
                    split = { counts = { train = 5, validation = 0, test = 1 } }\n";

fn data(text: &str, largest_fraction: f64) -> Arc<Data> {
    Arc::new(Data::open(&toml::from_str::<DataConfig>(text).unwrap(), largest_fraction).unwrap())
}

fn options() -> BatchOptions {
    BatchOptions {
        size: 3,
        pairs: Pairs::All,
        context: ContextConfig::default(),
        deviations: [vec![1.0], vec![1.0]],
        symmetries: false,
        query_points: None,
        pushforward: PushforwardConfig::default(),
        observe_targets: false,
    }
}

fn batches(data: Arc<Data>, options: BatchOptions) -> Batches {
    Batches::new(data, options, 11)
}

fn assert_same(a: &Prepared, b: &Prepared) {
    assert_eq!(a.batch.contexts, b.batch.contexts);
    assert_eq!(a.batch.times, b.batch.times);
    assert_eq!(a.batch.queries, b.batch.queries);
    assert_eq!(a.batch.source, b.batch.source);
    assert_eq!(a.batch.target, b.batch.target);
    assert_eq!(a.batch.target_contexts, b.batch.target_contexts);
    assert_eq!((&a.unroll, &a.origins), (&b.unroll, &b.origins));
}

#[test]
fn a_step_has_its_batch_whatever_was_made_before() {
    let everything = BatchOptions {
        symmetries: true,
        query_points: Some(20),
        pushforward: PushforwardConfig { probability: 0.5, max_steps: 2 },
        context: ContextConfig { fraction: [0.1, 3.0], noise: 0.1, ..ContextConfig::default() },
        ..options()
    };
    let make = || Arc::new(batches(data(HEAT, 3.0), everything.clone()));
    let (one, other) = (make(), make());
    let in_order: Vec<Prepared> = (0..8).map(|step| one.make(step).unwrap()).collect();
    assert_same(&in_order[5], &other.make(5).unwrap());
    assert_same(&in_order[2], &other.make(2).unwrap());
    for (whole, step) in in_order.iter().zip(0..) {
        for part in [0..1, 1..3, 2..3] {
            let made = BatchSource::make(other.as_ref(), step, part.clone()).unwrap();
            assert_same(&made, &whole.clone().only(part));
        }
    }
    let mut prefetch = Prefetch::start(other, 3..8, 0..3).unwrap();
    for made in &in_order[3..] {
        assert_same(made, &prefetch.take().unwrap());
    }
    assert!(prefetch.take().is_err());
    assert!(in_order.iter().any(|p| !p.unroll.is_empty()) && in_order.iter().any(|p| p.unroll.is_empty()));
    let sizes: Vec<usize> =
        in_order.iter().flat_map(|p| p.batch.contexts.iter().map(|c| c.points.len())).collect();
    assert!(sizes.iter().any(|&n| n > 64) && sizes.iter().any(|&n| n < 64), "{sizes:?}");
}

#[test]
fn an_epoch_sees_every_training_sample_once() {
    let batches = batches(data(HEAT, 1.0), options());
    let origins: Vec<usize> =
        (0..10).flat_map(|step| batches.make(step).unwrap().origins).map(|origin| origin.sample).collect();
    for epoch in origins.chunks(5) {
        let mut epoch = epoch.to_vec();
        epoch.sort_unstable();
        assert_eq!(epoch, [0, 1, 2, 3, 4]);
    }
    assert!(origins[..5] != origins[5..10], "every epoch has an order of its own");
}

/// Normal, with the given share of every channel's deviation, on contexts alone, and new in every step.
#[test]
fn noise_has_its_share_of_every_channel() {
    let noisy = |noise: f64| {
        let full = DesignWeights { full: 1.0, ..DesignWeights::default() };
        let context = ContextConfig { designs: full, noise, ..ContextConfig::default() };
        // Two frames as two channels.
        let deviations = [vec![2.0, 0.5], vec![0.5]];
        let options = BatchOptions { size: 5, context, deviations, ..options() };
        let batches = batches(data(&format!("{HEAT}history = 2\n"), 1.0), options);
        (0..20).map(|step| batches.make(step).unwrap()).collect::<Vec<_>>()
    };
    let (clean, noisy) = (noisy(0.0), noisy(0.1));
    let mut normal = [Vec::new(), Vec::new()];
    for (clean, noisy) in clean.iter().zip(&noisy) {
        assert_eq!((&clean.batch.source, &clean.batch.target), (&noisy.batch.source, &noisy.batch.target));
        for (clean, noisy) in clean.batch.contexts.iter().zip(&noisy.batch.contexts) {
            assert_eq!(clean.points, noisy.points);
            let off: Vec<f64> = noisy.values.iter().zip(&clean.values).map(|(a, b)| a - b).collect();
            for (c, scale) in [0.2, 0.05].into_iter().enumerate() {
                normal[c].extend(off[c * 64..(c + 1) * 64].iter().map(|v| v / scale));
            }
        }
    }
    for normal in &normal {
        let moment = |power| normal.iter().map(|v: &f64| v.powi(power)).sum::<f64>() / normal.len() as f64;
        // 6400 draws: three standard errors of the mean, the variance and the fourth moment.
        assert!(moment(1).abs() < 0.04 && (moment(2) - 1.0).abs() < 0.06 && (moment(4) - 3.0).abs() < 0.4);
    }
    let first = &normal[0];
    assert!(first[..320] != first[320..640] && first[..64] != normal[1][..64]);
}

/// Moved or not, the context and the queries show the same field: where their points meet, so do the values.
#[test]
fn contexts_and_queries_are_moved_alike() {
    let data = data(HEAT, 1.0);
    let batches = batches(data.clone(), BatchOptions { symmetries: true, ..options() });
    let domain = data.layout().grid.domain();
    for step in 0..6 {
        let batch = batches.make(step).unwrap().batch;
        assert_eq!(batch.queries.len(), 1, "one symmetry for all, so one grid for all");
        let m = batch.n_queries();
        for (i, context) in batch.contexts.iter().enumerate() {
            assert!(
                !matches!(context.points.structure(), PointStructure::Scattered(_)),
                "a grid stays a grid"
            );
            let (mut x, mut y) = ([0.0; 2], [0.0; 2]);
            for (j, value) in context.values.iter().enumerate() {
                context.points.write_point(j, &mut x);
                let met = (0..m).find(|&k| {
                    batch.queries[0].write_point(k, &mut y);
                    domain.distance(&x, &y) < 1e-9
                });
                let met = batch.source[i * m + met.expect("every context point is a query point")];
                assert!((value - met).abs() < 1e-12, "{value} {met}");
            }
        }
    }
}

#[test]
fn pushforward_ends_one_native_step_before_the_target() {
    let pushforward = PushforwardConfig { probability: 1.0, max_steps: 3 };
    let data = data(HEAT, 1.0);
    let (batches, times) =
        (batches(data.clone(), BatchOptions { pushforward, ..options() }), &data.layout().times);
    let step_of = |t: f64| times.iter().position(|&x| x == t).unwrap();
    for step in 0..10 {
        let made = batches.make(step).unwrap();
        assert!((1..=3).contains(&made.unroll.len()));
        for (i, &(s, t)) in made.batch.times.iter().enumerate() {
            assert_eq!(step_of(t), step_of(s) + 1);
            let chain: Vec<(f64, f64)> = made.unroll.iter().map(|pairs| pairs[i]).collect();
            assert!(chain.iter().all(|&(a, b)| step_of(b) == step_of(a) + 1));
            assert!(chain.windows(2).all(|w| w[0].1 == w[1].0) && chain.last().unwrap().1 == s);
        }
    }
}

/// Writes the samples of a PDE to a file, as the data generator does.
fn write(path: &Path, config: &PdeConfig, n_samples: usize, seed: u64) {
    let pde = config.build().unwrap();
    let header = Header {
        grids: pde.grids().to_vec(),
        times: pde.times().to_vec(),
        n_samples,
        attributes: Vec::new(),
    };
    let mut writer = create(path, &header).unwrap();
    (0..n_samples)
        .for_each(|i| writer.append(&pde.sample(&mut sample_rng(seed, i as u64)).unwrap()).unwrap());
    writer.finish().unwrap();
}

/// A file and the PDE that made it give the same batches, finer data included, also where nothing fits into memory.
#[test]
fn a_file_trains_as_its_pde_does() {
    let folder = tempfile::tempdir().unwrap();
    let generate =
        "{ pde = 'navier-stokes', solve_resolution = 32, resolutions = [8, 16], n_frames = 4, t_end = 1.0 }";
    let split = "split = { counts = { train = 2, validation = 0, test = 1 } }";
    let generated = format!("generate = {generate}\nsamples = 3\nseed = 4\nframe_stride = 2\n{split}\n");
    let config: DataConfig = toml::from_str(&generated).unwrap();
    let context = ContextConfig {
        fraction: [0.5, 4.0],
        designs: DesignWeights { random: 1.0, strided: 1.0, ..DesignWeights::default() },
        ..ContextConfig::default()
    };
    let options = BatchOptions { context, ..options() };
    let from_pde = batches(data(&generated, 4.0), options.clone());
    for name in ["flow.hdf5", "flow.npz"] {
        let path = folder.path().join(name);
        write(&path, config.generate.as_ref().unwrap(), 3, 4);
        for cache_mb in [0, 16] {
            let text =
                format!("path = '{}'\nframe_stride = 2\ncache_mb = {cache_mb}\n{split}\n", path.display());
            let opened = data(&text, 4.0);
            assert_eq!(opened.layout().finer.as_ref().unwrap().shape(), [16, 16]);
            assert_eq!(opened.layout().times.len(), 2);
            let from_file = batches(opened, options.clone());
            for step in 0..4 {
                assert_same(&from_pde.make(step).unwrap(), &from_file.make(step).unwrap());
            }
        }
    }
}

#[test]
fn the_points_a_stride_leaves_out_are_genuinely_finer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("darcy.npz");
    write(&path, &toml::from_str("pde = 'darcy'\nresolution = 17").unwrap(), 2, 1);
    let split = "split = { counts = { train = 1, validation = 0, test = 1 } }";
    let data = data(&format!("path = '{}'\nstride = 2\n{split}", path.display()), 3.0);
    assert_eq!(
        (data.layout().grid.shape(), data.layout().finer.as_ref().unwrap().shape()),
        (vec![9, 9], vec![17, 17])
    );
    let designs = DesignWeights { random: 1.0, full: 0.0, ..DesignWeights::default() };
    let context = ContextConfig { fraction: [3.0, 3.0], designs, ..ContextConfig::default() };
    let options = BatchOptions { context, observe_targets: true, ..options() };
    let batch = batches(data.clone(), options.clone()).make(0).unwrap().batch;
    // Coefficients are 3 or 12: two values, where refinement would have made others.
    let mut values: Vec<f64> = batch.contexts[0].values.clone();
    values.sort_by(f64::total_cmp);
    values.dedup();
    assert_eq!((values.len(), batch.contexts[0].points.len(), batch.target_contexts.len()), (2, 243, 3));
    // Noise on both, each with its own deviation.
    let context = ContextConfig { noise: 0.1, ..options.context.clone() };
    let options = BatchOptions { context, deviations: [vec![30.0], vec![0.2]], ..options };
    let noisy = batches(data, options).make(0).unwrap().batch;
    for (clean, noisy, deviation) in [
        (&batch.contexts[1], &noisy.contexts[1], 3.0),
        (&batch.target_contexts[1], &noisy.target_contexts[1], 0.02),
    ] {
        let squares = clean.values.iter().zip(&noisy.values).map(|(a, b)| (a - b).powi(2));
        let found = (squares.sum::<f64>() / 243.0).sqrt() / deviation;
        assert!((found - 1.0).abs() < 0.2, "{found}");
    }
}

/// Frames by hand: the state at s, the two before it as the first channels, and nothing from before the data.
#[test]
fn a_history_is_the_last_frames_oldest_first() {
    let data = data(&format!("{HEAT}history = 3\n"), 1.0);
    assert_eq!((data.problem().source_channels, data.problem().target_channels), (3, 1));
    let (source, target, _) = data.fit_normalizers(&mut |_, _| true).unwrap();
    assert_eq!((source.mean(), source.scale()), (&[target.mean()[0]; 3][..], &[target.scale()[0]; 3][..]));
    let context = ContextConfig {
        designs: DesignWeights { full: 1.0, ..DesignWeights::default() },
        ..ContextConfig::default()
    };
    let pushforward = PushforwardConfig { probability: 0.5, max_steps: 2 };
    let options = BatchOptions { context, pairs: Pairs::Consecutive, pushforward, ..options() };
    let batches = Batches::new(data.clone(), options, 5);
    let mut starts = Vec::new();
    for step in 0..12 {
        let Prepared { batch, unroll, origins } = batches.make(step).unwrap();
        for (i, origin) in origins.iter().enumerate() {
            let frame = |t: f64| data.layout().times.iter().position(|&x| x == t).unwrap();
            let (s, t) = (frame(batch.times[i].0), frame(batch.times[i].1));
            // The context is that of the first unrolled step.
            let first = unroll.first().map_or(s, |pairs| frame(pairs[i].0));
            assert_eq!((t, first + unroll.len()), (s + 1, s));
            starts.push(first);
            let values = |frame: usize| {
                let wanted = Wanted { sample: origin.sample, state: State::Frame(frame), finer: false };
                data.fields(&[wanted]).unwrap().remove(0).into_values()
            };
            let expected: Vec<f64> = [first - 2, first - 1, first].into_iter().flat_map(values).collect();
            assert_eq!((batch.contexts[i].n_channels, &batch.contexts[i].values), (3, &expected));
            assert_eq!(batch.target[i * 64..(i + 1) * 64], values(t));
        }
    }
    assert!(starts.iter().all(|s| (2..=5).contains(s)) && starts.contains(&2) && starts.contains(&5));
}

#[test]
fn a_history_must_fit_the_data() {
    let open = |text: &str| Data::open(&toml::from_str(text).unwrap(), 1.0).err().unwrap().to_string();
    assert!(open(&format!("{HEAT}history = 7\n")).contains("less than the 7 frames"));
    assert!(open(&format!("{HEAT}history = 0\n")).contains("at least 1"));
    let steady = "generate = { pde = 'darcy', resolution = 9 }\nsamples = 3\nhistory = 2";
    assert!(open(steady).contains("steady"));
}

#[test]
fn steady_pairs_have_sources_and_targets_of_their_own() {
    let text = "generate = { pde = 'darcy', resolution = 9 }\nsamples = 3\nsplit = { counts = { train = 1, validation = 1, test = 1 } }";
    let data = data(text, 1.0);
    assert_eq!(data.problem().times, None);
    let (source, target, _) = data.fit_normalizers(&mut |_, _| true).unwrap();
    assert!(source.mean()[0] > 3.0 && target.mean()[0] < 0.1);
    let made = Batches::new(data.clone(), options(), 1).make(0).unwrap();
    // The pressure vanishes on the boundary.
    let grid = Points::grid(data.layout().grid.as_ref().clone());
    let mut x = [0.0; 2];
    for (i, pressure) in made.batch.target.iter().take(81).enumerate() {
        grid.write_point(i, &mut x);
        let inside = x.iter().all(|x| *x > 0.0 && *x < 1.0);
        assert_eq!(*pressure > 1e-4, inside, "{x:?}: {pressure}");
    }
}

#[test]
fn symmetries_that_do_not_hold_are_refused() {
    let config: DataConfig = toml::from_str(&format!("{HEAT}symmetries = ['odd_mirror']")).unwrap();
    let message = Data::open(&config, 1.0).err().unwrap().to_string();
    assert!(message.contains("odd_mirror") && message.contains("translation, mirror"), "{message}");
}

/// Windows of a record are its frames, shifted; what does not fit is left out or refused.
#[test]
fn windows_are_stretches_of_their_record() {
    let record = data(HEAT, 1.0);
    let windowed = |window: &str| {
        let counts = "split = { counts = { train = 3, validation = 0, test = 3 } }";
        let text = HEAT.lines().take(3).collect::<Vec<_>>().join("\n");
        let config: DataConfig = toml::from_str(&format!("{text}\n{counts}\nwindow = {window}")).unwrap();
        Data::open(&config, 1.0)
    };
    let windows = windowed("{ frames = 3, stride = 2 }").unwrap();
    assert_eq!((windows.layout().n_samples, windows.layout().times.len()), (6 * 3, 3));
    assert_eq!(windows.layout().times, record.layout().times[..3]);
    let at = |data: &Data, sample, frame| {
        data.fields(&[Wanted { sample, state: State::Frame(frame), finer: false }]).unwrap().swap_remove(0)
    };
    for (window, frame) in [(0, 0), (1, 2), (5, 1), (17, 2)] {
        let expected = at(&record, window / 3, window % 3 * 2 + frame);
        assert_eq!(at(&windows, window, frame).values(), expected.values());
    }
    for (window, part) in [
        ("{ frames = 8, stride = 1 }", "2 to 7 frames"),
        ("{ frames = 1, stride = 1 }", "2 to 7 frames"),
        ("{ frames = 3, stride = 0 }", "stride"),
    ] {
        let message = windowed(window).err().unwrap().to_string();
        assert!(message.contains(part) && message.contains("data.window"), "{message}");
    }
}

/// By default windows are split at random, which overlapping ones must not be: half of a test window would be trained on.
#[test]
fn overlapping_windows_are_not_split_at_random() {
    let text = HEAT.lines().take(3).collect::<Vec<_>>().join("\n");
    let open = |rest: &str| {
        let config: DataConfig = toml::from_str(&format!("{text}\n{rest}")).unwrap();
        Data::open(&config, 1.0)
    };
    let message = open("window = { frames = 4, stride = 1 }").err().unwrap().to_string();
    assert!(message.contains("data.split") && message.contains("counts"), "{message}");
    open("window = { frames = 2, stride = 2 }").unwrap();
    // Six records of four windows of four frames of seven; all windows of a record share frame three.
    let counts = "split = { counts = { train = 10, validation = 6, test = 8 } }";
    let data = open(&format!("{counts}\nwindow = {{ frames = 4, stride = 1 }}")).unwrap();
    let split = data.split();
    assert_eq!((split.train.len(), &split.validation[..], split.test.len()), (10, &[12, 13, 14, 15][..], 8));
    assert!(data.notes().iter().any(|note| note.contains("2 of 6 to validate on")), "{:?}", data.notes());
}
