-- Failed results are few and looked for by themselves. The vantage stands in the index, so that it is judged there and not
-- row by row in the table. Every partition gets one; writing waits while a partition's is built, a second for a few million
-- results.
-- CreateIndex
CREATE INDEX "result_failed_idx" ON "result"("target_id", "started_at", "id", "vantage_id") WHERE NOT "ok";
