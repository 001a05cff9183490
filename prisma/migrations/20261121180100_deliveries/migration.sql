-- CreateTable
CREATE TABLE "webhook" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "url" TEXT,
    "secrets" TEXT NOT NULL,
    "language" TEXT NOT NULL,
    "events" TEXT[],
    "rule_ids" UUID[],
    "severities" TEXT[],
    "settings" JSONB NOT NULL,
    "template" TEXT,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "slow_until" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lease_id" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "incident_id" UUID,
    "event_type" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "sequence" BIGSERIAL NOT NULL,
    "group_id" UUID,
    "attempt_id" UUID,
    "first_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempt" (
    "id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" INTEGER,
    "duration_ms" DOUBLE PRECISION,
    "request_headers" JSONB,
    "request_body" TEXT,
    "response_headers" JSONB,
    "response_body" TEXT,
    "error" TEXT,

    CONSTRAINT "delivery_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "delivery_webhook_id_status_sequence_idx" ON "delivery"("webhook_id", "status", "sequence");

-- CreateIndex
CREATE INDEX "delivery_status_next_at_idx" ON "delivery"("status", "next_at");

-- CreateIndex
CREATE INDEX "delivery_webhook_id_first_attempt_at_idx" ON "delivery"("webhook_id", "first_attempt_at");

-- CreateIndex
CREATE INDEX "delivery_incident_id_idx" ON "delivery"("incident_id");

-- CreateIndex
CREATE INDEX "delivery_group_id_idx" ON "delivery"("group_id");

-- CreateIndex
CREATE INDEX "delivery_created_at_idx" ON "delivery"("created_at");

-- CreateIndex
CREATE INDEX "delivery_attempt_delivery_id_at_idx" ON "delivery_attempt"("delivery_id", "at");

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempt" ADD CONSTRAINT "delivery_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;
