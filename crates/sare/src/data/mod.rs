//! Tables: columns of codes or numbers with named levels, missing cells and weights; readers and a writer;
//! cut points; splits; generators of known sets.

pub mod arff;
pub mod cases;
mod cell;
#[cfg(feature = "columnar")]
pub mod columnar;
pub mod csv;
mod dictionary;
pub mod discretise;
pub(crate) mod distinct;
pub mod encode;
pub mod encoding;
pub mod generate;
mod inference;
pub mod inspect;
pub mod kinds;
pub mod left_out;
pub mod notes;
pub mod open;
pub mod raw;
pub mod read;
pub mod removal;
pub mod schema;
pub mod source;
pub mod split;
pub mod stream;
pub mod table;
pub mod texts;
pub mod write;

pub use cell::MISSING_WORDS;
pub use discretise::{Discretiser, Method};
pub use encoding::Encoding;
pub use left_out::LeftOut;
pub use notes::{About, Conventions, Note};
pub use read::{ReadOptions, read_table};
pub use schema::{Field, Kind, Schema};
pub use source::{Block, Codes, Source, View};
pub use stream::Stream;
pub use table::{Cells, Table};
