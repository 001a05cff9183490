-- What the results of an incident say about its cause. Instant: without a default.
ALTER TABLE "incident" ADD COLUMN "explanation" JSONB;
