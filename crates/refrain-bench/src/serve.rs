//! A server of the files of a folder on loopback, with ranges and lists as in S3, as fast as a benchmark needs it. It checks no
//! credentials, and serves no one else.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;

/// Serves the folders below one as buckets, until the process ends. Prints the address first.
pub(crate) fn serve(folder: &Path) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    print(&format!("http://{}", listener.local_addr()?));
    let folder: Arc<Path> = folder.into();
    for connection in listener.incoming().flatten() {
        let folder = folder.clone();
        // A client that goes away ends its connection.
        std::thread::spawn(move || drop(answer_all(&connection, &folder)));
    }
    Ok(())
}

fn answer_all(connection: &TcpStream, folder: &Path) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut requests = BufReader::new(connection);
    loop {
        let (mut line, mut range) = (String::new(), None);
        if requests.read_line(&mut line)? == 0 {
            return Ok(());
        }
        loop {
            let mut header = String::new();
            if requests.read_line(&mut header)? <= 2 {
                break;
            }
            if let Some(("range", value)) = header.to_ascii_lowercase().trim_end().split_once(": ") {
                range = value.strip_prefix("bytes=").map(str::to_owned);
            }
        }
        let mut words = line.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path: PathBuf = Path::new(path).components().filter(|part| matches!(part, Component::Normal(_))).collect();
        match query.contains("list-type=2") {
            true => list(connection, &folder.join(path), query)?,
            false => send(connection, &folder.join(path), method == "HEAD", range.as_deref())?,
        }
    }
}

fn send(mut connection: &TcpStream, path: &Path, head_only: bool, range: Option<&str>) -> std::io::Result<()> {
    let Ok(mut file) = File::open(path) else {
        return connection.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    };
    let size = file.metadata()?.len();
    let bounds = range.and_then(|range| range.split_once('-'));
    let first: u64 = bounds.and_then(|(first, _)| first.parse().ok()).unwrap_or(0);
    let last: u64 = bounds.and_then(|(_, last)| last.parse().ok()).unwrap_or(u64::MAX).min(size.saturating_sub(1));
    let length = (last + 1).saturating_sub(first).min(size);
    let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
    let mut head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nETag: \"{size}\"\r\nLast-Modified: {MODIFIED}\r\n\
         Accept-Ranges: bytes\r\n"
    );
    if range.is_some() {
        let _ = write!(head, "Content-Range: bytes {first}-{last}/{size}\r\n");
    }
    connection.write_all((head + "\r\n").as_bytes())?;
    if head_only {
        return Ok(());
    }
    file.seek(SeekFrom::Start(first))?;
    std::io::copy(&mut file.take(length), &mut connection).map(drop)
}

/// The date of all files.
const MODIFIED: &str = "Mon, 01 Jan 2024 00:00:00 GMT";

fn list(mut connection: &TcpStream, bucket: &Path, query: &str) -> std::io::Result<()> {
    let prefix = query.split('&').find_map(|part| part.strip_prefix("prefix=")).unwrap_or_default().replace("%2F", "/");
    let mut listed = String::from("<ListBucketResult><IsTruncated>false</IsTruncated>");
    for file in fs::read_dir(bucket.join(&prefix))?.flatten() {
        let (name, size) = (file.file_name(), file.metadata()?.len());
        let name = name.to_string_lossy();
        let _ = write!(
            listed,
            "<Contents><Key>{prefix}{name}</Key><Size>{size}</Size><ETag>\"{size}\"</ETag>\
             <LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>"
        );
    }
    listed.push_str("</ListBucketResult>");
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nContent-Type: application/xml\r\n\r\n", listed.len());
    connection.write_all((head + &listed).as_bytes())
}

#[allow(clippy::print_stdout)] // the result of this command
fn print(address: &str) {
    println!("{address}");
}
