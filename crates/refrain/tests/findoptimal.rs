//! FindOptimal agrees with its published steps.

#![cfg(feature = "papers")]

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use refrain::template::findoptimal::{Covered, Documents, FindOptimal, Percent, Readings, Ties};
use refrain::template::normalise;

/// FindOptimal, step by step as published: a hash table for each n, range strings letter by letter.
struct Plain {
    documents: Vec<Vec<char>>,
    readings: Readings,
}

impl Plain {
    fn new(documents: &[String], readings: Readings) -> Plain {
        Plain { documents: documents.iter().map(|text| normalise(text).chars().collect()).collect(), readings }
    }

    /// The subroutine countsort: n-grams by decreasing number of occurrences, equal ones in the order in which they are met.
    fn countsort(&self, n: usize) -> Vec<(Vec<char>, usize)> {
        let mut numbers: HashMap<Vec<char>, usize> = HashMap::new();
        let mut sorted: Vec<(Vec<char>, usize)> = Vec::new();
        for gram in self.documents.iter().flat_map(|document| document.windows(n)) {
            let number = *numbers.entry(gram.to_vec()).or_insert_with(|| {
                sorted.push((gram.to_vec(), 0));
                sorted.len() - 1
            });
            sorted[number].1 += 1;
        }
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        sorted
    }

    /// The n-grams that are useless at a cut point.
    fn useless(&self, sorted: &[(Vec<char>, usize)], a: usize) -> Vec<Vec<char>> {
        let mut count = match self.readings.percent {
            Percent::Distinct => sorted.len() * a / 100,
            Percent::Occurrences => {
                let all: usize = sorted.iter().map(|(_, count)| count).sum();
                let mut taken = 0;
                while taken < sorted.len()
                    && sorted[..=taken].iter().map(|(_, count)| count).sum::<usize>() <= all * a / 100
                {
                    taken += 1;
                }
                taken
            }
        };
        match self.readings.ties {
            Ties::First => {}
            Ties::All => {
                while count > 0 && count < sorted.len() && sorted[count].1 == sorted[count - 1].1 {
                    count += 1;
                }
            }
            Ties::None => {
                while count > 0 && count < sorted.len() && sorted[count].1 == sorted[count - 1].1 {
                    count -= 1;
                }
            }
        }
        sorted[..count].iter().map(|(gram, _)| gram.clone()).collect()
    }

    /// The range strings of a cut point, true for useless letters; one for all documents where they are joined.
    fn range_strings(&self, n: usize, a: usize) -> Vec<Vec<bool>> {
        let useless = self.useless(&self.countsort(n), a);
        let joined: Vec<Vec<char>> = match self.readings.documents {
            Documents::Apart => self.documents.clone(),
            Documents::Joined => vec![self.documents.concat()],
        };
        let letters = n + usize::from(self.readings.covered == Covered::AndNext);
        let range_string = |text: &Vec<char>| {
            let mut range = vec![false; text.len()];
            for i in 0..text.len() {
                if i + n <= text.len() && useless.contains(&text[i..i + n].to_vec()) {
                    let end = (i + letters).min(text.len());
                    range[i..end].fill(true);
                }
            }
            range
        };
        joined.iter().map(range_string).collect()
    }

    /// The subroutine alternation.
    fn alternation(&self, n: usize, a: usize) -> usize {
        let boundaries = |range: &Vec<bool>| range.windows(2).filter(|pair| pair[0] != pair[1]).count();
        self.range_strings(n, a).iter().map(boundaries).sum()
    }

    /// The procedure of Figure 3.
    fn find_optimal(&self) -> (usize, usize, usize) {
        let longest = self.documents.iter().map(Vec::len).max().unwrap_or_default();
        let (mut n, mut a) = (2, 1);
        let mut val0 = self.alternation(n, a);
        while n <= longest && a < 100 {
            let val1 = self.alternation(n, a + 1);
            let val2 = self.alternation(n + 1, a);
            if val0 <= val1 && val0 <= val2 {
                break;
            } else if val0 > val1 && val1 < val2 {
                a += 1;
                val0 = val1;
            } else if val0 > val2 && val2 <= val1 {
                n += 1;
                val0 = val2;
            }
        }
        (n, a, val0)
    }

    /// Letters that are not useless, of all documents on end.
    fn content(&self, n: usize, a: usize) -> Vec<bool> {
        self.range_strings(n, a).concat().into_iter().map(|useless| !useless).collect()
    }
}

fn readings() -> impl Strategy<Value = Readings> {
    (
        prop::sample::select(vec![Ties::First, Ties::All, Ties::None]),
        prop::sample::select(vec![Covered::Own, Covered::AndNext]),
        prop::sample::select(vec![Documents::Apart, Documents::Joined]),
        prop::sample::select(vec![Percent::Distinct, Percent::Occurrences]),
    )
        .prop_map(|(ties, covered, documents, percent)| Readings { ties, covered, documents, percent })
}

fn agree(documents: &[String], readings: Readings) {
    let plain = Plain::new(documents, readings);
    let fast = FindOptimal::new(documents.iter().map(String::as_str), readings).expect("a suffix array");
    let (n, a, alternations) = plain.find_optimal();
    let found = fast.cut_point();
    assert_eq!((found.n, found.a, found.alternations), (n, a, alternations), "{readings:?}");
    let mut letters = Vec::new();
    for (document, ranges) in plain.documents.iter().zip(fast.content(n, a)) {
        let mut content = vec![false; document.len()];
        for (start, end) in ranges {
            content[start..end].fill(true);
        }
        letters.extend(content);
    }
    assert_eq!(letters, plain.content(n, a), "{readings:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn findoptimal_agrees_with_the_published_steps(
        shared in "[ab <>]{4,14}",
        own in prop::collection::vec("[a-dé漢 \n]{0,18}", 1..5),
        readings in readings(),
    ) {
        let documents: Vec<String> = own.iter().map(|own| format!("{shared}{own}{shared}")).collect();
        agree(&documents, readings);
    }
}

#[test]
fn findoptimal_agrees_on_real_markup() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/site");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the sample site").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let pages: Vec<String> = paths.iter().take(3).map(|path| fs::read_to_string(path).expect("a page")).collect();
    for readings in
        [Readings::default(), Readings { ties: Ties::First, documents: Documents::Joined, ..Readings::default() }]
    {
        let documents: Vec<String> = pages.iter().map(|page| page.chars().skip(600).take(500).collect()).collect();
        agree(&documents, readings);
    }
}

#[test]
fn the_example_of_the_paper() {
    // x = accbaacbc and W = {cb, ba}: the range string is 110001001, and there are four alternations.
    let text = "accbaacbc";
    let plain = Plain::new(&[text.to_owned()], Readings::default());
    let useless: Vec<Vec<char>> = ["cb", "ba"].map(|gram| gram.chars().collect()).to_vec();
    let letters = &plain.documents[0];
    let mut range = vec![true; letters.len()];
    for i in 0..letters.len() - 1 {
        if useless.contains(&letters[i..i + 2].to_vec()) {
            range[i..i + 2].fill(false);
        }
    }
    let shown: String = range.iter().map(|kept| if *kept { '1' } else { '0' }).collect();
    assert_eq!(shown, "110001001");
    assert_eq!(range.windows(2).filter(|pair| pair[0] != pair[1]).count(), 4);
    // Of its n-grams of two letters, ac and cb are there twice; a third of six different ones are two.
    let first = Readings { ties: Ties::First, ..Readings::default() };
    let found = FindOptimal::new([text], first).expect("a small text").content(2, 34);
    assert_eq!(found, [vec![(2 + 2, 5), (8, 9)]], "letters that no frequent n-gram covers");
    agree(&[text.to_owned()], Readings::default());
}
