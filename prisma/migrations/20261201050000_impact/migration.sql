-- What an incident means to the users: their share, and by how much each of them waits longer. Columns without a default: instant.
-- AlterTable
ALTER TABLE "incident" ADD COLUMN     "excess_ms" DOUBLE PRECISION,
ADD COLUMN     "user_share" DOUBLE PRECISION;
