-- Results that were taken over from other monitors belong to vantages of their own, without a prober: nothing judges them.
ALTER TABLE "vantage" ADD COLUMN "imported" BOOLEAN NOT NULL DEFAULT false;
-- The first and the last instant of the results that were taken over for a target.
ALTER TABLE "target" ADD COLUMN "imported_from" TIMESTAMPTZ(3), ADD COLUMN "imported_until" TIMESTAMPTZ(3);
