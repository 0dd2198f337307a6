//! Frames as people write them: `7`, or `3-6` for all from 3 to 6.

use std::str::FromStr;

/// Frames from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    first: usize,
    last: usize,
}

impl FrameRange {
    /// The frames of `available`. If some lie beyond, only the last, so that the error names it.
    pub fn expand(self, available: usize) -> impl Iterator<Item = usize> {
        let first = if self.last < available { self.first } else { self.last };
        first..=self.last
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Self { first, last }),
            (Ok(_), Ok(_)) => Err("the first frame of a range must not come after its last".into()),
            _ => Err("must be frame numbers or ranges, separated by commas: 0,5,10-14".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_singly_or_in_ranges() {
        let frames = |text: &str| -> Vec<usize> { text.parse::<FrameRange>().unwrap().expand(20).collect() };
        assert_eq!(frames("7"), [7]);
        assert_eq!(frames("3-6"), [3, 4, 5, 6]);
        assert_eq!(frames("0-99999999999"), [99_999_999_999]);
        for wrong in ["", "-1", "3-", "5-3", "a", "1-2-3"] {
            assert!(wrong.parse::<FrameRange>().is_err(), "{wrong}");
        }
    }
}
