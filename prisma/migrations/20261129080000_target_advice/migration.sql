-- What advice said of each target lately, for lists and metrics: made anew by the jobs.
CREATE TABLE "target_advice" (
  "target_id" UUID NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "results" INTEGER NOT NULL,
  "waste" JSONB,
  "codes" JSONB NOT NULL,
  CONSTRAINT "target_advice_pkey" PRIMARY KEY ("target_id")
);
