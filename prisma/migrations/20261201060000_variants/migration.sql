-- Detections of resumed handshakes beside those of full ones, and when a vantage's prober was busy. Nullable columns and one with a
-- constant default: instant. The index is made anew: a row a detection, some hundred thousand at most.
-- AlterTable
ALTER TABLE "detection" ADD COLUMN     "variant" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "vantage" ADD COLUMN     "busy_since" TIMESTAMPTZ(3),
ADD COLUMN     "busy_until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "detection_target_id_vantage_id_variant_kind_metric_at_key" ON "detection"("target_id", "vantage_id", "variant", "kind", "metric", "at");

-- DropIndex
DROP INDEX "detection_target_id_vantage_id_kind_metric_at_key";
