# One image for each service: docker build --build-arg SERVICE=gateway -t family-inbox/gateway:0.3.0 .
# Node.js is the version that scripts/package.json pins, and its image is pinned by the digest of all its platforms:
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim     prints the digest of today's, with newer system packages, and
#   docker build --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:…     builds on exactly that.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553

FROM ${NODE_IMAGE} AS tree
ARG SERVICE
WORKDIR /checkout
COPY . .
RUN node scripts/lay-out.mjs "${SERVICE:?is not set: add --build-arg SERVICE=gateway}" /tree \
  && node scripts/lay-out-system.mjs /system \
  && node deploy/src/sbom.ts /tree /system >/sbom.cdx.json

# The same with a shell, for what runs commands of yours: docker build --target with-shell --build-arg SERVICE=all -t family-inbox/backup:0.3.0 .
FROM ${NODE_IMAGE} AS with-shell
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576
COPY --from=tree /tree /app
WORKDIR /app
USER 10001:10001

# Node.js and its libraries: no shell, no npm, no package manager. `kubectl debug` brings a shell when you need one.
FROM scratch
ARG SERVICE
# The others are for glibc, which would keep memory for threads, and what large mails needed.
ENV PATH=/usr/local/bin NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576
COPY --from=tree /system /
COPY --from=tree /tree /app
COPY --from=tree --chmod=644 /sbom.cdx.json /app/
WORKDIR /app/services/${SERVICE}
USER 10001:10001
CMD ["node", "src/main.ts"]
