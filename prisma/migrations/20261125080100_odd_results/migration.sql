-- Blocks of results that are out of the ordinary, which stay longer than the others. A result that was sealed before is in none.
-- AlterTable
ALTER TABLE "result_block" ADD COLUMN "odd" BOOLEAN NOT NULL DEFAULT false;
