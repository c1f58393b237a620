# What the server needs at run time, and nothing else: no compiler, no test tools, no command line of Prisma.
FROM node:24-slim AS install
WORKDIR /app
COPY package.json package-lock.json ./
# Scripts only prepare what the embedded database would make at its first start.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-slim
# It listens beyond the container, so it starts once AUTH_MODE or AUTH_ALLOW_ANONYMOUS says who may call (docs/security.md).
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=install /app/node_modules node_modules
# The database's folder, and where compiled code is kept for the next start.
RUN mkdir -p /data node_modules/.cache && chown node:node /data node_modules/.cache
COPY package.json ./
COPY prisma/migrations prisma/migrations
COPY config config
COPY src src
USER node
VOLUME /data
EXPOSE 8080
# The server finishes what it can at SIGTERM; give it the seconds (docker stop --time, stop_grace_period).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]
