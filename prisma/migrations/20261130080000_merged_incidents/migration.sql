-- An incident that became part of another one, and one that sends no message before an instant. Columns without a default: instant.
-- AlterTable
ALTER TABLE "incident" ADD COLUMN     "held_until" TIMESTAMPTZ(3),
ADD COLUMN     "merged_into" UUID;
