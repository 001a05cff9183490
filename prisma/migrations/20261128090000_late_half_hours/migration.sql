-- Which half hours (of 1,800 s since 1970) of which targets got results after the detector had consumed them. Written by whoever stores
-- them, taken away by the detector with the tick that has them. `target_id` is the first of `target_ids`: a cluster distributes by it.
CREATE TABLE "detector_late" (
    "id" BIGSERIAL NOT NULL,
    "target_id" UUID NOT NULL,
    "target_ids" UUID[],
    "slot" INTEGER NOT NULL,

    CONSTRAINT "detector_late_pkey" PRIMARY KEY ("id", "target_id")
);

-- Null in ticks of samples; else half hours that are put anew.
ALTER TABLE "detector_tick" ADD COLUMN "late" BYTEA;

ALTER TABLE "detector_status" ADD COLUMN "late_half_hours" BIGINT NOT NULL DEFAULT 0;
