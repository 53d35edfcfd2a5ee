//! Records of pages: rows of a table.

use refrain::Failure;
use refrain::extract::segment;
use refrain::template::Wrapper;

use super::pages::Page;

/// A row: what the page is called, which wrapper has most fields of it, and their values.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) wrapper: usize,
    pub(super) values: Vec<Option<String>>,
    pub(super) failure: Option<Failure>,
}

impl Row {
    pub(super) fn of(wrappers: &[Wrapper], page: Page) -> Row {
        let filled = |values: &Vec<Option<String>>| values.iter().flatten().count();
        let rows = wrappers.iter().map(|wrapper| wrapper.extract(&page.text)).enumerate();
        // Of equal ones, the first.
        let best = rows.reduce(|best, next| if filled(&next.1) > filled(&best.1) { next } else { best });
        let (wrapper, values) = best.unwrap_or_default();
        let values: Vec<Option<String>> = values.into_iter().map(|value| value.map(|value| plain(&value))).collect();
        let origin = &page.document.origin;
        let failure = (filled(&values) == 0).then(|| {
            let failure = Failure::new(&origin.input, format!("{}: no field was found", page.document.id));
            failure
                .member(origin.member.as_deref())
                .hint("the wrapper is of other pages: learn one from pages like this")
        });
        Row { id: page.document.id, wrapper, values, failure: page.failure.or(failure) }
    }
}

/// The text of a piece of a page, on one line.
fn plain(html: &str) -> String {
    let text = segment(html).text;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The columns of a table: the id, and the fields of all wrappers, each name once.
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    /// For each wrapper, the columns of its fields.
    places: Vec<Vec<usize>>,
}

impl Columns {
    pub(super) fn of(wrappers: &[Wrapper]) -> Columns {
        let mut names = vec!["id".to_owned()];
        let mut place = |name: &str| {
            // A field may be called id, too.
            let name = if name == "id" { "id_2" } else { name };
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        let places =
            wrappers.iter().map(|wrapper| wrapper.fields.iter().map(|field| place(&field.name)).collect()).collect();
        Columns { names, places }
    }

    /// The cells of a row.
    pub(super) fn cells(&self, row: Row) -> Vec<Option<String>> {
        let mut cells = vec![None; self.names.len()];
        let places = self.places.get(row.wrapper).map_or(&[][..], Vec::as_slice);
        for (place, value) in places.iter().zip(row.values) {
            cells[*place] = value;
        }
        cells[0] = Some(row.id);
        cells
    }
}
