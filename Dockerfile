# Two images from one file:
#   docker build --target server -t roundtrip-server .   dashboard and API (default), jobs, migrate, setup, enrol, key
#   docker build --target prober -t roundtrip-prober .   the worker at a vantage: no database code, no web
# Both run the Node of package-lock.json, not the base image's: what measures TLS must not vary with the base.
# A package registry nearer to you: --build-arg npm_config_registry=https://...

FROM node:24-trixie-slim AS packages
WORKDIR /app
ARG npm_config_registry
COPY .npmrc package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci

FROM packages AS program
COPY . .
RUN node_modules/node/bin/node cli/roundtrip.mjs build --no-web

FROM program AS built
RUN node_modules/node/bin/node cli/roundtrip.mjs build

FROM debian:trixie-slim AS runtime
COPY --from=packages /app/node_modules/node/bin/node /usr/local/bin/node
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin roundtrip \
    && install -d -o roundtrip -g roundtrip -m 0700 /data
WORKDIR /app
# All packages but this one are in the bundles: it loads a library of its own.
COPY --from=packages /app/node_modules/koffi node_modules/koffi
COPY --from=packages /app/node_modules/@koromix node_modules/@koromix
ENV NODE_ENV=production ROUNDTRIP_DATA=/data

FROM runtime AS prober
COPY --from=program /app/dist/prober dist/prober
VOLUME /data
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --start-interval=2s --retries=3 \
  CMD ["node", "dist/prober/health.mjs"]
ENTRYPOINT ["node", "dist/prober/main.mjs"]

FROM runtime AS server
COPY cli/roundtrip.mjs cli/node24.mjs cli/dist.mjs cli/
COPY prisma/migrations prisma/migrations
COPY --from=built /app/dist dist
ENV HOST=0.0.0.0 PORT=3000
EXPOSE 3000
USER 10001:10001
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --start-interval=1s --retries=3 \
  CMD ["node", "dist/web-health.mjs"]
ENTRYPOINT ["node", "cli/roundtrip.mjs"]
CMD ["web"]
