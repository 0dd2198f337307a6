//! Reports as one self-contained HTML file: text, tables and pictures, nothing fetched.

mod figure;
mod table;

pub use figure::Figure;
pub use table::Table;

use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// A report.
pub struct Report {
    /// Its title.
    pub title: String,
    /// A summary in a sentence or two.
    pub summary: String,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A section of a report.
pub struct Section {
    heading: String,
    blocks: Vec<Block>,
}

/// A part of a section. In texts, backticks enclose code.
enum Block {
    Text(String),
    Code(String),
    Figure(Figure),
    Table(Table),
}

impl Section {
    /// An empty section.
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), blocks: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    /// Adds lines of code verbatim.
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.blocks.push(Block::Code(code.into()));
        self
    }

    /// Adds a picture.
    pub fn figure(mut self, figure: Figure) -> Self {
        self.blocks.push(Block::Figure(figure));
        self
    }

    /// Adds a table.
    pub fn table(mut self, table: Table) -> Self {
        self.blocks.push(Block::Table(table));
        self
    }
}

impl Report {
    /// The HTML file.
    pub fn html(&self) -> String {
        let (title, summary) = (escape(&self.title), inline(&self.summary));
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"summary\">{summary}</p>\n"
        );
        for section in &self.sections {
            section.write(&mut html);
        }
        let version = env!("CARGO_PKG_VERSION");
        let _ = write!(html, "<footer>Made by lto {version}.</footer>\n</main>\n</body>\n</html>\n");
        html
    }
}

impl Section {
    fn write(&self, html: &mut String) {
        let _ = writeln!(html, "<section>\n<h2>{}</h2>", escape(&self.heading));
        for block in &self.blocks {
            let _ = match block {
                Block::Text(text) => writeln!(html, "<p>{}</p>", inline(text)),
                Block::Code(code) => writeln!(html, "<pre><code>{}</code></pre>", escape(code)),
                Block::Figure(figure) => writeln!(html, "{}", figure.html()),
                Block::Table(table) => writeln!(html, "{}", table.html()),
            };
        }
        html.push_str("</section>\n");
    }
}

/// Text with HTML markup escaped.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text with code between backticks.
fn inline(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(number, part)| match number % 2 {
        1 => format!("<code>{}</code>", escape(part)),
        _ => escape(part),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::drawing::{Anchor, Drawing};

    #[test]
    fn a_report_is_one_file_and_its_texts_are_no_markup() {
        let mut drawing = Drawing::new(20, 10);
        drawing.text((1.0, 2.0), "axis", 9, Anchor::Start);
        let table =
            Table::new(&["N", "error"]).row(["16".into(), "0.5".into()]).row(["<b>".into(), "1".into()]);
        let section = Section::new("Errors & more")
            .text("a < b, by `lto <demo>`")
            .code("x && y")
            .figure(Figure::drawing(&drawing, "a caption", "what \"it\" shows").unwrap())
            .figure(Figure::gif(b"GIF89a", "moving", "it moves"))
            .table(table);
        let report = Report { title: "T<1>".into(), summary: "`s`".into(), sections: vec![section] };
        let html = report.html();
        for part in [
            "<title>T&lt;1&gt;</title>",
            "<h2>Errors &amp; more</h2>",
            "a &lt; b, by <code>lto &lt;demo&gt;</code>",
            "<code>x &amp;&amp; y</code>",
            "<figcaption>a caption</figcaption>",
            "aria-label=\"what &quot;it&quot; shows\"",
            "src=\"data:image/gif;base64,R0lGODlh\"",
            "<td class=\"number\">16</td>",
            "<td>&lt;b&gt;</td>",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        let fetched = ["http://", "https://", "src=\"/", "@import", "url("];
        let html = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!fetched.iter().any(|what| html.contains(what)), "{html}");
        for tag in ["main", "section", "figure", "table", "svg", "p", "tr"] {
            let (open, close) =
                (html.matches(&format!("<{tag}")).count(), html.matches(&format!("</{tag}>")).count());
            assert!(open >= close && close > 0, "{tag}");
        }
    }
}
