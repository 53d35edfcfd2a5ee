//! Grows a small collection into a large one, to measure how the time and memory of `refrain dedup` scale.
//!
//! A plain copy of a collection repeats all of it. Here, every copy after the first has its words replaced: the
//! vocabulary is permuted among words of the same length, differently each time. Repetition inside a copy and all sizes
//! stay the same, and n-grams repeat between copies only by chance.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::random::Random;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The small collection, one JSON object a line: id, text
    input: PathBuf,
    /// The large collection to write, as JSONL
    output: PathBuf,
    /// Words to write; the document that reaches this number is the last
    #[arg(long, default_value_t = 2_000_000_000)]
    words: u64,
}

/// Writes the large collection, and prints a JSON summary.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let input = fs::read_to_string(&arguments.input).with_context(|| arguments.input.display().to_string())?;
    let mut collection = Collection::read(&input)?;
    drop(input);
    let file = File::create(&arguments.output).with_context(|| arguments.output.display().to_string())?;
    let grown = collection.grow(BufWriter::with_capacity(1 << 20, file), arguments.words)?;
    let summary = json!({
        "documents": grown.documents, "words": grown.words, "bytes": grown.bytes, "copies": grown.copies,
        "vocabulary": collection.vocabulary.len(),
    });
    writeln!(io::stdout(), "{summary}")?;
    Ok(())
}

/// What was written.
#[derive(Debug, PartialEq, Eq)]
struct Grown {
    documents: u64,
    words: u64,
    bytes: u64,
    copies: u64,
}

struct Document {
    /// Its id as written in JSON, without the closing quotation mark.
    id: String,
    /// Where its text ends in the texts of all.
    end: usize,
    words: u64,
}

/// An occurrence of a word in the texts.
struct Place {
    start: u32,
    word: u32,
    capital: bool,
}

struct Collection {
    documents: Vec<Document>,
    /// All texts, one after another, as written in JSON.
    texts: Vec<u8>,
    places: Vec<Place>,
    /// Words in lower case, and with a capital.
    vocabulary: Vec<[String; 2]>,
}

impl Collection {
    fn read(input: &str) -> Result<Self> {
        let mut all = Self { documents: Vec::new(), texts: Vec::new(), places: Vec::new(), vocabulary: Vec::new() };
        let mut known = HashMap::new();
        for (number, line) in input.lines().enumerate() {
            all.add(line, &mut known).with_context(|| format!("line {}", number + 1))?;
        }
        ensure!(all.documents.iter().any(|document| document.words > 0), "there are no words");
        ensure!(u32::try_from(all.texts.len()).is_ok(), "more than 4 GiB of text");
        Ok(all)
    }

    fn add(&mut self, line: &str, known: &mut HashMap<String, u32>) -> Result<()> {
        let document: Value = serde_json::from_str(line)?;
        let field = |name: &str| document.get(name).and_then(Value::as_str).with_context(|| format!("no {name}"));
        let (id, text) = (field("id")?, field("text")?);
        let mut words = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let signs = rest.find(char::is_alphanumeric).unwrap_or(rest.len());
            self.texts.extend_from_slice(in_json(&rest[..signs])?.as_bytes());
            rest = &rest[signs..];
            let length = rest.find(|sign: char| !sign.is_alphanumeric()).unwrap_or(rest.len());
            let (word, after) = rest.split_at(length);
            rest = after;
            if word.is_empty() {
                continue;
            }
            words += 1;
            let lower = word.to_lowercase();
            // The few words whose length depends on their case stay as they are.
            if lower.len() == word.len() {
                let number = *known.entry(lower).or_insert_with_key(|lower| {
                    self.vocabulary.push([lower.clone(), capitalised(lower)]);
                    self.vocabulary.len() as u32 - 1
                });
                let capital = word.starts_with(char::is_uppercase);
                self.places.push(Place { start: self.texts.len() as u32, word: number, capital });
            }
            self.texts.extend_from_slice(word.as_bytes());
        }
        self.documents.push(Document { id: in_json(id)?, end: self.texts.len(), words });
        Ok(())
    }

    /// Writes copy after copy until there are enough words.
    fn grow(&mut self, mut out: impl Write, enough: u64) -> Result<Grown> {
        let mut grown = Grown { documents: 0, words: 0, bytes: 0, copies: 0 };
        let classes = self.classes();
        while grown.words < enough {
            if grown.copies > 0 {
                self.put(&permuted(&classes, self.vocabulary.len(), grown.copies));
            }
            let mut start = 0;
            for document in &self.documents {
                if grown.words >= enough {
                    break;
                }
                let head = format!(r#"{{"id": "{}/{}", "text": ""#, document.id, grown.copies);
                let text = &self.texts[start..document.end];
                for part in [head.as_bytes(), text, b"\"}\n"] {
                    out.write_all(part)?;
                    grown.bytes += part.len() as u64;
                }
                start = document.end;
                grown.documents += 1;
                grown.words += document.words;
            }
            grown.copies += 1;
        }
        out.flush()?;
        Ok(grown)
    }

    /// The numbers of words of the same length in bytes, length by length.
    fn classes(&self) -> Vec<Vec<u32>> {
        let longest = self.vocabulary.iter().map(|[word, _]| word.len()).max().unwrap_or(0);
        let mut classes = vec![Vec::new(); longest + 1];
        for (number, [word, _]) in self.vocabulary.iter().enumerate() {
            classes[word.len()].push(number as u32);
        }
        classes
    }

    /// Puts words in the places of words. They have the same length, so nothing else moves.
    fn put(&mut self, words: &[u32]) {
        // Both forms of each word side by side: where they are for each word whose place is taken.
        let mut forms = Vec::new();
        let spans: Vec<(u32, u32)> = words
            .iter()
            .map(|&word| {
                let (start, [word, capital]) = (forms.len(), &self.vocabulary[word as usize]);
                forms.extend_from_slice(word.as_bytes());
                forms.extend_from_slice(capital.as_bytes());
                (start as u32, word.len() as u32)
            })
            .collect();
        for place in &self.places {
            let (start, length) = spans[place.word as usize];
            let from = (start + if place.capital { length } else { 0 }) as usize;
            let (to, length) = (place.start as usize, length as usize);
            self.texts[to..to + length].copy_from_slice(&forms[from..from + length]);
        }
    }
}

/// A string as written in JSON, without its quotation marks.
fn in_json(text: &str) -> Result<String> {
    let quoted = serde_json::to_string(text)?;
    Ok(quoted[1..quoted.len() - 1].to_owned())
}

/// The word with a capital at its beginning, unless it would not be the same word any more, or of another length.
fn capitalised(word: &str) -> String {
    let mut signs = word.chars();
    let first = signs.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    let capital = first + signs.as_str();
    if capital.len() == word.len() && capital.to_lowercase() == word { capital } else { word.to_owned() }
}

/// Which word takes the place of each, in a copy: words change places within their class.
fn permuted(classes: &[Vec<u32>], count: usize, copy: u64) -> Vec<u32> {
    let mut words = vec![0; count];
    let mut chance = Random(copy);
    for class in classes {
        let mut order = class.clone();
        for last in (1..order.len()).rev() {
            order.swap(last, chance.below(last as u64 + 1) as usize);
        }
        for (&word, other) in class.iter().zip(order) {
            words[word as usize] = other;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Documents of words in no order, all but the first with a passage that each of them has, and odd signs.
    fn collection() -> String {
        let mut chance = Random(7);
        let mut words = |count: usize| -> Vec<String> {
            let letters = |chance: &mut Random| (0..4).map(|_| char::from(b'a' + chance.below(26) as u8)).collect();
            (0..count).map(|_| letters(&mut chance)).collect()
        };
        let passage = words(20).join(" ");
        let document = |number: usize| {
            let own = words(50).join(" ");
            let text = format!("Été \"{own}\".\n\nThe NASA\t{}", if number == 0 { "" } else { &passage });
            json!({"id": format!("d\"{number}"), "text": text}).to_string()
        };
        (0..30).map(document).collect::<Vec<_>>().join("\n")
    }

    fn grown(words: u64) -> (Vec<u8>, Grown) {
        let mut out = Vec::new();
        let mut collection = Collection::read(&collection()).expect("a collection");
        let summary = collection.grow(&mut out, words).expect("no failure");
        (out, summary)
    }

    fn documents(out: &[u8]) -> Vec<(String, String)> {
        let text = |document: &Value, field: &str| document[field].as_str().expect("text").to_owned();
        let lines = str::from_utf8(out).expect("UTF-8").lines();
        lines
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .map(|document| (text(&document, "id"), text(&document, "text")))
            .collect()
    }

    fn words(text: &str) -> Vec<String> {
        let found = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
        found.map(str::to_lowercase).collect()
    }

    fn ngrams(documents: &[(String, String)]) -> HashSet<Vec<String>> {
        documents.iter().flat_map(|(_, text)| words(text).windows(5).map(<[_]>::to_vec).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn copies_have_the_same_repetition_and_share_no_ngrams() {
        let one = documents(collection().as_bytes());
        let count: u64 = one.iter().map(|(_, text)| words(text).len() as u64).sum();
        let (out, summary) = grown(3 * count);
        assert_eq!(
            (summary.words, summary.documents, summary.copies, summary.bytes),
            (3 * count, 90, 3, out.len() as u64)
        );
        let all = documents(&out);
        let copies: Vec<_> = all.chunks(30).collect();
        for (number, copy) in copies.iter().enumerate() {
            for ((id, text), (old_id, old_text)) in copy.iter().zip(&one) {
                assert_eq!(*id, format!("{old_id}/{number}"));
                assert_eq!((text.len(), words(text).len()), (old_text.len(), words(old_text).len()));
                assert!(number > 0 || text == old_text);
            }
            assert_eq!(ngrams(copy).len(), ngrams(&one).len());
        }
        let union: HashSet<_> = copies.iter().flat_map(|copy| ngrams(copy)).collect();
        assert_eq!(union.len(), 3 * ngrams(&one).len());
    }

    #[test]
    fn ends_with_enough_words_and_is_always_the_same() {
        let (out, summary) = grown(4000);
        assert!((4000..4080).contains(&summary.words), "{summary:?}");
        assert_eq!(grown(4000), (out, summary));
    }

    #[test]
    fn capitals_keep_their_places() {
        let (out, _) = grown(5000);
        let texts = documents(&out);
        assert!(texts[40].1.starts_with(char::is_uppercase), "{}", texts[40].1);
        assert_eq!(["été", "ßa", "2nd"].map(capitalised), ["Été", "ßa", "2nd"]);
    }
}
