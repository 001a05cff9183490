-- What a target was before its last changes, for results that were measured then and come later.
-- AlterTable
ALTER TABLE "target" ADD COLUMN     "former" JSONB NOT NULL DEFAULT '[]';
