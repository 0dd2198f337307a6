//! Perceptual color maps, and the scale that maps values onto one.

use colorous::Gradient;

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// The color of values that are not numbers.
pub const MISSING: Rgb = [190, 190, 190];

/// The color maps on offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Colormap {
    /// Sequential, dark blue to yellow: the choice for fields of one sign
    Viridis,
    /// Sequential, readable with any color vision
    Cividis,
    /// Sequential, black to white through red
    Magma,
    /// Sequential, black to pale yellow through orange
    Inferno,
    /// Sequential, blue to yellow through magenta
    Plasma,
    /// Rainbow-like with smooth lightness
    Turbo,
    /// Diverging, blue below zero and red above: the choice for signed fields
    RedBlue,
    /// Diverging, purple below zero and orange above
    PurpleOrange,
    /// Sequential, black to white
    Gray,
}

impl Colormap {
    /// Whether the middle of the map stands for zero.
    pub fn is_diverging(self) -> bool {
        matches!(self, Colormap::RedBlue | Colormap::PurpleOrange)
    }

    /// The color at `fraction` of the way from the lower to the upper end.
    pub fn color(self, fraction: f64) -> Rgb {
        let (gradient, reversed): (Gradient, bool) = match self {
            Colormap::Viridis => (colorous::VIRIDIS, false),
            Colormap::Cividis => (colorous::CIVIDIS, false),
            Colormap::Magma => (colorous::MAGMA, false),
            Colormap::Inferno => (colorous::INFERNO, false),
            Colormap::Plasma => (colorous::PLASMA, false),
            Colormap::Turbo => (colorous::TURBO, false),
            // These run from the warm color to the cold one.
            Colormap::RedBlue => (colorous::RED_BLUE, true),
            Colormap::PurpleOrange => (colorous::PURPLE_ORANGE, false),
            Colormap::Gray => (colorous::GREYS, true),
        };
        let fraction = fraction.clamp(0.0, 1.0);
        let color = gradient.eval_continuous(if reversed { 1.0 - fraction } else { fraction });
        [color.r, color.g, color.b]
    }
}

/// A color map over a range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The color map.
    pub map: Colormap,
    /// Value of its lower end.
    pub lower: f64,
    /// Value of its upper end; above `lower`.
    pub upper: f64,
}

impl Scale {
    /// The scale of some values: their range, made symmetric about zero under a diverging map. By default,
    /// fields with a substantial part on both sides of zero get a diverging map.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a f64>, map: Option<Colormap>) -> Self {
        let (mut lower, mut upper) = (f64::INFINITY, f64::NEG_INFINITY);
        for &value in values {
            if value.is_finite() {
                lower = lower.min(value);
                upper = upper.max(value);
            }
        }
        if lower > upper {
            (lower, upper) = (0.0, 1.0);
        }
        let reach = lower.abs().max(upper.abs());
        let signed = lower < -0.15 * reach && upper > 0.15 * reach;
        let map = map.unwrap_or(if signed { Colormap::RedBlue } else { Colormap::Viridis });
        if map.is_diverging() {
            (lower, upper) = (-reach, reach);
        }
        // A constant field still needs a range, even if rounding blurs it.
        if upper - lower <= 1e-12 * reach || upper == lower {
            let margin = if reach > 0.0 { 0.5 * reach } else { 0.5 };
            (lower, upper) = (lower - margin, upper + margin);
        }
        Self { map, lower, upper }
    }

    /// The color of a value; [`MISSING`] if not finite.
    pub fn color(&self, value: f64) -> Rgb {
        if !value.is_finite() {
            return MISSING;
        }
        self.map.color((value - self.lower) / (self.upper - self.lower))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_fields_get_a_symmetric_diverging_scale() {
        let scale = Scale::of(&[-1.0, 0.5, 3.0, f64::NAN], None);
        assert_eq!((scale.map, scale.lower, scale.upper), (Colormap::RedBlue, -3.0, 3.0));
        let [r, _, b] = scale.color(3.0);
        assert!(r > b, "positive values are red");
        let [r, _, b] = scale.color(-3.0);
        assert!(b > r, "negative values are blue");
        assert_eq!(scale.color(f64::NAN), MISSING);
    }

    #[test]
    fn fields_of_one_sign_get_their_own_range() {
        let scale = Scale::of(&[3.0, 12.0], None);
        assert_eq!((scale.map, scale.lower, scale.upper), (Colormap::Viridis, 3.0, 12.0));
        // A little undershoot does not make a field signed.
        assert_eq!(Scale::of(&[-0.01, 12.0], None).map, Colormap::Viridis);
        // A small variation of a large value still counts.
        let scale = Scale::of(&[1e6, 1e6 + 1e-3], None);
        assert_eq!((scale.lower, scale.upper), (1e6, 1e6 + 1e-3));
    }

    #[test]
    fn constant_and_empty_fields_have_a_range() {
        for values in [vec![], vec![0.0], vec![7.0, 7.0], vec![f64::NAN]] {
            for map in [Colormap::Viridis, Colormap::RedBlue, Colormap::PurpleOrange, Colormap::Gray] {
                let scale = Scale::of(&values, Some(map));
                assert!(scale.lower < scale.upper, "{values:?} {map:?}");
            }
        }
    }

    #[test]
    fn maps_are_monotone_in_lightness_where_they_claim_to_be() {
        let lightness =
            |[r, g, b]: Rgb| 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
        for map in [Colormap::Viridis, Colormap::Cividis, Colormap::Magma, Colormap::Inferno, Colormap::Gray]
        {
            let steps: Vec<f64> = (0..=20).map(|i| lightness(map.color(f64::from(i) / 20.0))).collect();
            assert!(steps.windows(2).all(|w| w[1] >= w[0]), "{map:?}: {steps:?}");
        }
    }
}
