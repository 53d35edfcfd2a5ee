//! Records of benchmarks to items: which field is what.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An item of a benchmark. Fields that it lacks are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BenchmarkItem {
    /// The text that the question is about.
    pub passage: String,
    /// The question, problem or instruction.
    pub question: String,
    /// The options to choose from.
    pub options: Vec<String>,
    /// The right answer; several if any of them is right.
    pub answers: Vec<String>,
}

/// The names of the fields of records, where they are not recognised.
///
/// ```
/// use refrain::decontaminate::BenchmarkFields;
/// use serde_json::json;
///
/// let record = json!({"question": "What is the capital of France?", "choices": ["Lyon", "Paris"], "answer": 1});
/// let item = BenchmarkFields::default().item(record.as_object().unwrap()).unwrap();
/// assert_eq!(item.answers, ["Paris"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BenchmarkFields {
    /// The field that holds the question.
    pub question: Option<String>,
    /// The field that holds the answer.
    pub answer: Option<String>,
    /// The field that holds the passage.
    pub passage: Option<String>,
    /// The field that holds the options.
    pub options: Option<String>,
}

/// Names of questions, the surest first.
const QUESTIONS: [&str; 19] = [
    "question",
    "query",
    "problem",
    "question_stem",
    "question_text",
    "problem_statement",
    "prompt",
    "instruction",
    "goal",
    "stem",
    "input",
    "ctx",
    "sentence",
    "claim",
    "hypothesis",
    "turns",
    "inputs",
    "task",
    "statement",
];
const PASSAGES: [&str; 17] = [
    "passage",
    "context",
    "article",
    "paragraph",
    "document",
    "story",
    "support",
    "premise",
    "background",
    "text",
    "content",
    "abstract",
    "source",
    "facts",
    "fact1",
    "input",
    "ctx",
];
const ANSWERS: [&str; 17] = [
    "answer",
    "answers",
    "correct_answer",
    "best_answer",
    "correct_answers",
    "answer_text",
    "target",
    "targets",
    "solution",
    "canonical_solution",
    "output",
    "completion",
    "response",
    "reference",
    "ground_truth",
    "gold",
    "answers_spans",
];
/// Names of fields that hold the letter or the number of the right option.
const KEYS: [&str; 11] = [
    "answer",
    "answerkey",
    "answer_key",
    "label",
    "answer_idx",
    "answer_index",
    "correct",
    "correct_option",
    "correct_answer",
    "gold",
    "target",
];
const OPTIONS: [&str; 6] = ["options", "choices", "endings", "candidates", "alternatives", "multiple_choice_targets"];
/// Options that are in fields of their own, with a number or letter behind the name.
const SERIES: [&str; 6] = ["option", "choice", "sol", "ending", "opt", ""];
/// Wrong options that do not include the right one.
const WRONG: [&str; 5] = ["distractors", "incorrect_answers", "distractor1", "distractor2", "distractor3"];
/// What objects in fields hold, such as `{"text": [...], "label": [...]}`.
const INNER: [&str; 8] = ["text", "stem", "value", "aliases", "spans", "content", "answer", "question"];

impl BenchmarkFields {
    /// The item that a record holds; `None` if it has neither a question nor a passage nor an answer.
    pub fn item(&self, record: &Map<String, Value>) -> Option<BenchmarkItem> {
        let get = |name: &str| field(record, name);
        let named = |own: &Option<String>, names: &[&'static str]| match own {
            Some(own) => get(own).map(|value| (own.clone(), value)),
            None => names.iter().find_map(|name| {
                let value = get(name).filter(|value| !strings(value).is_empty())?;
                Some(((*name).to_owned(), value))
            }),
        };
        let question = named(&self.question, &QUESTIONS);
        let (question_name, question_value) = question.unzip();
        let others: Vec<&'static str> =
            PASSAGES.into_iter().filter(|name| question_name.as_deref() != Some(*name)).collect();
        let passage = named(&self.passage, &others).map(|(_, value)| strings(value).join("\n")).unwrap_or_default();
        let (mut question, inline) =
            split_options(&question_value.map(|value| strings(value).join("\n")).unwrap_or_default());
        let within = question_value.and_then(|value| OPTIONS.iter().find_map(|name| value.get(name)));
        let listed = named(&self.options, &OPTIONS).map(|(_, value)| value).or(within).map(strings);
        let mut options = listed.or_else(|| series(record)).unwrap_or_default();
        if options.is_empty() {
            options = inline;
        } else if !inline.is_empty() {
            question = [question, inline.join("\n")].join("\n");
        }
        let right = named(&self.answer, &ANSWERS);
        let texts = right.map(|(_, value)| strings(value)).unwrap_or_default();
        let keys: &[&str] = if self.answer.is_some() { &[] } else { &KEYS };
        let key = self.answer.as_deref().into_iter().chain(keys.iter().copied()).find_map(|name| {
            let number = option_number(get(name)?, first_number(record))?;
            options.get(number).cloned()
        });
        let answers = match key {
            Some(option) => vec![option],
            None => texts,
        };
        let wrong = WRONG.iter().filter_map(|name| get(name)).flat_map(strings);
        if options.is_empty() {
            options.extend(wrong);
            options.extend((!options.is_empty()).then(|| answers.first().cloned()).flatten());
        }
        let bare = bare_options(&options);
        let bare_answer = |answer: &String| match options.iter().position(|option| option == answer) {
            Some(number) => bare[number].clone(),
            None => without_label(answer).to_owned(),
        };
        let item = BenchmarkItem {
            passage,
            question: without_label(&question).to_owned(),
            answers: answers.iter().map(bare_answer).collect(),
            options: bare,
        };
        let is_empty = item.passage.is_empty() && item.question.is_empty() && item.answers.is_empty();
        (!is_empty).then_some(item)
    }
}

/// A field by its name, in any case.
fn field<'a>(record: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    record.get(name).or_else(|| record.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value))
}

/// All text in a value. Objects are opened where the names of their fields are known.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Bool(yes) => vec![if *yes { "yes" } else { "no" }.to_owned()],
        // Deeper lists are no text of an item; serde_json limits how deep they are.
        Value::Array(values) => values.iter().flat_map(strings).collect(),
        Value::Object(fields) => INNER.iter().filter_map(|name| fields.get(*name)).flat_map(strings).collect(),
    }
}

/// Options in fields of their own: `option1`, `option2`, or `A`, `B`, `C`, `D`.
fn series(record: &Map<String, Value>) -> Option<Vec<String>> {
    let text = |name: &str| record.get(name).and_then(Value::as_str).map(str::to_owned);
    let of = |prefix: &str, separator: &str, labels: &[&str]| -> Vec<String> {
        labels.iter().map_while(|label| text(&format!("{prefix}{separator}{label}"))).collect()
    };
    let labels: [&[&str]; 4] = [
        &["1", "2", "3", "4", "5", "6", "7", "8"],
        &["0", "1", "2", "3", "4", "5", "6", "7"],
        &["a", "b", "c", "d", "e", "f", "g", "h"],
        &["A", "B", "C", "D", "E", "F", "G", "H"],
    ];
    let mut all = SERIES.iter().flat_map(|prefix| {
        let letters_only = if prefix.is_empty() { &labels[2..] } else { &labels[..] };
        ["", "_"].into_iter().flat_map(move |separator| letters_only.iter().map(move |l| (*prefix, separator, *l)))
    });
    all.find_map(|(prefix, separator, labels)| Some(of(prefix, separator, labels)).filter(|options| options.len() > 1))
}

/// The number of the first option: options in fields such as `option1` are counted from 1, lists from 0.
fn first_number(record: &Map<String, Value>) -> usize {
    let from_one = ["option1", "choice1", "sol1", "opt1", "option_1", "choice_1"];
    let has_zero = ["option0", "choice0", "ending0"].iter().any(|name| record.contains_key(*name));
    usize::from(!has_zero && from_one.iter().any(|name| record.contains_key(*name)))
}

/// The option that a letter or a number means.
fn option_number(value: &Value, first: usize) -> Option<usize> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().trim_matches(['(', ')', '.']).to_owned(),
        Value::Array(values) if values.len() == 1 => return option_number(&values[0], first),
        _ => return None,
    };
    match text.as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(usize::from(letter - b'A')),
        [letter @ b'a'..=b'z'] => Some(usize::from(letter - b'a')),
        _ => text.parse::<usize>().ok()?.checked_sub(first),
    }
}

/// The label in front of a text, such as `(b)` or `2.`, and what follows it.
fn label(text: &str) -> Option<(String, &str)> {
    let trimmed = text.trim_start();
    let start = trimmed.strip_prefix('(').or_else(|| trimmed.strip_prefix('[')).unwrap_or(trimmed);
    let of_word = start.find(|c: char| !c.is_alphanumeric()).unwrap_or(start.len());
    let (word, rest) = start.split_at(of_word);
    let closed = rest.strip_prefix([')', ']']);
    let after = closed.or_else(|| rest.strip_prefix(['.', ':']).filter(|rest| rest.starts_with(char::is_whitespace)));
    let is_label = word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty()
        || matches!(word.as_bytes(), [letter] if letter.is_ascii_alphabetic());
    is_label.then_some(())?;
    Some((word.to_ascii_lowercase(), after?))
}

/// A text without the label in front of it.
pub(super) fn without_label(text: &str) -> &str {
    const WORDS: [&str; 4] = ["question", "problem", "q", "exercise"];
    let text = text.trim();
    // A letter and a full stop can be an initial.
    let is_initial = text.chars().next().is_some_and(char::is_alphabetic) && text.get(1..2) == Some(".");
    if let Some((_, rest)) = label(text).filter(|(_, rest)| !is_initial && !rest.trim().is_empty()) {
        return rest.trim();
    }
    let lower: String = text.chars().take(12).collect::<String>().to_ascii_lowercase();
    let named = WORDS.iter().find(|word| lower.starts_with(*word));
    let Some(rest) = named.and_then(|word| text.get(word.len()..)) else { return text };
    let rest = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix([':', '.', ')']) {
        Some(rest) if !rest.trim().is_empty() => rest.trim(),
        _ => text,
    }
}

/// Options without their labels, if all of them have one.
fn bare_options(options: &[String]) -> Vec<String> {
    let labels: Option<Vec<(String, &str)>> = options.iter().map(|option| label(option)).collect();
    match labels.filter(|labels| labels.iter().all(|(_, rest)| !rest.trim().is_empty())) {
        Some(labels) => labels.into_iter().map(|(_, rest)| rest.trim().to_owned()).collect(),
        None => options.iter().map(|option| option.trim().to_owned()).collect(),
    }
}

/// Options that a question ends with, one on each line with a label in front of it.
fn split_options(text: &str) -> (String, Vec<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let starts = |at: usize, names: [&str; 2]| {
        lines.get(at).and_then(|line| label(line)).is_some_and(|(label, _)| names.contains(&label.as_str()))
    };
    let Some(first) = (0..lines.len()).find(|&at| starts(at, ["a", "1"]) && starts(at + 1, ["b", "2"])) else {
        return (text.to_owned(), Vec::new());
    };
    let count = lines[first..].iter().take_while(|line| label(line).is_some()).count();
    let (options, after) = lines[first..].split_at(count);
    let question = [&lines[..first], after].concat().join("\n");
    (question, options.iter().map(|option| (*option).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[allow(clippy::needless_pass_by_value)] // written where it is used
    fn item(record: Value) -> BenchmarkItem {
        BenchmarkFields::default().item(record.as_object().expect("an object")).expect("an item")
    }

    #[test]
    fn usual_records_are_recognised() {
        let list =
            item(json!({"question": "Which lamp is old?", "choices": ["Brass", "Tin"], "answer": 1, "subject": "x"}));
        assert_eq!(
            (&*list.question, list.options.len(), &*list.answers),
            ("Which lamp is old?", 2, &["Tin".into()][..])
        );
        let nested =
            json!({"question": "Which?", "choices": {"text": ["Brass", "Tin"], "label": ["A", "B"]}, "answerKey": "A"});
        assert_eq!(item(nested).answers, ["Brass"]);
        let stem =
            json!({"question": {"stem": "Which?", "choices": [{"text": "Brass", "label": "A"}, {"text": "Tin"}]}});
        assert_eq!((item(stem.clone()).question, item(stem).options.len()), ("Which?".into(), 2));
        let ending = item(json!({"ctx": "She lit the lamp and", "endings": ["slept", "rang"], "label": "1"}));
        assert_eq!((&*ending.question, &*ending.answers), ("She lit the lamp and", &["rang".into()][..]));
        let numbered = json!({"sentence": "The _ was lit.", "option1": "lamp", "option2": "sea", "answer": "1"});
        assert_eq!(item(numbered).answers, ["lamp"]);
        let spread = item(json!({"Question": "Which?", "A": "Brass", "B": "Tin", "Answer": "B"}));
        assert_eq!((spread.options.len(), &*spread.answers), (2, &["Tin".into()][..]));
        let reading = item(
            json!({"context": "A lamp.", "question": "What?", "answers": {"text": ["lamp", "a lamp"], "answer_start": [2, 0]}}),
        );
        assert_eq!((&*reading.passage, reading.answers.len()), ("A lamp.", 2));
        let aliases = item(json!({"question": "Who?", "answer": {"value": "Eva", "aliases": ["E. Carrow"]}}));
        assert_eq!(aliases.answers, ["Eva", "E. Carrow"]);
        let task = item(json!({"instruction": "Shorten the text.", "input": "A long text.", "output": "A text."}));
        assert_eq!(
            (&*task.question, &*task.passage, &*task.answers[0]),
            ("Shorten the text.", "A long text.", "A text.")
        );
        let science =
            item(json!({"question": "What?", "distractor1": "tin", "distractor2": "wood", "correct_answer": "brass"}));
        assert_eq!(science.options, ["tin", "wood", "brass"]);
        assert_eq!(item(json!({"text": "The last word."})).passage, "The last word.");
        assert_eq!(
            BenchmarkFields::default().item(json!({"id": "a", "level": 3}).as_object().expect("an object")),
            None
        );
    }

    #[test]
    fn fields_can_be_named() {
        let fields =
            BenchmarkFields { question: Some("q1".into()), answer: Some("right".into()), ..Default::default() };
        let record =
            json!({"q1": "Which?", "question": "Other?", "options": ["a lamp", "a bell"], "right": "B", "answer": 0});
        let item = fields.item(record.as_object().expect("an object")).expect("an item");
        assert_eq!((&*item.question, &*item.answers), ("Which?", &["a bell".to_owned()][..]));
    }

    #[test]
    fn labels_and_options_within_questions_are_taken_apart() {
        for text in
            ["(a) the lamp", "A) the lamp", "1. the lamp", "[2] the lamp", "Q: the lamp", "Question 12: the lamp"]
        {
            assert_eq!(without_label(text), "the lamp", "{text}");
        }
        for text in ["A lamp", "1.5 metres", "Questions remain", "E. Carrow", "a", "(a)"] {
            assert_eq!(without_label(text), text);
        }
        assert_eq!(bare_options(&["A. Brass".into(), "B. Tin".into()]), ["Brass", "Tin"]);
        assert_eq!(bare_options(&["E. Carrow".into(), "Tom Hale".into()]), ["E. Carrow", "Tom Hale"]);
        let item =
            item(json!({"input": "Which lamp is old?\n(A) Brass\n(B) Tin\nAnswer with a letter.", "target": "(B)"}));
        assert_eq!(item.question, "Which lamp is old?\nAnswer with a letter.");
        assert_eq!((item.options, item.answers), (vec!["Brass".to_owned(), "Tin".to_owned()], vec!["Tin".to_owned()]));
    }
}
