-- How grave the last message said that an incident is, and when it came back last. Columns without a default: instant.
-- AlterTable
ALTER TABLE "incident" ADD COLUMN     "reopened_at" TIMESTAMPTZ(3),
ADD COLUMN     "told_severity" TEXT;

-- What is open and was told of was told as it is now; what came back did so at the last such event of its timeline.
UPDATE "incident" SET "told_severity" = "severity" WHERE "status" <> 'resolved' AND "heard" IS NOT NULL;
UPDATE "incident" SET "reopened_at" = (
  SELECT max("at") FROM "incident_event" e WHERE e."incident_id" = "incident"."id" AND e."kind" = 'reopened')
WHERE "status" <> 'resolved' AND "reopened" > 0;
