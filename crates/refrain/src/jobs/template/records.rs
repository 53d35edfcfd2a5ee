//! Records of pages: rows of a table.

use super::pages::Page;
use crate::error::Failure;
use crate::extract::segment;
use crate::template::{TemplateMatch, Templates, Wrapper};

/// The minimum share of the fields of a wrapper that a page must have; delimiters such as those of a title fit any page.
const FITTING: f64 = 0.5;

/// A row: the id of the page, the wrapper that fits it best, and the values of its fields.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) wrapper: usize,
    pub(super) values: Vec<Option<String>>,
    pub(super) failure: Option<Failure>,
}

impl Row {
    /// The fields of a page by the wrapper of its template.
    pub(super) fn learned(templates: &Templates, wrappers: &[Wrapper], page: Page) -> Row {
        let number = match templates.find(&page.key, &page.text) {
            TemplateMatch::Page(number, _) => Some(number),
            TemplateMatch::Unknown { .. } => None,
        };
        let values = number.and_then(|number| wrappers.get(number)).map(|wrapper| wrapper.extract(&page.text));
        let failure = match values.as_deref().map(filled) {
            None => Some("fewer than three different pages have its template: its fields are not known".to_owned()),
            Some(0) => Some("no field was found".to_owned()),
            Some(_) => None,
        };
        let failure =
            failure.map(|error| failure_of(&page, error).hint("remove it from the input, or add similar pages"));
        Row::new(page, number.unwrap_or_default(), values.unwrap_or_default(), failure)
    }

    /// The fields of a page by the wrapper that finds most of them.
    pub(super) fn of(wrappers: &[Wrapper], page: Page) -> Row {
        let rows = wrappers.iter().map(|wrapper| wrapper.extract(&page.text)).enumerate();
        // Of equal ones, take the first.
        let best = rows.reduce(|best, next| if filled(&next.1) > filled(&best.1) { next } else { best });
        let (wrapper, values) = best.unwrap_or_default();
        let (found, all) = (filled(&values), values.len());
        let fits = found > 0 && found as f64 >= FITTING * all as f64;
        let failure = (!fits).then(|| {
            let error = if found == 0 {
                "no field was found".to_owned()
            } else {
                format!("{found} of {all} fields were found")
            };
            failure_of(&page, error).hint("the wrapper was learned from other pages; learn one from pages like this")
        });
        Row::new(page, wrapper, values, failure)
    }

    fn new(page: Page, wrapper: usize, values: Vec<Option<String>>, failure: Option<Failure>) -> Row {
        let values = values.into_iter().map(|value| value.map(|value| plain(&value))).collect();
        Row { id: page.document.id, wrapper, values, failure }
    }
}

fn filled(values: &[Option<String>]) -> usize {
    values.iter().flatten().count()
}

/// A failure of a page; it names the id unless the file name does.
fn failure_of(page: &Page, error: String) -> Failure {
    let origin = &page.document.origin;
    let named = page.document.id == origin.input || origin.member.as_deref() == Some(page.document.id.as_str());
    let error = if named { error } else { format!("{}: {error}", page.document.id) };
    Failure::new(&origin.input, error).member(origin.member.as_deref())
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
        // A field may also be called id; it gets a unique name.
        let taken = |name: &str| wrappers.iter().flat_map(|wrapper| &wrapper.fields).any(|field| field.name == name);
        // One of these is free, since there are fewer fields.
        let most = wrappers.iter().map(|wrapper| wrapper.fields.len()).sum::<usize>() + 2;
        let free = (2..=most).map(|number| format!("id_{number}")).find(|name| !taken(name)).unwrap_or_default();
        let mut place = |name: &str| {
            let name = if name == "id" { &free } else { name };
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
