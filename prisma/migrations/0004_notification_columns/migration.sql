-- What was last sent of an incident, in the words of the code that sends it.
ALTER TABLE "incident" RENAME COLUMN "quiet" TO "backfilled";
ALTER TABLE "incident" RENAME COLUMN "heard" TO "last_event";
ALTER TABLE "incident" RENAME COLUMN "told_at" TO "notified_at";
ALTER TABLE "incident" RENAME COLUMN "told_cause" TO "notified_cause";
ALTER TABLE "incident" RENAME COLUMN "told_series" TO "notified_series";
ALTER TABLE "incident" RENAME COLUMN "told_severity" TO "notified_severity";
