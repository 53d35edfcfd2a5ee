//! Passages that two texts share: what holds for every pair of texts, other scripts, and texts that would be slow for a
//! careless aligner.

/// What holds for every pair of texts.
mod properties {
    use std::ops::Range;

    use proptest::prelude::*;
    use refrain::compare::{AlignOptions, AlignedPassage, PassageKind, PassageText, align};

    /// AlignOptions that report nearly everything, so that small texts have passages.
    fn eager() -> AlignOptions {
        let mut options = AlignOptions::default();
        options.min_words = 3;
        options.min_verbatim_words = 8;
        options.min_score = 1.0;
        options
    }

    /// The words of a text in lower case, without punctuation.
    fn words(text: &str) -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    }

    fn overlaps(x: &Range<usize>, y: &Range<usize>) -> bool {
        x.start < y.end && y.start < x.end
    }

    /// Checks everything that a result promises.
    fn check(a: &str, b: &str, passages: &[AlignedPassage]) {
        for (at, passage) in passages.iter().enumerate() {
            let (here, there) = (a.get(passage.a.clone()), b.get(passage.b.clone()));
            let (here, there) = (here.expect("a range of the first text"), there.expect("a range of the second text"));
            assert!(!here.is_empty() && !there.is_empty());
            assert!(passage.score.is_finite());
            if passage.kind == PassageKind::Verbatim {
                assert_eq!(words(here), words(there));
            }
            for other in &passages[at + 1..] {
                assert!(!(overlaps(&passage.a, &other.a) && overlaps(&passage.b, &other.b)), "{passage:?} {other:?}");
            }
        }
    }

    /// Texts made of few sentences, so that pairs have much in common, in random order and with random words between.
    fn related() -> impl Strategy<Value = String> {
        let sentence = (0..8usize).prop_map(|n| {
            let words: Vec<String> =
                (0..12).map(|k| format!("{}{}", ["Apple", "nut", "Öl", "tree"][(n + k) % 4], n * 7 + k % 9)).collect();
            format!("{}. ", words.join(" "))
        });
        let noise = "([a-z]{1,5} ){1,12}";
        prop::collection::vec(prop_oneof![sentence, noise], 0..30).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn related_texts_keep_the_promises(a in related(), b in related()) {
            for options in [AlignOptions::default(), eager()] {
                check(&a, &b, &align(&PassageText::new(&a, Some("de")), &PassageText::new(&b, Some("de")), &options));
            }
        }

        #[test]
        fn any_text_is_safe(a in "\\PC{0,300}", b in "\\PC{0,300}") {
            let passages = align(&PassageText::new(&a, None), &PassageText::new(&b, None), &eager());
            for passage in &passages {
                prop_assert!(a.get(passage.a.clone()).is_some() && b.get(passage.b.clone()).is_some());
            }
            let _ = align(&PassageText::new(&a, None), &PassageText::new(&a, None), &eager());
        }

        #[test]
        fn the_order_of_the_texts_hardly_matters(a in related(), b in related()) {
            let (x, y) = (PassageText::new(&a, None), PassageText::new(&b, None));
            let verbatim = |passages: Vec<AlignedPassage>| passages.iter().filter(|p| p.kind == PassageKind::Verbatim).count();
            let mut options = AlignOptions::default();
            options.summaries = false;
            options.min_score = f32::INFINITY;
            prop_assert_eq!(verbatim(align(&x, &y, &options)), verbatim(align(&y, &x, &options)));
        }
    }
}

/// Passages in other scripts and languages, with and without a stemmer.
mod languages {
    use refrain::compare::{AlignOptions, AlignedPassage, PassageKind, PassageText, align};

    /// Aligns `shared` between two different surroundings and checks that it is found on both sides, give or take `slack` bytes
    /// at each end.
    fn check(shared: [&str; 2], a: [&str; 2], b: [&str; 2], language: Option<&str>, slack: usize) -> AlignedPassage {
        let first = format!("{}{}{}", a[0], shared[0], a[1]);
        let second = format!("{}{}{}", b[0], shared[1], b[1]);
        let passages =
            align(&PassageText::new(&first, language), &PassageText::new(&second, language), &AlignOptions::default());
        assert_eq!(passages.len(), 1, "{passages:?}");
        let expected = [a[0].len()..a[0].len() + shared[0].len(), b[0].len()..b[0].len() + shared[1].len()];
        for (found, expected) in [&passages[0].a, &passages[0].b].into_iter().zip(expected) {
            let near = |x: usize, y: usize| x.abs_diff(y) <= slack;
            assert!(
                near(found.start, expected.start) && near(found.end, expected.end),
                "{found:?} is not {expected:?}"
            );
        }
        passages[0].clone()
    }

    #[test]
    fn chinese_without_spaces() {
        let shared = "春天的早晨，村子里的孩子们沿着小河走向学校，河边的柳树刚刚长出新叶，远处的山上还留着一点积雪。老师站在门口等着他们，手里拿着一本旧书。";
        let a = ["昨天公司宣布第三季度利润上升，股票价格随之上涨。分析师认为市场前景良好。", "明年的计划还没有公布。"];
        let b = ["科学家发现了一种新的细菌，可以分解塑料。这项研究发表在本周的杂志上。", "实验室将继续进行测试。"];
        let passage = check([shared, shared], a, b, None, 6);
        assert_eq!(passage.kind, PassageKind::Verbatim);
    }

    #[test]
    fn chinese_with_words_changed() {
        let first = "春天的早晨，村子里的孩子们沿着小河走向学校，河边的柳树刚刚长出新叶，远处的山上还留着一点积雪。老师站在门口等着他们，手里拿着一本旧书。";
        let second = "春天的清晨，村庄里的孩子们沿着小河走到学校，河边的柳树刚长出了新叶，远处的山上仍留着一些积雪。老师在门口等着他们，手里拿着一本老书。";
        let a = ["昨天公司宣布第三季度利润上升，股票价格随之上涨。分析师认为市场前景良好。", "明年的计划还没有公布。"];
        let b = ["科学家发现了一种新的细菌，可以分解塑料。这项研究发表在本周的杂志上。", "实验室将继续进行测试。"];
        let passage = check([first, second], a, b, None, 12);
        assert_eq!(passage.kind, PassageKind::Edited);
    }

    #[test]
    fn russian_with_and_without_a_stemmer() {
        let first = "Старый рыбак каждое утро выходил в море на маленькой лодке и возвращался только к вечеру. Соседи удивлялись его \
            упорству, потому что рыбы становилось всё меньше, а погода портилась с каждым днём. Жена ждала его на берегу с фонарём. ";
        let second = "Каждое утро старые рыбаки выходили в море на маленьких лодках и возвращались только к вечеру. Соседи удивлялись \
            их упорству, потому что рыбы становилось меньше, а погода портилась с каждым днём. Жена ждала его у берега с фонарём. ";
        let a = [
            "Вчера в столице открылась выставка современной живописи. Билеты продаются в кассах музея. ",
            "Следующая выставка намечена на осень. Организаторы обещают сюрпризы.",
        ];
        let b = [
            "Учёные исследовали состав почвы в долине реки. Результаты опубликованы в журнале. ",
            "Работа продолжится в будущем году. Средства выделит министерство.",
        ];
        for language in [Some("ru"), None] {
            let passage = check([first, second], a, b, language, 2);
            assert_eq!(passage.kind, PassageKind::Edited);
        }
    }
}

/// Programs, whose signs are words.
mod code {
    use refrain::compare::{AlignOptions, AlignedPassage, PassageKind, PassageText, WordRule, align};

    const SUM: &str = "int sum(const int *values, size_t count) {\n    int total = 0;\n    for (size_t i = 0; i < count; i++) {\n        \
        total += values[i] * weight(i);\n    }\n    return total;\n}\n";
    const SORT: &str = "void sort(int *a, int n) {\n    for (int gap = n / 2; gap > 0; gap /= 2) {\n        for (int i = gap; i < n; i++) \
        {\n            int held = a[i], j = i;\n            while (j >= gap && a[j - gap] > held) { a[j] = a[j - gap]; j -= gap; }\n            \
        a[j] = held;\n        }\n    }\n}\n";
    const PRINT: &str = "static void show(FILE *out, struct lamp *lamps) {\n    while (lamps != NULL) {\n        fprintf(out, \"%s: %d\\n\", \
        lamps->name, lamps->hours);\n        lamps = lamps->next;\n    }\n    fflush(out);\n}\n";

    fn passages(a: &str, b: &str) -> Vec<AlignedPassage> {
        align(&PassageText::code(a), &PassageText::code(b), &AlignOptions::of(WordRule::Code))
    }

    /// The parts of the first text that were found in the second.
    fn found<'a>(a: &'a str, b: &str) -> Vec<&'a str> {
        passages(a, b).into_iter().map(|passage| &a[passage.a]).collect()
    }

    #[test]
    fn a_copy_is_found_from_its_first_sign_to_its_last() {
        let (a, b) = (format!("{PRINT}\n{SORT}"), format!("{SORT}\n{SUM}"));
        assert_eq!(found(&a, &b), [SORT.trim_end()]);
        assert_eq!(found(SUM, SORT), [""; 0]);
    }

    #[test]
    fn functions_that_were_moved_are_found_each() {
        let (a, b) = (format!("{SUM}\n{SORT}\n{PRINT}"), format!("{SORT}\n{PRINT}\n{SUM}"));
        let found = found(&a, &b);
        let all = found.concat();
        for line in a.lines().filter(|line| line.len() > 2) {
            assert!(all.contains(line.trim()), "{line}: {found:?}");
        }
        assert!(found.len() >= 2, "{found:?}");
    }

    #[test]
    fn white_space_makes_no_difference() {
        let one_line = SORT.split_whitespace().collect::<Vec<_>>().join(" ");
        let spread = SORT.replace(' ', "  ").replace('{', "\n{\n").replace(';', " ;\n\n");
        for other in [one_line, spread] {
            let passages = passages(SORT, &format!("{other}\n{PRINT}"));
            assert_eq!(passages.len(), 1, "{passages:?}");
            assert_eq!((passages[0].kind, &SORT[passages[0].a.clone()]), (PassageKind::Verbatim, SORT.trim_end()));
        }
    }

    #[test]
    fn other_comments_do_not_hide_a_copy() {
        let commented = SORT
            .replace("{\n        for", "{ // halves the distance each time\n        for")
            .replace("a[j] = held;", "/* here it belongs */ a[j] = held;");
        let found = found(SORT, &format!("{PRINT}{commented}{SUM}"));
        let covered: usize = found.iter().map(|part| part.len()).sum();
        assert!(covered * 10 > SORT.len() * 8, "{found:?}");
    }

    #[test]
    fn other_signs_are_no_copy() {
        let other: String = SORT
            .chars()
            .map(|sign| match sign {
                '[' => '<',
                ']' => '>',
                '(' => '{',
                ')' => '}',
                ';' => ',',
                '=' => '~',
                '-' => '@',
                other => other,
            })
            .collect();
        assert!(passages(SORT, &other).iter().all(|passage| passage.kind != PassageKind::Verbatim));
    }
}

/// Inputs that would be slow or large for a careless aligner.
mod limits {
    use std::fmt::Write;

    use refrain::compare::{AlignOptions, AlignedPassage, PassageKind, PassageText, align};

    /// A small generator of random numbers, so that the inputs are the same everywhere.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % limit as u64) as usize
        }

        /// A word whose rank follows Zipf's law roughly.
        fn word(&mut self) -> String {
            let limit = 1 << (1 + self.below(15));
            format!("w{}", self.below(limit))
        }

        fn prose(&mut self, words: usize) -> String {
            let mut text = String::new();
            for n in 0..words {
                let end = if n % 17 == 16 { ". " } else { " " };
                let _ = write!(text, "{}{end}", self.word());
            }
            text
        }
    }

    /// Aligns two texts. That this ends in time is what the tests here are for.
    fn aligned(a: &str, b: &str) -> Vec<AlignedPassage> {
        align(&PassageText::new(a, None), &PassageText::new(b, None), &AlignOptions::default())
    }

    #[test]
    fn unrelated_long_texts() {
        let (a, b) = (Random(1).prose(100_000), Random(2).prose(100_000));
        assert!(aligned(&a, &b).is_empty());
    }

    #[test]
    fn identical_long_texts() {
        let text = Random(3).prose(100_000);
        let passages = aligned(&text, &text);
        assert_eq!(passages.len(), 1);
        assert_eq!(passages[0].kind, PassageKind::Verbatim);
        assert_eq!(passages[0].a, 0..text.trim_end().len());
    }

    #[test]
    fn one_long_text_edited_throughout() {
        let mut random = Random(4);
        let text = random.prose(100_000);
        let edited: Vec<String> =
            text.split(' ').map(|word| if random.below(5) == 0 { random.word() } else { word.to_string() }).collect();
        let passages = aligned(&text, &edited.join(" "));
        let covered: usize = passages.iter().map(|passage| passage.a.len()).sum();
        assert!(covered * 5 > text.len() * 4, "{covered} of {} bytes found", text.len());
    }

    #[test]
    fn one_word_repeated() {
        let text = "word ".repeat(1_000_000);
        assert_eq!(aligned(&text, &text).len(), 1);
    }

    #[test]
    fn one_sentence_repeated() {
        let sentence = "The quick brown fox jumps over the lazy dog while the sun sets behind the old barn. ";
        let (a, b) = (sentence.repeat(20_000), format!("{} {}", sentence.repeat(9_000), Random(5).prose(10_000)));
        aligned(&a, &b);
    }

    #[test]
    fn few_sentences_in_random_order() {
        let mut random = Random(6);
        let sentences: Vec<String> = (0..300).map(|_| random.prose(17)).collect();
        let mut shuffled = || (0..6_000).map(|_| sentences[random.below(300)].as_str()).collect::<String>();
        let (a, b) = (shuffled(), shuffled());
        aligned(&a, &b);
    }

    #[test]
    fn two_hundred_planted_passages() {
        let mut random = Random(7);
        let mut a = String::new();
        let mut b = String::new();
        for _ in 0..200 {
            a += &random.prose(500);
            b += &random.prose(500);
            let passage = random.prose(60);
            a += &passage;
            b += &passage;
        }
        assert_eq!(aligned(&a, &b).len(), 200);
    }
}
