-- CreateTable
CREATE TABLE "marker" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "target_id" UUID,
    "title" TEXT NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "url" TEXT,
    "created_by" TEXT NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "marker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_rule" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "kind" TEXT NOT NULL,
    "metric" TEXT,
    "params" JSONB NOT NULL,
    "target_ids" UUID[],
    "regions" TEXT[],
    "carriers" TEXT[],
    "min_cells" INTEGER NOT NULL DEFAULT 1,
    "severity" TEXT NOT NULL,
    "reminder_minutes" INTEGER,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "incident" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "group_key" TEXT NOT NULL,
    "groups" TEXT[],
    "status" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "rule_id" UUID,
    "metric" TEXT,
    "target_id" UUID,
    "carrier" TEXT,
    "region" TEXT,
    "cause" TEXT,
    "candidates" JSONB NOT NULL DEFAULT '[]',
    "cells" JSONB NOT NULL DEFAULT '[]',
    "evidence" JSONB NOT NULL DEFAULT '{}',
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "onset_at" TIMESTAMPTZ(3) NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by" TEXT,
    "resolved_at" TIMESTAMPTZ(3),
    "reopened" INTEGER NOT NULL DEFAULT 0,
    "effect_ms" DOUBLE PRECISION,
    "effect_ratio" DOUBLE PRECISION,
    "quiet" BOOLEAN NOT NULL DEFAULT false,
    "heard" TEXT,
    "told_at" TIMESTAMPTZ(3),
    "silenced" BOOLEAN NOT NULL DEFAULT false,
    "flapping" BOOLEAN NOT NULL DEFAULT false,
    "demo" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "incident_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "incident_event" (
    "id" UUID NOT NULL,
    "incident_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "params" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "incident_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "detection" (
    "id" UUID NOT NULL,
    "incident_id" UUID,
    "group_key" TEXT NOT NULL,
    "target_id" UUID NOT NULL,
    "vantage_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "metric" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "change_at" TIMESTAMPTZ(3) NOT NULL,
    "before_ms" DOUBLE PRECISION,
    "after_ms" DOUBLE PRECISION,
    "cause" TEXT NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "detection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "silence" (
    "id" UUID NOT NULL,
    "target_ids" UUID[],
    "regions" TEXT[],
    "carriers" TEXT[],
    "kinds" TEXT[],
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "cron" TEXT,
    "duration_minutes" INTEGER,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "comment" TEXT NOT NULL DEFAULT '',
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "silence_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "detector_tick" (
    "seq" BIGINT NOT NULL,
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    "lines" JSONB NOT NULL,
    "samples" BYTEA NOT NULL,
    "count" INTEGER NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "detector_tick_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "detector_checkpoint" (
    "seq" BIGINT NOT NULL,
    "part" INTEGER NOT NULL,
    "parts" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    "state" BYTEA NOT NULL,
    "late" BIGINT NOT NULL DEFAULT 0,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "detector_checkpoint_pkey" PRIMARY KEY ("seq","part")
);

-- CreateIndex
CREATE INDEX "marker_at_id_idx" ON "marker"("at", "id");

-- CreateIndex
CREATE INDEX "incident_opened_at_id_idx" ON "incident"("opened_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "incident_status_rule_id_idx" ON "incident"("status", "rule_id");

-- CreateIndex
CREATE INDEX "incident_event_incident_id_at_idx" ON "incident_event"("incident_id", "at");

-- CreateIndex
CREATE INDEX "detection_incident_id_idx" ON "detection"("incident_id");

-- CreateIndex
CREATE INDEX "detection_group_key_idx" ON "detection"("group_key");

-- CreateIndex
CREATE INDEX "detection_target_id_change_at_idx" ON "detection"("target_id", "change_at");

-- CreateIndex
CREATE UNIQUE INDEX "detection_target_id_vantage_id_kind_metric_at_key" ON "detection"("target_id", "vantage_id", "kind", "metric", "at");

-- A fresh installation watches by itself: one rule of each kind that needs no number to be chosen.
INSERT INTO "alert_rule" ("id", "name", "kind", "metric", "params", "target_ids", "regions", "carriers", "min_cells", "severity", "updated_at")
VALUES
  ('01940000-0000-7000-8000-000000000001', 'Spikes, regressions and improvements', 'detector', NULL,
    '{"kinds": ["spike", "regression", "improvement"]}', '{}', '{}', '{}', 1, 'warning', now()),
  ('01940000-0000-7000-8000-000000000002', 'Target down', 'down', NULL,
    '{"windowMinutes": 5, "share": 0.5}', '{}', '{}', '{}', 2, 'critical', now()),
  ('01940000-0000-7000-8000-000000000003', 'Certificate expires', 'certificate', NULL,
    '{"days": 14}', '{}', '{}', '{}', 1, 'warning', now()),
  ('01940000-0000-7000-8000-000000000004', 'OCSP staple unhealthy', 'staple', NULL,
    '{"hitRatio": 0.5, "windowMinutes": 60, "minHandshakes": 20}', '{}', '{}', '{}', 1, 'warning', now()),
  ('01940000-0000-7000-8000-000000000005', 'Vantage silent', 'silent', NULL,
    '{"periods": 5}', '{}', '{}', '{}', 1, 'warning', now());
