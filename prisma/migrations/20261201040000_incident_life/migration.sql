-- Regressions that stand, who ended an incident, incidents that were split, and what was called not useful. Columns without a
-- default: instant.
-- AlterTable
ALTER TABLE "incident" ADD COLUMN     "resolved_by" TEXT,
ADD COLUMN     "split_from" UUID,
ADD COLUMN     "standing_since" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "lowered_sensitivity" (
    "id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "group_key" TEXT NOT NULL,
    "incident_id" UUID NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lowered_sensitivity_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "lowered_sensitivity_rule_id_kind_group_key_key" ON "lowered_sensitivity"("rule_id", "kind", "group_key");
