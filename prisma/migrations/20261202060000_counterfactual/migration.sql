-- What the times of an incident would be without it. Instant: without a default.
-- AlterTable
ALTER TABLE "incident" ADD COLUMN     "counterfactual" JSONB;
