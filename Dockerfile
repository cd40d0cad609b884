# docker build -t exportd:0.1.0 .
#
# The first stage has the compilers, with the packages that deploy/local/packages.sh lists; the last
# one what runs, and nothing to build or download with.
ARG BUILD_BASE=debian:bookworm
ARG RUN_BASE=debian:bookworm-slim

FROM ${BUILD_BASE} AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /src
COPY deploy/local/packages.sh deploy/local/packages.sh
RUN . deploy/local/packages.sh; \
    mapfile -t boost < <(boost_packages | tr ' ' '\n'); \
    apt_get update; \
    apt_get install --no-install-recommends "${build_packages[@]}" "${boost[@]}"; \
    rm -rf /var/lib/apt/lists/*
COPY CMakeLists.txt CMakePresets.json ./
COPY include include
COPY sql/schema sql/schema
COPY src src
# The names of functions stay: the watchdog's stacks need them.
RUN cmake --preset release -DBUILD_TESTING=OFF; \
    cmake --build --preset release --target exportd; \
    strip --strip-debug build/release/exportd

FROM ${RUN_BASE}
LABEL org.opencontainers.image.title="exportd" \
      org.opencontainers.image.description="Streams PostgreSQL queries as formatted CSV over HTTP" \
      org.opencontainers.image.version="0.1.0"
RUN apt-get update && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates \
      fontconfig \
      fonts-dejavu-core \
      fonts-droid-fallback \
      fonts-lato \
      libboost-json1.81.0 \
      libboost-url1.81.0 \
      libcairo2 \
      libcurl4 \
      libfmt9 \
      libglib2.0-0 \
      libicu72 \
      libpango-1.0-0 \
      libpangocairo-1.0-0 \
      libpq5 \
      libpqxx-6.4 \
      libprometheus-cpp-core1.0 \
      libpugixml1v5 \
      librhonabwy1.1 \
      libspdlog1.10 \
      libssl3 \
      tzdata && \
    rm -rf /var/lib/apt/lists/*
# The list of the fonts, for reports: nobody can write it once the root is read-only. It holds the
# folders' times to the nanosecond, of which an image keeps whole seconds only.
RUN find /usr/share/fonts /usr/local/share/fonts -type d -exec touch -d 2025-01-01T00:00:00Z {} + && \
    fc-cache --system-only --force && \
    install -d -m 700 -o 10001 -g 10001 /var/lib/exportd/files
COPY --from=build /src/build/release/exportd /usr/local/bin/exportd
COPY config /etc/exportd/config
COPY sql/exports /etc/exportd/sql/exports
ENV EXPORTD_CONFIG=/etc/exportd/config/exportd.toml
USER 10001:10001
EXPOSE 8080 9090
# Files of background exports, unless jobs.store is "s3"; writable where the root is not.
VOLUME /var/lib/exportd/files
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=6 \
    CMD ["/usr/local/bin/exportd", "probe"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/exportd"]
CMD ["serve"]
