-- Whether a detection was for a page when it was found: rules are replayed by it. What is older counts as one.
-- AlterTable
ALTER TABLE "detection" ADD COLUMN     "page" BOOLEAN NOT NULL DEFAULT true;
