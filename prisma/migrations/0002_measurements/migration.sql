-- One-off probes of a URL from many vantages (server/measurements). Deleted when they expire, a week later.
CREATE TABLE "measurement" (
    "id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "settings" JSONB NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_by" TEXT NOT NULL,
    "limit_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "cancelled_at" TIMESTAMPTZ(3),
    "idempotency_key" TEXT,
    "body_hash" TEXT,

    CONSTRAINT "measurement_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "measurement_limit_by_idempotency_key_key" ON "measurement"("limit_by", "idempotency_key");
CREATE INDEX "measurement_ends_at_idx" ON "measurement"("ends_at");
CREATE INDEX "measurement_expires_at_idx" ON "measurement"("expires_at");

CREATE TABLE "measurement_vantage" (
    "measurement_id" UUID NOT NULL,
    "vantage_id" UUID NOT NULL,
    "away" BOOLEAN NOT NULL DEFAULT false,
    "taken_at" TIMESTAMPTZ(3),
    "answered_at" TIMESTAMPTZ(3),
    "ok" BOOLEAN,
    "result" JSONB,

    CONSTRAINT "measurement_vantage_pkey" PRIMARY KEY ("measurement_id", "vantage_id"),
    CONSTRAINT "measurement_vantage_measurement_id_fkey"
        FOREIGN KEY ("measurement_id") REFERENCES "measurement"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
