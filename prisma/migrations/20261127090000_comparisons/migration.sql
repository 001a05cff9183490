-- CreateTable
CREATE TABLE "comparison" (
    "id" UUID NOT NULL,
    "target_id" UUID NOT NULL,
    "marker_id" UUID,
    "incident_id" UUID,
    "title" TEXT NOT NULL,
    "before_from" TIMESTAMPTZ(3) NOT NULL,
    "before_to" TIMESTAMPTZ(3) NOT NULL,
    "after_from" TIMESTAMPTZ(3) NOT NULL,
    "after_to" TIMESTAMPTZ(3) NOT NULL,
    "milestone" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "claimed_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "computed_at" TIMESTAMPTZ(3),
    "outcome" JSONB,
    "share_hash" BYTEA,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "demo" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "comparison_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "comparison_share_hash_key" ON "comparison"("share_hash");

-- CreateIndex
CREATE INDEX "comparison_target_id_id_idx" ON "comparison"("target_id", "id");

-- CreateIndex
CREATE INDEX "comparison_marker_id_idx" ON "comparison"("marker_id");

-- CreateIndex
CREATE INDEX "comparison_computed_at_due_at_idx" ON "comparison"("computed_at", "due_at");
