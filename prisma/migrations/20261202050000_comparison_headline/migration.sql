-- A comparison's few figures beside its whole outcome, so that a list reads no outcome. Null for what was computed before: it is
-- taken from the outcome when it is first listed.
-- AlterTable
ALTER TABLE "comparison" ADD COLUMN     "headline" JSONB;

-- CreateIndex
CREATE INDEX "comparison_incident_id_idx" ON "comparison"("incident_id");
