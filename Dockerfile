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

FROM packages AS built
COPY . .
RUN node_modules/node/bin/node cli/roundtrip.mjs build

FROM packages AS server-packages
COPY docker/keep-packages.mjs docker/
RUN node docker/keep-packages.mjs @prisma/adapter-pg @prisma/client @prisma/driver-adapter-utils \
      asn1js commander croner ipaddr.js koffi nodemailer \
      pg pg-copy-streams pino pkijs rate-limiter-flexible tar-stream use-intl uuid zod \
    && rm -r node_modules/bare-* \
    && find node_modules/@prisma/client/runtime -type f \
      \( -name '*sqlserver*' -o -name '*cockroachdb*' -o -name '*mysql*' -o -name '*sqlite*' \) -delete \
    && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM packages AS prober-built
COPY . .
RUN node_modules/node/bin/node cli/bundle-main.ts --prober

# All but this one is in the bundles: it loads a library of its own.
FROM packages AS prober-packages
COPY docker/keep-packages.mjs docker/
RUN node docker/keep-packages.mjs koffi \
    && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM debian:trixie-slim AS runtime
COPY --from=packages /app/node_modules/node/bin/node /usr/local/bin/node
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin roundtrip \
    && install -d -o roundtrip -g roundtrip -m 0700 /data
WORKDIR /app
ENV NODE_ENV=production ROUNDTRIP_DATA=/data

FROM runtime AS prober
COPY --from=prober-packages /app/node_modules node_modules
COPY package.json ./
COPY --from=prober-built /app/.next-bundles-prober .next-bundles-prober
VOLUME /data
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --start-interval=2s --retries=3 \
  CMD ["node", ".next-bundles-prober/prober-health.mjs"]
ENTRYPOINT ["node", ".next-bundles-prober/prober.mjs"]

FROM runtime AS server
COPY --from=server-packages /app/node_modules node_modules
COPY package.json package-lock.json ./
COPY cli cli
COPY analysis analysis
COPY contract contract
COPY demo demo
COPY i18n i18n
COPY probe probe
COPY server server
COPY workers workers
COPY prisma prisma
COPY --from=built /app/prisma/generated prisma/generated
COPY --from=built /app/.next/standalone .next/standalone
COPY --from=built /app/.next-bundles .next-bundles
COPY docker/jobs-health.ts docker/web-health.ts docker/
ENV HOST=0.0.0.0 PORT=3000
EXPOSE 3000
USER 10001:10001
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --start-interval=1s --retries=3 \
  CMD ["node", "docker/web-health.ts"]
ENTRYPOINT ["node", "cli/roundtrip.mjs"]
CMD ["web"]
