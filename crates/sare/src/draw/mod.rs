//! Charts and report pages as text: SVG and HTML without scripts, fonts or files from elsewhere.
//!
//! Every chart is a plain struct with a method `svg`; [`Page`] binds charts, tables and words into one HTML file. The
//! same data give the same bytes. Numbers that cannot be drawn (NaN, infinities, and beyond 1e100 in size) are left
//! out, and nothing here fails.
//!
//! ```
//! use sare::draw::{LinePoint, Lines, Series};
//!
//! let point = |x, y| LinePoint { x, y, error: None };
//! let series = Series { name: "tan".into(), points: vec![point(100.0, 0.3), point(1000.0, 0.2)] };
//! let chart = Lines { title: "Error by rows".into(), x_log: true, series: vec![series], ..Lines::default() };
//! assert!(chart.svg().starts_with("<svg"));
//! ```

pub mod bars;
pub mod cloud;
pub mod critical_difference;
mod frame;
pub mod histogram;
mod labels;
mod layers;
mod legend;
pub mod lines;
pub mod membership_bars;
pub mod network;
pub mod page;
pub mod palette;
pub mod panels;
pub mod profiles;
pub mod reliability;
pub mod scale;
pub mod scatter;
pub mod svg;
pub mod text;

#[cfg(test)]
mod tests;

pub use bars::{Bar, BarStyle, Bars};
pub use cloud::{Cloud, CloudSeries};
pub use critical_difference::{CriticalDifference, Ranked};
pub use histogram::{Histogram, HistogramBin};
pub use lines::{Legend, LinePoint, Lines, Series};
pub use membership_bars::MembershipBars;
pub use network::{DrawnArc, DrawnNode, Emphasis, NetworkDrawing};
pub use page::{Block, Cell, Column, Figure, Page, Section, Table};
pub use panels::{Panel, Panels};
pub use profiles::{ProfileBlock, ProfileGroup, ProfileRow, Profiles};
pub use reliability::{Bin, Reliability};
pub use scatter::{Scatter, ScatterPoint};
