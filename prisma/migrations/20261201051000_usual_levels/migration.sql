-- The best lasting levels of a target's series, by hour class.
-- CreateTable
CREATE TABLE "target_usual" (
    "target_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "levels" JSONB NOT NULL,
    "overall" JSONB NOT NULL,

    CONSTRAINT "target_usual_pkey" PRIMARY KEY ("target_id")
);
