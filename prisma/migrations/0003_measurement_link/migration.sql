-- The hash of the token of a measurement's public link (server/access/share-links.ts).
ALTER TABLE "measurement" ADD COLUMN "share_hash" BYTEA;
CREATE UNIQUE INDEX "measurement_share_hash_key" ON "measurement"("share_hash");
