-- A row of the log lies with the results that it tells of, on a cluster too (server/database/distribution.ts). Web processes of
-- the version before go on writing rows without a target meanwhile: they lie with nobody's, and are read like the others.
ALTER TABLE "rollup_log" ADD COLUMN "target_id" UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
ALTER TABLE "rollup_log" DROP CONSTRAINT "rollup_log_pkey", ADD CONSTRAINT "rollup_log_pkey" PRIMARY KEY ("minute", "target_id", "id");
