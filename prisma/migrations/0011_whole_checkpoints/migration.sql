-- A checkpoint of the detector is whole. The newest of before, which may be a difference, becomes a state of version 0, {"version":0},
-- which no program reads: the past is gone through again without notifications, as after any update that changes the state.
DELETE FROM "detector_checkpoint" WHERE "part" > 0 OR "seq" < (SELECT max("seq") FROM "detector_checkpoint");
UPDATE "detector_checkpoint" SET "state" = '\x28b52ffd2015a90000110000000d0000007b2276657273696f6e223a307d';
ALTER TABLE "detector_checkpoint" DROP COLUMN "parts", DROP COLUMN "late";
