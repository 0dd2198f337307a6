//! Texts in arrays: names of stations, one for each entry of an array, or one for each row of characters.

/// How texts of a fixed width are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextForm {
    /// Characters (code points, or bytes of UTF-8) of one element.
    width: usize,
    /// Bytes of a character: 1, or 4 for UTF-32.
    unit: usize,
    big_endian: bool,
}

impl TextForm {
    /// UTF-8 or ASCII in `width` bytes.
    pub fn bytes(width: usize) -> Self {
        Self { width, unit: 1, big_endian: false }
    }

    /// UTF-32 in `width` characters.
    pub fn utf32(width: usize, big_endian: bool) -> Self {
        Self { width, unit: 4, big_endian }
    }

    /// The form of NumPy's `|S12` and `<U12`.
    pub fn of_numpy(descr: &str) -> Option<Self> {
        let code = descr.trim_matches(['\'', '"']).trim_start_matches(['|', '=']);
        let (big_endian, code) = match code.strip_prefix('>') {
            Some(code) => (true, code),
            None => (false, code.trim_start_matches('<')),
        };
        let width = |digits: &str| digits.parse().ok().filter(|width| (1..1 << 20).contains(width));
        match code.split_at_checked(1)? {
            ("S", digits) => width(digits).map(Self::bytes),
            ("U", digits) => width(digits).map(|width| Self::utf32(width, big_endian)),
            _ => None,
        }
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        self.width * self.unit
    }

    /// The bytes of each of the texts of an array, if it has them: `[n]` texts, or `[n, m]` single characters.
    pub fn row_size(self, shape: &[usize]) -> Option<usize> {
        match *shape {
            [_] => Some(self.size()),
            [_, m] if self.width == 1 && m > 0 => self.size().checked_mul(m),
            _ => None,
        }
    }

    /// The texts in rows of bytes, without the zeros or blanks that fill them up.
    pub fn decode(self, bytes: &[u8], row_size: usize) -> Vec<String> {
        let code_point = |bytes: &[u8; 4]| match self.big_endian {
            true => u32::from_be_bytes(*bytes),
            false => u32::from_le_bytes(*bytes),
        };
        let text = |row: &[u8]| -> String {
            match self.unit {
                1 => String::from_utf8_lossy(row).into(),
                _ => row
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|c| char::from_u32(code_point(c)).unwrap_or('\u{fffd}'))
                    .collect(),
            }
        };
        let trimmed = |row| text(row).trim_end_matches(['\0', ' ']).into();
        bytes.chunks_exact(row_size.max(1)).map(trimmed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numpy_texts_and_rows_of_characters() {
        let form = TextForm::of_numpy("'<U3'").unwrap();
        let bytes: Vec<u8> = "Åb\0K\u{1f321}\0".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        assert_eq!(form.decode(&bytes, form.row_size(&[2]).unwrap()), ["Åb", "K\u{1f321}"]);
        let big = TextForm::of_numpy(">U1").unwrap();
        assert_eq!(big.decode(&[0, 0, 0, 65], big.size()), ["A"]);
        let characters = TextForm::of_numpy("|S1").unwrap();
        assert_eq!(
            characters.decode(b"New YorkOslo    ", characters.row_size(&[2, 8]).unwrap()),
            ["New York", "Oslo"]
        );
        assert_eq!(TextForm::of_numpy("|S4").unwrap().row_size(&[2, 8]), None);
        assert!(
            ["<f8", "|S", "|S0", "<U-1", "|O", "", "<U99999999"]
                .iter()
                .all(|d| TextForm::of_numpy(d).is_none())
        );
    }
}
