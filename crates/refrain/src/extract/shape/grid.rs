//! Computes the positions of table cells when some of them span several rows and columns.

use super::NONE;
use super::attributes::Reach;

/// Tables with more columns are not meant to be read.
pub(super) const MAX_COLUMNS: usize = 64;

/// Tables whose cells cover more positions than this, besides their own, are not meant to be read either.
const MAX_COVERED: usize = 1 << 16;

/// A position in a row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// It has no kept cell.
    Empty,
    /// A cell to the left or above spans it.
    Covered,
    /// A block, and the span of its cell, limited to the kept rows and columns.
    Block(usize, Reach),
}

/// Lays out the cells of a page as browsers do, in the order of their start tags.
#[derive(Debug)]
pub(super) struct Layout {
    /// The tables around the current position, outermost first. The first one is the page, which may also have cells.
    tables: Vec<Table>,
}

/// A table up to the current row. Tables, sections and rows are indices of elements.
#[derive(Debug)]
struct Table {
    element: u32,
    section: u32,
    row: u32,
    /// How many rows come before the current one.
    number: u32,
    /// The next free column.
    column: usize,
    /// For each column, how many rows its cell occupies from the current row on.
    hanging: Vec<u32>,
}

impl Table {
    fn new(element: u32) -> Table {
        Table { element, section: NONE, row: NONE, number: 0, column: 0, hanging: Vec::new() }
    }

    fn begin_row(&mut self, section: u32, row: u32) {
        if self.section == section {
            self.hanging.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
        } else {
            self.hanging.clear();
        }
        (self.section, self.row, self.column) = (section, row, 0);
        self.number = self.number.saturating_add(1);
    }

    /// Returns the column of the next cell, or [`MAX_COLUMNS`] if it is further to the right.
    fn place(&mut self, reach: Reach) -> usize {
        while self.hanging.get(self.column).is_some_and(|rows| *rows > 0) {
            self.column += 1;
        }
        let column = self.column.min(MAX_COLUMNS);
        let end = column.saturating_add(reach.columns as usize).min(MAX_COLUMNS);
        if reach.rows > 1 {
            self.hanging.resize(end.max(self.hanging.len()), 0);
            self.hanging[column..end].iter_mut().for_each(|rows| *rows = reach.rows.max(*rows));
        }
        self.column = end.max(self.column);
        column
    }
}

impl Layout {
    pub(super) fn new() -> Layout {
        Layout { tables: vec![Table::new(NONE)] }
    }

    /// Begins a table inside another one or the page.
    pub(super) fn begin_table(&mut self, table: u32, outer: u32) {
        self.back_to(outer);
        self.tables.push(Table::new(table));
    }

    /// Begins a row of a table, unless it is the current one. Returns its number.
    pub(super) fn row(&mut self, table: u32, section: u32, row: u32) -> u32 {
        let Some(table) = self.back_to(table) else { return 0 };
        if table.row != row {
            table.begin_row(section, row);
        }
        table.number
    }

    /// Places a cell in the current row of a table. Returns its column.
    pub(super) fn cell(&mut self, table: u32, reach: Reach) -> usize {
        self.back_to(table).map_or(0, |table| table.place(reach))
    }

    /// Discards the tables inside a table, which have ended.
    fn back_to(&mut self, table: u32) -> Option<&mut Table> {
        while self.tables.len() > 1 && self.tables.last().is_some_and(|open| open.element != table) {
            self.tables.pop();
        }
        self.tables.last_mut()
    }
}

/// A row that has kept cells.
#[derive(Debug)]
pub(super) struct Row {
    /// The section of the table that contains it; no cell spans beyond.
    pub(super) section: u32,
    pub(super) number: u32,
    /// The column, block and span of each cell.
    pub(super) cells: Vec<(usize, usize, Reach)>,
}

/// Draws rows with every cell in its column. Empty positions at the end of a row are dropped.
pub(super) fn draw(rows: &[Row]) -> Option<Vec<Vec<Cell>>> {
    let width = rows.iter().flat_map(|row| &row.cells).map(|(column, ..)| column + 1).max()?;
    let mut drawn: Vec<Vec<Cell>> = vec![Vec::new(); rows.len()];
    let mut left = MAX_COVERED;
    for (at, row) in rows.iter().enumerate() {
        for &(column, block, reach) in &row.cells {
            let numbers = row.number..row.number.saturating_add(reach.rows);
            let below = |other: &&Row| other.section == row.section && numbers.contains(&other.number);
            // Every row uses at least one position, so there is no need to count further than the limit.
            let height = rows[at..].iter().take(left + 2).take_while(below).count();
            let end = width.min(column + reach.columns as usize);
            left = left.checked_sub((height * (end - column)).checked_sub(1)?)?;
            for row in &mut drawn[at..at + height] {
                row.resize(end.max(row.len()), Cell::Empty);
                let places = row[column..end].iter_mut();
                places.filter(|place| **place == Cell::Empty).for_each(|place| *place = Cell::Covered);
            }
            let reach = Reach { rows: height as u32, columns: (end - column) as u32 };
            drawn[at][column] = Cell::Block(block, reach);
        }
    }
    Some(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn reach(rows: u32, columns: u32) -> Reach {
        Reach { rows, columns }
    }

    #[test]
    fn cells_are_next_to_those_that_span_rows() {
        let mut layout = Layout::new();
        layout.begin_table(1, NONE);
        assert_eq!(layout.row(1, 2, 3), 1);
        assert_eq!(layout.cell(1, reach(2, 1)), 0);
        assert_eq!(layout.cell(1, reach(1, 2)), 1);
        assert_eq!(layout.cell(1, reach(u32::MAX, 1)), 3);
        assert_eq!(layout.row(1, 2, 4), 2);
        assert_eq!([(); 3].map(|()| layout.cell(1, Reach::ONE)), [1, 2, 4]);
        // A table in a cell does not affect the one around it.
        layout.begin_table(9, 1);
        assert_eq!(layout.row(9, 9, 10), 1);
        assert_eq!(layout.cell(9, Reach::ONE), 0);
        assert_eq!(layout.row(1, 2, 5), 3);
        assert_eq!([(); 4].map(|()| layout.cell(1, Reach::ONE)), [0, 1, 2, 4]);
        // No cell spans into the next section.
        assert_eq!(layout.row(1, 6, 7), 4);
        assert_eq!([(); 4].map(|()| layout.cell(1, Reach::ONE)), [0, 1, 2, 3]);
    }

    #[test]
    fn rows_without_end_are_survived() {
        let mut layout = Layout::new();
        for row in 0..1000 {
            layout.row(NONE, 0, row);
            let columns = [(); 3].map(|()| layout.cell(NONE, reach(65_534, 1000)));
            assert!(columns.iter().all(|column| *column <= MAX_COLUMNS));
        }
        let cells: Vec<_> = (0..MAX_COLUMNS).map(|column| (column, 0, reach(u32::MAX, 1))).collect();
        let row = |number| Row { section: 0, number, cells: cells.clone() };
        assert_eq!(draw(&(0..2000).map(row).collect::<Vec<_>>()), None);
    }

    #[test]
    fn cells_end_with_the_rows_and_columns_that_are_kept() {
        let row = |section, number, cells| Row { section, number, cells };
        let rows = [
            row(1, 1, vec![(0, 0, reach(3, 1)), (1, 1, reach(1, 100))]),
            row(1, 3, vec![(2, 2, Reach::ONE)]),
            row(2, 4, vec![(1, 3, reach(9, 1))]),
        ];
        assert_eq!(
            draw(&rows),
            Some(vec![
                vec![Cell::Block(0, reach(2, 1)), Cell::Block(1, reach(1, 2)), Cell::Covered],
                vec![Cell::Covered, Cell::Empty, Cell::Block(2, Reach::ONE)],
                vec![Cell::Empty, Cell::Block(3, Reach::ONE)],
            ])
        );
        assert_eq!(draw(&[]), None);
    }
}
