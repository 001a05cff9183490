-- Rollups with all vantages of a bucket in one row (analysis/cells.ts), a row a metric: a vantage is a number there.
ALTER TABLE "vantage" ADD COLUMN "number" SERIAL NOT NULL;
CREATE UNIQUE INDEX "vantage_number_key" ON "vantage"("number");

-- A whole number below 2^21 as LEB128.
CREATE FUNCTION pg_temp.varint(value bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN value < 128 THEN set_byte('\x00', 0, value::int)
    WHEN value < 16384 THEN set_byte(set_byte('\x0000', 0, (value & 127)::int | 128), 1, (value >> 7)::int)
    ELSE set_byte(set_byte(set_byte('\x000000', 0, (value & 127)::int | 128), 1, ((value >> 7) & 127)::int | 128), 2, (value >> 14)::int)
  END
$$;

CREATE TEMPORARY TABLE packed AS
  SELECT target_id, 0 AS metric, bucket,
    string_agg(
      pg_temp.varint(number * 2) || CASE
        WHEN ok = total AND unclean = 0 THEN pg_temp.varint(total::bigint * 2 + 1)
        ELSE pg_temp.varint(total::bigint * 2) || pg_temp.varint(ok) || pg_temp.varint(failed_target)
          || pg_temp.varint(failed_resolver) || pg_temp.varint(failed_prober) || pg_temp.varint(unclean)
      END, ''::bytea ORDER BY number) AS cells,
    sum(total)::int AS total, sum(ok)::int AS ok, sum(failed_prober)::int AS failed_prober, sum(unclean)::int AS unclean
  FROM "rollup_minute" JOIN vantage ON vantage.id = vantage_id GROUP BY target_id, bucket
  UNION ALL
  -- A column may hold several histograms, laid end to end.
  SELECT target_id, metric, bucket,
    string_agg(pg_temp.varint(number * 2 + 1) || pg_temp.varint(length(histograms)) || histograms, ''::bytea ORDER BY number),
    NULL, NULL, NULL, NULL
  FROM "rollup_minute" JOIN vantage ON vantage.id = vantage_id CROSS JOIN LATERAL (VALUES
      (1, dns),
      (2, tcp),
      (3, tls),
      (4, first_byte),
      (5, download),
      (6, total_time),
      (7, round_trips)) AS of_metric (metric, histograms)
  WHERE histograms IS NOT NULL GROUP BY target_id, metric, bucket;

DROP TABLE "rollup_minute";

-- CreateTable
CREATE TABLE "rollup_minute" (
    "target_id" UUID NOT NULL,
    "metric" SMALLINT NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "cells" BYTEA NOT NULL,
    "total" INTEGER,
    "ok" INTEGER,
    "failed_prober" INTEGER,
    "unclean" INTEGER,
    "whole" BYTEA,

    CONSTRAINT "rollup_minute_pkey" PRIMARY KEY ("target_id","metric","bucket")
) PARTITION BY RANGE ("bucket");

SELECT ensure_partition('rollup_minute', lower_bound, lower_bound + interval '1 day')
  FROM (SELECT DISTINCT date_trunc('day', bucket AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS lower_bound FROM packed) AS partition;
INSERT INTO "rollup_minute" ("target_id", "metric", "bucket", "cells", "total", "ok", "failed_prober", "unclean")
  SELECT * FROM packed;
DROP TABLE packed;

CREATE TEMPORARY TABLE packed AS
  SELECT target_id, 0 AS metric, bucket,
    string_agg(
      pg_temp.varint(number * 2) || CASE
        WHEN ok = total AND unclean = 0 THEN pg_temp.varint(total::bigint * 2 + 1)
        ELSE pg_temp.varint(total::bigint * 2) || pg_temp.varint(ok) || pg_temp.varint(failed_target)
          || pg_temp.varint(failed_resolver) || pg_temp.varint(failed_prober) || pg_temp.varint(unclean)
      END, ''::bytea ORDER BY number) AS cells,
    sum(total)::int AS total, sum(ok)::int AS ok, sum(failed_prober)::int AS failed_prober, sum(unclean)::int AS unclean
  FROM "rollup_ten" JOIN vantage ON vantage.id = vantage_id GROUP BY target_id, bucket
  UNION ALL
  -- A column may hold several histograms, laid end to end.
  SELECT target_id, metric, bucket,
    string_agg(pg_temp.varint(number * 2 + 1) || pg_temp.varint(length(histograms)) || histograms, ''::bytea ORDER BY number),
    NULL, NULL, NULL, NULL
  FROM "rollup_ten" JOIN vantage ON vantage.id = vantage_id CROSS JOIN LATERAL (VALUES
      (1, dns),
      (2, tcp),
      (3, tls),
      (4, first_byte),
      (5, download),
      (6, total_time),
      (7, round_trips)) AS of_metric (metric, histograms)
  WHERE histograms IS NOT NULL GROUP BY target_id, metric, bucket;

DROP TABLE "rollup_ten";

-- CreateTable
CREATE TABLE "rollup_ten" (
    "target_id" UUID NOT NULL,
    "metric" SMALLINT NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "cells" BYTEA NOT NULL,
    "total" INTEGER,
    "ok" INTEGER,
    "failed_prober" INTEGER,
    "unclean" INTEGER,
    "whole" BYTEA,

    CONSTRAINT "rollup_ten_pkey" PRIMARY KEY ("target_id","metric","bucket")
) PARTITION BY RANGE ("bucket");

SELECT ensure_partition('rollup_ten', lower_bound, lower_bound + interval '1 month')
  FROM (SELECT DISTINCT date_trunc('month', bucket AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS lower_bound FROM packed) AS partition;
INSERT INTO "rollup_ten" ("target_id", "metric", "bucket", "cells", "total", "ok", "failed_prober", "unclean")
  SELECT * FROM packed;
DROP TABLE packed;

CREATE TEMPORARY TABLE packed AS
  SELECT target_id, 0 AS metric, bucket,
    string_agg(
      pg_temp.varint(number * 2) || CASE
        WHEN ok = total AND unclean = 0 THEN pg_temp.varint(total::bigint * 2 + 1)
        ELSE pg_temp.varint(total::bigint * 2) || pg_temp.varint(ok) || pg_temp.varint(failed_target)
          || pg_temp.varint(failed_resolver) || pg_temp.varint(failed_prober) || pg_temp.varint(unclean)
      END, ''::bytea ORDER BY number) AS cells,
    sum(total)::int AS total, sum(ok)::int AS ok, sum(failed_prober)::int AS failed_prober, sum(unclean)::int AS unclean
  FROM "rollup_hour" JOIN vantage ON vantage.id = vantage_id GROUP BY target_id, bucket
  UNION ALL
  -- A column may hold several histograms, laid end to end.
  SELECT target_id, metric, bucket,
    string_agg(pg_temp.varint(number * 2 + 1) || pg_temp.varint(length(histograms)) || histograms, ''::bytea ORDER BY number),
    NULL, NULL, NULL, NULL
  FROM "rollup_hour" JOIN vantage ON vantage.id = vantage_id CROSS JOIN LATERAL (VALUES
      (1, dns),
      (2, tcp),
      (3, tls),
      (4, first_byte),
      (5, download),
      (6, total_time),
      (7, round_trips)) AS of_metric (metric, histograms)
  WHERE histograms IS NOT NULL GROUP BY target_id, metric, bucket;

DROP TABLE "rollup_hour";

-- CreateTable
CREATE TABLE "rollup_hour" (
    "target_id" UUID NOT NULL,
    "metric" SMALLINT NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "cells" BYTEA NOT NULL,
    "total" INTEGER,
    "ok" INTEGER,
    "failed_prober" INTEGER,
    "unclean" INTEGER,
    "whole" BYTEA,

    CONSTRAINT "rollup_hour_pkey" PRIMARY KEY ("target_id","metric","bucket")
) PARTITION BY RANGE ("bucket");

SELECT ensure_partition('rollup_hour', lower_bound, lower_bound + interval '1 month')
  FROM (SELECT DISTINCT date_trunc('month', bucket AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS lower_bound FROM packed) AS partition;
INSERT INTO "rollup_hour" ("target_id", "metric", "bucket", "cells", "total", "ok", "failed_prober", "unclean")
  SELECT * FROM packed;
DROP TABLE packed;

-- CreateTable
CREATE TABLE "rollup_day" (
    "target_id" UUID NOT NULL,
    "metric" SMALLINT NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "cells" BYTEA NOT NULL,
    "total" INTEGER,
    "ok" INTEGER,
    "failed_prober" INTEGER,
    "unclean" INTEGER,
    "whole" BYTEA,

    CONSTRAINT "rollup_day_pkey" PRIMARY KEY ("target_id","metric","bucket")
) PARTITION BY RANGE ("bucket");

-- CreateTable
CREATE TABLE "rollup_log" (
    "minute" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "target_ids" UUID[],

    CONSTRAINT "rollup_log_pkey" PRIMARY KEY ("minute","id")
);

-- CreateTable
CREATE TABLE "rollup_progress" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "open_from" INTEGER NOT NULL,

    CONSTRAINT "rollup_progress_pkey" PRIMARY KEY ("id")
);
-- What came before is marked.
INSERT INTO "rollup_progress" ("open_from") VALUES (floor(extract(epoch FROM now()) / 60)::int);

-- CreateIndex
CREATE INDEX "rollup_dirty_step_bucket_target_id_idx" ON "rollup_dirty"("step", "bucket", "target_id");

-- The days of what is there are computed by the jobs.
INSERT INTO "rollup_dirty" ("target_id", "step", "bucket")
  SELECT DISTINCT target_id, 86400, date_trunc('day', bucket AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' FROM "rollup_hour";
