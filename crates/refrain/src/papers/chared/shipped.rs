//! Models of the published method that come with the library.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::CharedModel;

/// The shipped models, language by language: a line with the code and the length in bytes, then the model as it is saved.
/// `make languages` builds them; see CONTRIBUTING.md.
static SHIPPED: &[u8] = include_bytes!("../../../data/chared.models");

/// The shipped model of the published method for a language.
///
/// ```
/// let czech = refrain::decode::chared_model("cs").expect("a model");
/// assert!(czech.best(b"P\xf8\xedli\x9a \x9elu\x9dou\xe8k\xfd k\xf9\xf2").contains(&"windows-1250"));
/// ```
pub fn chared_model(language: &str) -> Option<&'static CharedModel> {
    static MODELS: OnceLock<BTreeMap<String, Shipped>> = OnceLock::new();
    let models = MODELS.get_or_init(|| {
        let bytes = zstd::stream::decode_all(SHIPPED).unwrap_or_default();
        split(&bytes)
            .into_iter()
            .map(|(code, model)| (code, Shipped { saved: model.to_vec(), model: OnceLock::new() }))
            .collect()
    });
    let Shipped { saved, model } = models.get(language)?;
    model.get_or_init(|| CharedModel::load(saved).ok()).as_ref()
}

/// A model that is read when it is first asked for.
struct Shipped {
    saved: Vec<u8>,
    model: OnceLock<Option<CharedModel>>,
}

/// The models by their languages.
fn split(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
    let mut models = Vec::new();
    while let Some(end) = memchr::memchr(b'\n', bytes) {
        let line = String::from_utf8_lossy(&bytes[..end]);
        let Some((code, length)) = line.split_once(' ') else { break };
        let Some(model) = length.parse().ok().and_then(|length: usize| bytes.get(end + 1..end + 1 + length)) else {
            break;
        };
        models.push((code.to_owned(), model));
        bytes = &bytes[end + 1 + model.len()..];
    }
    models
}

/// Packs models as they are shipped.
pub fn pack(models: &[(String, CharedModel)]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for (code, model) in models {
        let mut saved = Vec::new();
        model.save(&mut saved)?;
        bytes.extend(format!("{code} {}\n", saved.len()).into_bytes());
        bytes.extend(saved);
    }
    zstd::stream::encode_all(&bytes[..], 19)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::languages_with_encodings;

    #[test]
    fn thirty_five_languages_have_a_model() {
        let bytes = zstd::stream::decode_all(SHIPPED).expect("packed");
        let models = split(&bytes);
        assert!(models.len() >= 35, "{}", models.len());
        for (code, model) in models {
            let model = CharedModel::load(model).unwrap_or_else(|error| panic!("{code}: {error}"));
            assert!(model.encodings().count() >= 2, "{code}");
        }
        assert!(languages_with_encodings().iter().filter(|code| chared_model(code).is_some()).count() >= 35);
    }
}
