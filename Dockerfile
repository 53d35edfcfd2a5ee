# refrain in a small image without a shell, run by a user who is not root:
#   docker build --tag refrain .
#   docker run --rm --volume "$PWD:/data" --user "$(id -u):$(id -g)" refrain corpus crawl.warc.gz -o corpus/

FROM rust:1.95-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package refrain-cli

FROM gcr.io/distroless/cc-debian12:nonroot
LABEL org.opencontainers.image.source="https://github.com/refrain-text/refrain"
LABEL org.opencontainers.image.description="Finds repeated text in large document collections, removes it or shows where it is, and records why."
LABEL org.opencontainers.image.licenses="Apache-2.0 OR MIT"
COPY --from=build /source/target/release/refrain /usr/local/bin/refrain
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/refrain/
USER nonroot:nonroot
WORKDIR /data
ENTRYPOINT ["/usr/local/bin/refrain"]
CMD ["--help"]
