//! A drawing as SVG: lines and text stay vectors, fields are embedded as PNG.

use super::drawing::{Anchor, Drawing, INK, Shape};
use super::raster;
use crate::error::Result;
use base64::{Engine, engine::general_purpose::STANDARD};
use std::fmt::Write;

/// The SVG document.
pub fn document(drawing: &Drawing) -> Result<String> {
    let (width, height) = (drawing.width, drawing.height);
    let mut svg = String::new();
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" \
         fill=\"{}\">",
        hex(INK)
    )?;
    writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>")?;
    for shape in &drawing.shapes {
        write_shape(&mut svg, shape)?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn write_shape(svg: &mut String, shape: &Shape) -> Result<()> {
    match shape {
        Shape::Line { points, color, width } => {
            write!(svg, "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" ", hex(*color))?;
            svg.push_str("stroke-linejoin=\"round\" points=\"");
            for (x, y) in points {
                write!(svg, "{x:.2},{y:.2} ")?;
            }
            svg.push_str("\"/>\n");
        }
        Shape::Text { at: (x, y), content, size, anchor, upwards } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let turn =
                if *upwards { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
            writeln!(
                svg,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\"{turn}>{}</text>",
                escape(content)
            )?;
        }
        Shape::Dot { at: (x, y), radius, color } => {
            writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\"/>", hex(*color))?;
        }
        Shape::Image { rect, image } => {
            writeln!(
                svg,
                "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
                 href=\"data:image/png;base64,{}\"/>",
                rect.x,
                rect.y,
                rect.width,
                rect.height,
                STANDARD.encode(raster::png(image)?)
            )?;
        }
    }
    Ok(())
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_users_cannot_break_the_document() {
        let mut drawing = Drawing::new(10, 10);
        drawing.text((1.0, 2.0), "<script>&\"", 9, Anchor::Start);
        let svg = document(&drawing).unwrap();
        assert!(svg.contains("&lt;script&gt;&amp;&quot;</text>"), "{svg}");
    }
}
