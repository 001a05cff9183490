-- Results of days that are over, as columns (server/blocks). Results that are rows now are sealed by the jobs process, day by day.
-- CreateTable
CREATE TABLE "result_block" (
    "target_id" UUID NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "first_id" UUID NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,
    "variants" INTEGER NOT NULL,
    "vantages" INTEGER[],
    "id_from" BIGINT NOT NULL,
    "id_to" BIGINT NOT NULL,
    "codec" SMALLINT NOT NULL,
    "ids" BYTEA NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "result_block_pkey" PRIMARY KEY ("target_id","first_at","first_id")
) PARTITION BY RANGE ("first_at");

-- CreateIndex
CREATE INDEX "result_block_last_at_idx" ON "result_block"("last_at");

-- An id has its time in it: this finds the few blocks that may hold it. Prisma does not see an index on an expression.
CREATE INDEX "result_block_id_idx" ON "result_block" USING gist (int8range("id_from", "id_to", '[]'));

-- Compressed already, or random.
ALTER TABLE "result_block" ALTER COLUMN "ids" SET STORAGE EXTERNAL, ALTER COLUMN "data" SET STORAGE EXTERNAL;
