-- How an incident ended. Incidents that had ended before say why in the last end of their timeline; a regression whose
-- timeline says nothing was over after a week because of its age. A spike whose level had become usual either lasted for
-- 8 hours, or was the beginning of a lasting change.
ALTER TABLE "incident" ADD COLUMN "resolution" TEXT;

UPDATE "incident" i SET "resolution" = CASE
    WHEN e.reason IN ('quiet', 'healthy') THEN 'recovered'
    WHEN e.reason IN ('rolled_back', 'by_hand') THEN e.reason
    WHEN e.reason = 'new_level' AND i."kind" = 'spike' AND i."resolved_at" - i."onset_at" < interval '8 hours' THEN 'superseded'
    WHEN e.reason = 'new_level' THEN 'accepted'
    WHEN e.reason IS NULL AND i."kind" = 'regression' AND i."resolved_at" - i."onset_at" > interval '7 days' THEN 'accepted'
    ELSE 'unwatched' END
  FROM "incident" o
  LEFT JOIN LATERAL (
    SELECT "params" ->> 'reason' AS reason FROM "incident_event"
    WHERE "incident_id" = o."id" AND "kind" = 'resolved' ORDER BY "at" DESC, "id" DESC LIMIT 1) e ON true
  WHERE o."id" = i."id" AND i."status" = 'resolved' AND i."kind" <> 'improvement';

UPDATE "incident_event" e SET
    "kind" = CASE i."resolution" WHEN 'superseded' THEN e."kind" ELSE 'accepted' END,
    "params" = CASE i."resolution" WHEN 'superseded' THEN e."params" || '{"reason": "lasting_change"}' ELSE e."params" END
  FROM "incident" i
  WHERE i."id" = e."incident_id" AND e."kind" = 'resolved' AND e."params" ->> 'reason' = 'new_level';

-- Whoever is to hear that a regression is over hears of this end too.
UPDATE "webhook" SET "events" = array_append("events", 'tls.regression.accepted')
  WHERE 'tls.regression.resolved' = ANY ("events") AND NOT 'tls.regression.accepted' = ANY ("events");
