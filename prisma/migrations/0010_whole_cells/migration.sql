-- A cell of an incident has all of its fields, null where there is nothing: what was stored before may lack some.
UPDATE "incident" SET "cells" = (
  SELECT jsonb_agg('{"vantageId": null, "region": null, "carrier": null, "metric": null, "beforeMs": null, "afterMs": null, "peakMs": null, "resumedBefore": null, "resumedAfter": null, "quietSince": null, "recoveredAt": null}'::jsonb || cell ORDER BY place)
  FROM jsonb_array_elements("cells") WITH ORDINALITY AS each (cell, place)
) WHERE jsonb_array_length("cells") > 0;
-- The demo's past was stored in one transaction: where the setting is, all of it is there.
UPDATE "setting" SET "value" = "value" || '{"stored": true}' WHERE "key" = 'demo_past';
