//! Pictures in a report.

use super::{escape, inline};
use crate::error::Result;
use crate::picture::drawing::Drawing;
use crate::picture::svg;
use base64::{Engine, engine::general_purpose::STANDARD};

/// A picture with its caption, and a description for those who cannot see it.
pub struct Figure {
    image: Image,
    caption: String,
    description: String,
}

enum Image {
    Svg(String),
    Gif(Vec<u8>),
}

impl Figure {
    /// A drawing, sharp at any size.
    ///
    /// # Errors
    /// An image in it that is too large.
    pub fn drawing(
        drawing: &Drawing,
        caption: impl Into<String>,
        description: impl Into<String>,
    ) -> Result<Self> {
        let image = Image::Svg(svg::document(drawing)?);
        Ok(Self { image, caption: caption.into(), description: description.into() })
    }

    /// An animation.
    pub fn gif(bytes: &[u8], caption: impl Into<String>, description: impl Into<String>) -> Self {
        Self { image: Image::Gif(bytes.into()), caption: caption.into(), description: description.into() }
    }

    pub(super) fn html(&self) -> String {
        let description = escape(&self.description);
        let image = match &self.image {
            Image::Svg(svg) => svg.trim_end().replacen(
                "<svg ",
                &format!("<svg role=\"img\" aria-label=\"{description}\" "),
                1,
            ),
            Image::Gif(bytes) => {
                format!(
                    "<img alt=\"{description}\" src=\"data:image/gif;base64,{}\">",
                    STANDARD.encode(bytes)
                )
            }
        };
        format!("<figure>\n{image}\n<figcaption>{}</figcaption>\n</figure>", inline(&self.caption))
    }
}
