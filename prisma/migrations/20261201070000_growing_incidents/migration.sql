-- Messages that wait until an incident stops growing, what the last one said, and up to when a prober has delivered; the thread of a message at its receiver. Columns without a default: instant.
-- AlterTable
ALTER TABLE "incident" ADD COLUMN     "changed_at" TIMESTAMPTZ(3),
ADD COLUMN     "told_cause" TEXT,
ADD COLUMN     "told_series" INTEGER,
ADD COLUMN     "waiting_since" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "delivery" ADD COLUMN     "thread" TEXT;

-- AlterTable
ALTER TABLE "prober" ADD COLUMN     "delivered_until" TIMESTAMPTZ(3);

-- What is open and was told of was told as it is now.
UPDATE "incident" SET "told_cause" = "cause", "told_series" = (
  SELECT count(DISTINCT (cell->>'targetId', cell->>'vantageId')) FROM jsonb_array_elements("cells") cell)
WHERE "status" <> 'resolved' AND "heard" IS NOT NULL;
