//! How far bounds lie above true errors.

/// Bound over true error, for each dimension.
#[derive(Default)]
pub struct Tightness([Vec<f64>; 3]);

impl Tightness {
    pub fn push(&mut self, dim: usize, bound: f64, error: f64) {
        self.0[dim - 1].push(bound / error);
    }

    pub fn append(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(all, mut more)| all.append(&mut more));
    }

    pub fn count(&self, dim: usize) -> usize {
        self.0[dim - 1].len()
    }

    /// A quantile over all dimensions.
    pub fn quantile(&self, part: f64) -> f64 {
        quantile(self.0.concat(), part)
    }

    /// Every dimension was tried.
    pub fn covers_all_dimensions(&self, at_least: usize) -> bool {
        (1..=3).all(|dim| self.count(dim) >= at_least)
    }

    pub fn print(&self, name: &str) {
        for dim in (1..=3).filter(|&dim| self.count(dim) > 0) {
            let at = |part| quantile(self.0[dim - 1].clone(), part);
            println!(
                "| {name} | {dim} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
                self.count(dim),
                at(0.0),
                at(0.1),
                at(0.5),
                at(0.9),
                at(0.99),
            );
        }
    }
}

fn quantile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1).expect("no values");
    values[(part * last as f64).round() as usize]
}
