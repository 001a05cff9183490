-- A column without a default, and columns with a constant one: instant, whatever the size of the tables.
-- AlterTable
ALTER TABLE "prober_report" ADD COLUMN     "quarantine_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "quarantined" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "rejected" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "result" ADD COLUMN     "clock_offset_ms" DOUBLE PRECISION;
