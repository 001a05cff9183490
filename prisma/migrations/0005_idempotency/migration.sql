-- What requests with an `Idempotency-Key` were answered (server/http/idempotency.ts). Measurements had such keys of their own.
DROP INDEX "measurement_limit_by_idempotency_key_key";
ALTER TABLE "measurement" DROP COLUMN "idempotency_key", DROP COLUMN "body_hash";
CREATE TABLE "idempotency" (
    "owner" BYTEA NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "answer" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_pkey" PRIMARY KEY ("owner", "key")
);
CREATE INDEX "idempotency_created_at_idx" ON "idempotency"("created_at");
