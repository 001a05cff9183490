-- What the detector has left behind when it began with the present, and how far the second one is that goes through it.
-- CreateTable
CREATE TABLE "detector_history" (
    "id" INTEGER NOT NULL,
    "from" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "until" INTEGER NOT NULL,

    CONSTRAINT "detector_history_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "detector_history_raised" (
    "to" INTEGER NOT NULL,
    "raised" JSONB NOT NULL,

    CONSTRAINT "detector_history_raised_pkey" PRIMARY KEY ("to")
);

-- CreateTable
CREATE TABLE "detector_history_checkpoint" (
    "seq" BIGINT NOT NULL,
    "part" INTEGER NOT NULL,
    "parts" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    "state" BYTEA NOT NULL,
    "late" BIGINT NOT NULL DEFAULT 0,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "detector_history_checkpoint_pkey" PRIMARY KEY ("seq","part")
);
