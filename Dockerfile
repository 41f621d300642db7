# The service without its private PostgreSQL: it takes a database URL, as in docker-compose.yml. PostgreSQL's client
# programs are for backups.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4-openssl-dev libdata-password-zxcvbn-perl libgd-dev libicu-dev libpq-dev libqrencode-dev libsodium-dev libssl-dev libyaml-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
RUN swift package resolve
COPY SQL ./SQL
COPY Sources ./Sources
COPY Tests ./Tests
# The package manager looks for the folders of all targets, also of those that are not built.
COPY Benchmarks/micro ./Benchmarks/micro
RUN swift build -c release --product afterword --static-swift-stdlib -Xlinker -s \
    && mkdir /out \
    && bin="$(swift build -c release --product afterword --static-swift-stdlib -Xlinker -s --show-bin-path)" \
    && cp "$bin/afterword" /out/ \
    && find "$bin" -maxdepth 1 -name '*.resources' -exec cp -R {} /out/ \;

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl fonts-dejavu-core fonts-droid-fallback fonts-nanum fonts-symbola \
        libcurl4 libgd3 libicu72 libjs-chart.js libpq5 libqrencode4 librsvg2-bin libsodium23 libssl3 libyaml-0-2 \
        postgresql-client tzdata zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --home-dir /var/lib/afterword --create-home afterword
COPY --from=build /out/ /usr/local/lib/afterword/
# The list of common passwords, without the Perl modules of its package.
COPY --from=build /usr/share/perl5/Data/Password/zxcvbn/RankedDictionaries/Common.pm /usr/share/perl5/Data/Password/zxcvbn/RankedDictionaries/
RUN ln -s /usr/local/lib/afterword/afterword /usr/local/bin/afterword
USER afterword
WORKDIR /var/lib/afterword
VOLUME /var/lib/afterword
EXPOSE 8080
# In the environment, so that other commands in the container use the same. Probes have a port of their own, within the
# container: under load the other one answers them late.
ENV AFTERWORD_HOST=0.0.0.0 AFTERWORD_HEALTH_PORT=8081 AFTERWORD_DATA=/var/lib/afterword
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["curl", "--fail", "--silent", "--output", "/dev/null", "http://127.0.0.1:8081/readyz"]
ENTRYPOINT ["/usr/local/lib/afterword/afterword"]
CMD ["serve"]
