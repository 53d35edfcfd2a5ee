use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, LargeBinaryArray, RecordBatch, StringArray, StringViewArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use refrain::source::{ArrowTable, ReadOptions};
use refrain::text::Offsets;
use refrain::{Convert, Dedup, Document, Extract, Input, Outputs, Run, Unit};

const TEXT: &str = "The keeper lit the lamp at dusk, and again when the fog came in.";

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .expect("a batch")
}

fn table(batches: Vec<RecordBatch>) -> ArrowTable {
    ArrowTable::new(batches[0].schema(), batches)
}

fn kept(input: &Input, job: &Dedup) -> Vec<(i64, String)> {
    let (outputs, memory) = Outputs::arrow(Offsets::Chars);
    job.run(input, outputs, &Run::default()).expect("a run");
    let rows = |batch: RecordBatch| {
        let records = batch["record"].as_primitive::<Int64Type>().values().to_vec();
        let texts: Vec<String> = batch["text"].as_string::<i32>().iter().flatten().map(ToOwned::to_owned).collect();
        records.into_iter().zip(texts).collect::<Vec<_>>()
    };
    memory.batches().expect("batches").into_iter().flat_map(rows).collect()
}

#[test]
fn a_table_gives_what_documents_in_memory_give() {
    let texts = [Some(TEXT), None, Some("Grüße 😀."), Some(TEXT), Some("")];
    let views: ArrayRef = Arc::new(StringViewArray::from_iter(texts));
    let plain: ArrayRef = Arc::new(StringArray::from_iter(texts));
    let dictionary =
        arrow_cast::cast(&plain, &DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)));
    let job = Dedup { unit: Unit::Document, ..Dedup::default() };
    let documents =
        texts.iter().enumerate().map(|(row, text)| Document::from_text(row.to_string(), text.unwrap_or_default()));
    let expected = kept(&Input::documents(documents), &job);
    assert_eq!(expected.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [0, 1, 2, 4]);
    for column in [views, plain, dictionary.expect("a dictionary")] {
        let whole = batch(vec![("text", column)]);
        let cut = vec![whole.slice(0, 2), whole.slice(2, 0), whole.slice(2, 3)];
        for batches in [vec![whole], cut] {
            assert_eq!(kept(&Input::arrow(table(batches)), &job), expected);
        }
    }
}

#[test]
fn a_stream_larger_than_what_is_held_is_read_from_a_file() {
    let one = |row: usize| {
        let text = if row.is_multiple_of(3) {
            TEXT.to_owned()
        } else {
            format!("Text number {row} says what no other text says.")
        };
        Ok(batch(vec![("text", Arc::new(StringArray::from(vec![text])) as ArrayRef)]))
    };
    let schema = Arc::new(Schema::new(vec![Field::new("text", DataType::Utf8, true)]));
    let job = Dedup { unit: Unit::Document, ..Dedup::default() };
    let of = |held: u64| {
        let stream = (0..50).map(one).map(|batch: Result<_, ArrowError>| batch);
        kept(&Input::arrow(ArrowTable::of_stream(schema.clone(), stream, held, None).expect("a table")), &job)
    };
    assert_eq!(of(0), of(u64::MAX));
    let broken = (0..2).map(|row| if row == 1 { Err(ArrowError::ComputeError("on purpose".into())) } else { one(row) });
    let refused = ArrowTable::of_stream(schema.clone(), broken, 0, None).expect_err("a stream that breaks");
    assert!(refused.to_string().contains("on purpose"), "{refused}");
}

#[test]
fn bytes_are_decoded_and_pages_extracted() {
    let pages: ArrayRef =
        Arc::new(LargeBinaryArray::from_iter([Some(b"<p>Die K\xfcste im Nebel, und der W\xe4rter.".as_slice()), None]));
    let input = Input::arrow(table(vec![batch(vec![("text", pages)])]));
    let (outputs, memory) = Outputs::memory();
    Extract::default().run(&input, outputs, &Run::default()).expect("a run");
    assert_eq!(memory.documents()[0].text(), "Die Küste im Nebel, und der Wärter.");
}

#[test]
fn a_table_without_the_column_fails_with_a_hint() {
    let input = Input::arrow(table(vec![batch(vec![("body", Arc::new(StringArray::from(vec!["a"])) as ArrayRef)])]));
    let report = Convert::default().run(&input, Outputs::none(), &Run::default()).expect("a run");
    let failure = report.failures.first.first().expect("a failure");
    assert!(failure.to_string().contains("`text_field`"), "{failure}");
}

#[test]
fn documents_are_visited_in_order() {
    let rows = (0..300).map(|row| format!("Text {row}."));
    let input =
        Input::arrow(table(vec![batch(vec![("text", Arc::new(StringArray::from_iter_values(rows)) as ArrayRef)])]));
    let mut ids = Vec::new();
    let visited = input.each_document(&ReadOptions::default(), false, &Run::default(), |document, _| {
        ids.extend(document.map(|document| document.id));
        Ok(())
    });
    assert_eq!(visited.expect("a run").documents, 300);
    assert_eq!(ids, (0..300).map(|row| row.to_string()).collect::<Vec<_>>());
}
