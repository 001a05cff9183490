-- Since when a thing is kept as code: a document that was applied names it (server/configuration/managed.ts). Null: it is not.
ALTER TABLE "target" ADD COLUMN "managed_at" TIMESTAMPTZ(3);
ALTER TABLE "alert_rule" ADD COLUMN "managed_at" TIMESTAMPTZ(3);
ALTER TABLE "webhook" ADD COLUMN "managed_at" TIMESTAMPTZ(3);
ALTER TABLE "silence" ADD COLUMN "managed_at" TIMESTAMPTZ(3);
