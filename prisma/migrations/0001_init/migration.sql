-- The whole schema, grouped by noun. What each column means is said in prisma/schema.prisma; here is what that language cannot say:
-- partitions, functions, expression indexes, storage. Tables of the hot path (results, rollups) have no foreign keys and no triggers.

-- --- Targets, vantages, probers ------------------------------------------------------------------------------------

CREATE TABLE "target" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "period_seconds" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "vantages" JSONB NOT NULL,
    "settings" JSONB NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "former" JSONB NOT NULL DEFAULT '[]',
    -- Sealed (server/access/sealing.ts); NULL: the settings hold no secrets.
    "secrets" TEXT,
    "tags" TEXT[] NOT NULL DEFAULT '{}',

    CONSTRAINT "target_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "target_deleted_at_created_at_id_idx" ON "target"("deleted_at", "created_at", "id");

-- One process with one credential; it may serve several vantages.
CREATE TABLE "prober" (
    "id" UUID NOT NULL,
    "credential_hash" BYTEA NOT NULL,
    "engine_version" INTEGER NOT NULL,
    "host" TEXT,
    "clock_skew_ms" DOUBLE PRECISION,
    "last_seen_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_until" TIMESTAMPTZ(3),

    CONSTRAINT "prober_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "prober_credential_hash_key" ON "prober"("credential_hash");

CREATE TABLE "vantage" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "country" TEXT NOT NULL,
    "region" TEXT NOT NULL,
    "city" TEXT,
    "carrier" TEXT NOT NULL,
    "asn" BIGINT,
    "access" TEXT NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "prober_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),
    "number" SERIAL NOT NULL,
    "busy_since" TIMESTAMPTZ(3),
    "busy_until" TIMESTAMPTZ(3),
    "may_hold_secrets" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "vantage_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "vantage_prober_id_fkey" FOREIGN KEY ("prober_id") REFERENCES "prober"("id") ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "vantage_number_key" ON "vantage"("number");
CREATE INDEX "vantage_prober_id_idx" ON "vantage"("prober_id");

-- One-time tokens; rows with one token hash enrol one prober for several vantages at once.
CREATE TABLE "enrolment" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "vantage_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "enrolment_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "enrolment_vantage_id_fkey" FOREIGN KEY ("vantage_id") REFERENCES "vantage"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "enrolment_token_hash_idx" ON "enrolment"("token_hash");
CREATE INDEX "enrolment_vantage_id_idx" ON "enrolment"("vantage_id");

-- Target x vantage. A removed check keeps its row until every prober has seen it.
CREATE TABLE "check" (
    "id" UUID NOT NULL,
    "target_id" UUID NOT NULL,
    "vantage_id" UUID NOT NULL,
    "revision" BIGINT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "check_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "check_target_id_fkey" FOREIGN KEY ("target_id") REFERENCES "target"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "check_vantage_id_fkey" FOREIGN KEY ("vantage_id") REFERENCES "vantage"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "check_target_id_vantage_id_key" ON "check"("target_id", "vantage_id");
CREATE INDEX "check_vantage_id_revision_idx" ON "check"("vantage_id", "revision");

-- Every change of a check takes the next number: a prober asks for what is above the last that it saw.
CREATE SEQUENCE "check_revision" AS bigint;

-- What a prober reported of a stretch of its work.
CREATE TABLE "prober_report" (
    "prober_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "checks" INTEGER NOT NULL,
    "threads" SMALLINT NOT NULL,
    "started" BIGINT NOT NULL,
    "missed" BIGINT NOT NULL,
    "retaken" BIGINT NOT NULL,
    "unclean" BIGINT NOT NULL,
    "dropped" BIGINT NOT NULL,
    "quarantine_bytes" BIGINT NOT NULL DEFAULT 0,
    "quarantined" BIGINT NOT NULL DEFAULT 0,
    "rejected" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "prober_report_pkey" PRIMARY KEY ("prober_id","since"),
    CONSTRAINT "prober_report_prober_id_fkey" FOREIGN KEY ("prober_id") REFERENCES "prober"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "prober_report_prober_id_received_at_idx" ON "prober_report"("prober_id", "received_at");

-- --- Access --------------------------------------------------------------------------------------------------------

CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "api_key_key_hash_key" ON "api_key"("key_hash");

CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");
CREATE UNIQUE INDEX "session_token_hash_key" ON "session"("token_hash");

CREATE TABLE "password_guess" (
    "bucket" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "blocked_until" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_guess_pkey" PRIMARY KEY ("bucket")
);
CREATE INDEX "password_guess_last_at_idx" ON "password_guess"("last_at");

-- Counts of the running minute: after a crash they begin at 0. The columns are those that rate-limiter-flexible requires.
CREATE UNLOGGED TABLE "request_count" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "request_count_pkey" PRIMARY KEY ("key")
);

-- --- The installation ----------------------------------------------------------------------------------------------

CREATE TABLE "setting" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("key")
);

CREATE TABLE "heartbeat" (
    "name" TEXT NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "heartbeat_pkey" PRIMARY KEY ("name")
);

-- --- Partitions ----------------------------------------------------------------------------------------------------

-- Makes the partition of `parent` that contains [lower_bound, upper_bound) unless it exists, and returns whether it did. Attaching a
-- finished table takes a weaker lock on the parent than CREATE TABLE ... PARTITION OF: ingest goes on.
CREATE FUNCTION ensure_partition(parent text, lower_bound timestamptz, upper_bound timestamptz) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  child text := parent || '_p' || to_char(lower_bound AT TIME ZONE 'UTC', 'YYYYMMDD');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_partition'), hashtext(parent));
  -- A query, not to_regclass: that answers from a cache which does not see what another session has just made.
  IF EXISTS (
    SELECT FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = parent::regclass AND relname = child
  ) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, child, lower_bound, upper_bound);
  RETURN true;
END
$$;

-- --- Results -------------------------------------------------------------------------------------------------------

-- Strings that repeat over results, once each; results contain their ids.
CREATE TABLE "dictionary" (
    "id" SERIAL NOT NULL,
    "hash" BYTEA NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "dictionary_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "dictionary_hash_key" ON "dictionary"("hash");

CREATE TABLE "certificate" (
    "id" SERIAL NOT NULL,
    "sha256" BYTEA NOT NULL,
    "subject" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "not_before" TIMESTAMPTZ(3),
    "not_after" TIMESTAMPTZ(3),
    "key_type" TEXT NOT NULL,
    "key_bits" INTEGER,
    "names" TEXT[],
    "must_staple" BOOLEAN NOT NULL,
    "ocsp_url" TEXT,

    CONSTRAINT "certificate_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "certificate_sha256_key" ON "certificate"("sha256");

-- Partitioned by day.
CREATE TABLE "result" (
    "target_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "id" UUID NOT NULL,
    "vantage_id" UUID NOT NULL,
    "url_id" INTEGER NOT NULL,
    "engine_version" SMALLINT NOT NULL,
    "demo" BOOLEAN NOT NULL,
    "ok" BOOLEAN NOT NULL,
    "clean" BOOLEAN NOT NULL,
    "loop_delay_us" INTEGER NOT NULL,
    "in_flight" INTEGER NOT NULL,
    "failure_phase_id" INTEGER,
    "failure_reason_id" INTEGER,
    "failure_source_id" INTEGER,
    "dns_us" INTEGER,
    "tcp_us" INTEGER,
    "tls_us" INTEGER,
    "first_byte_us" INTEGER,
    "download_us" INTEGER,
    "total_us" INTEGER,
    "namelookup_us" INTEGER,
    "connect_us" INTEGER,
    "appconnect_us" INTEGER,
    "pretransfer_us" INTEGER,
    "starttransfer_us" INTEGER,
    "end_us" INTEGER,
    "peer_address_id" INTEGER,
    "peer_port" INTEGER,
    "local_address_id" INTEGER,
    "local_port" INTEGER,
    "family" SMALLINT,
    "resolver_id" INTEGER,
    "min_rtt_us" INTEGER,
    "retransmits" INTEGER,
    "snd_cwnd" INTEGER,
    "tls_version_id" INTEGER,
    "cipher_id" INTEGER,
    "group_id" INTEGER,
    "alpn_id" INTEGER,
    "resumed" BOOLEAN,
    "hello_retry" BOOLEAN,
    "round_trips" SMALLINT,
    "expected_round_trips" SMALLINT,
    "rtt_ratio" DOUBLE PRECISION,
    "wire_us" INTEGER,
    "local_us" INTEGER,
    "flights" INTEGER,
    "handshake_records" INTEGER,
    "bytes_in" INTEGER,
    "bytes_out" INTEGER,
    "certificate_id" INTEGER,
    "chain_length" INTEGER,
    "chain_bytes" INTEGER,
    "verified" BOOLEAN,
    "staple_status_id" INTEGER,
    "staple_produced_at" TIMESTAMPTZ(3),
    "staple_this_update" TIMESTAMPTZ(3),
    "staple_next_update" TIMESTAMPTZ(3),
    "staple_bytes" INTEGER,
    "http_version_id" INTEGER,
    "http_status" SMALLINT,
    "http_bytes" INTEGER,
    "http_first_record_bytes" INTEGER,
    "http_max_record_bytes" INTEGER,
    "http_records" INTEGER,
    "http_server_id" INTEGER,
    "variant" SMALLINT,
    "main_id" UUID,
    "given" SMALLINT,
    "late_us" INTEGER,
    "stamped_by" SMALLINT,
    "rtt_us" INTEGER,
    "syn_retransmits" INTEGER,
    "segments_in" INTEGER,
    "segments_out" INTEGER,
    "out_of_order" INTEGER,
    "signature_id" INTEGER,
    "sent_chain_id" INTEGER,
    "hellos_id" INTEGER,
    "session_offer_id" INTEGER,
    "round_trip_counts_id" INTEGER,
    "first_packet_us" INTEGER,
    "first_usable_us" INTEGER,
    "clock_offset_ms" DOUBLE PRECISION,
    "certificate_compression_id" INTEGER,
    "false_start" BOOLEAN,
    "first_body_mark_us" INTEGER,
    "first_body_packet_us" INTEGER,
    "first_body_us" INTEGER,
    "flight_bytes" INTEGER,
    "http_alt_svc_id" INTEGER,
    "http_encoding_id" INTEGER,
    "http_first_body_record_bytes" INTEGER,
    "http_keep_alive" BOOLEAN,
    "http_work_us" INTEGER,
    "key_exchange_id" INTEGER,
    "mss" INTEGER,
    "tls_work_us" INTEGER,
    "window_bytes" INTEGER,
    "window_exact" BOOLEAN,
    "window_segments" INTEGER,
    -- The connect that succeeded, where others had failed before it: tcp_us holds all of them.
    "attempt_us" INTEGER,

    CONSTRAINT "result_pkey" PRIMARY KEY ("target_id","started_at","id")
) PARTITION BY RANGE ("started_at");
-- Failed results are few and searched for by themselves. The vantage is in the index, so that it is filtered there and not row by
-- row in the table. Prisma does not see a partial index.
CREATE INDEX "result_failed_idx" ON "result"("target_id", "started_at", "id", "vantage_id") WHERE NOT "ok";
CREATE INDEX "result_id_idx" ON "result"("id");

-- What only the page of one result shows. Partitioned by day.
CREATE TABLE "result_evidence" (
    "target_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "id" UUID NOT NULL,
    "evidence" JSONB NOT NULL,

    CONSTRAINT "result_evidence_pkey" PRIMARY KEY ("target_id","started_at","id")
) PARTITION BY RANGE ("started_at");

-- Results of days that are over, as columns (server/blocks). Partitioned by day.
CREATE TABLE "result_block" (
    "target_id" UUID NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "first_id" UUID NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,
    "variants" INTEGER NOT NULL,
    "vantages" INTEGER[],
    "id_from" BIGINT NOT NULL,
    "id_to" BIGINT NOT NULL,
    "codec" SMALLINT NOT NULL,
    "ids" BYTEA NOT NULL,
    "data" BYTEA NOT NULL,
    "odd" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "result_block_pkey" PRIMARY KEY ("target_id","first_at","first_id")
) PARTITION BY RANGE ("first_at");
-- An id contains its time: this finds the few blocks that may contain it. Prisma does not see an index on an expression.
CREATE INDEX "result_block_id_idx" ON "result_block" USING gist (int8range("id_from", "id_to", '[]'));
CREATE INDEX "result_block_last_at_idx" ON "result_block"("last_at");
-- Compressed already, or random.
ALTER TABLE "result_block" ALTER COLUMN "ids" SET STORAGE EXTERNAL, ALTER COLUMN "data" SET STORAGE EXTERNAL;

-- --- Rollups -------------------------------------------------------------------------------------------------------

-- All vantages of a bucket in one row (analysis/cells.ts), a row per metric. Partitioned by day.
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

-- Partitioned by month.
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

-- Partitioned by month.
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

-- Partitioned by month.
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

-- Which minutes of which targets got results. `target_id` is the first of `target_ids`: a cluster distributes by it.
CREATE TABLE "rollup_log" (
    "minute" INTEGER NOT NULL,
    "target_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "target_ids" UUID[],

    CONSTRAINT "rollup_log_pkey" PRIMARY KEY ("minute","target_id","id")
);

-- Which buckets are to be computed.
CREATE TABLE "rollup_dirty" (
    "target_id" UUID NOT NULL,
    "step" INTEGER NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "ready_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rollup_dirty_pkey" PRIMARY KEY ("target_id","step","bucket","id")
);
CREATE INDEX "rollup_dirty_step_bucket_target_id_idx" ON "rollup_dirty"("step", "bucket", "target_id");

-- From which minute (since 1970) on rollups do not count results yet; one row.
CREATE TABLE "rollup_progress" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "open_from" INTEGER NOT NULL,

    CONSTRAINT "rollup_progress_pkey" PRIMARY KEY ("id")
);
INSERT INTO "rollup_progress" ("open_from") VALUES (floor(extract(epoch FROM now()) / 60)::int);

-- Counts of OCSP staples. Partitioned by day.
CREATE TABLE "staple_minute" (
    "target_id" UUID NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "peer_address_id" INTEGER NOT NULL,
    "certificate_id" INTEGER NOT NULL,
    "status_id" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,

    CONSTRAINT "staple_minute_pkey" PRIMARY KEY ("target_id","bucket","peer_address_id","certificate_id","status_id")
) PARTITION BY RANGE ("bucket");

-- --- Detection -----------------------------------------------------------------------------------------------------

CREATE TABLE "detection" (
    "id" UUID NOT NULL,
    "group_key" TEXT NOT NULL,
    "target_id" UUID NOT NULL,
    "vantage_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "metric" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "change_at" TIMESTAMPTZ(3) NOT NULL,
    "before_ms" DOUBLE PRECISION,
    "after_ms" DOUBLE PRECISION,
    "cause" TEXT NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "variant" SMALLINT NOT NULL DEFAULT 0,
    "page" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "detection_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "detection_group_key_idx" ON "detection"("group_key");
CREATE INDEX "detection_target_id_change_at_idx" ON "detection"("target_id", "change_at");
CREATE UNIQUE INDEX "detection_target_id_vantage_id_variant_kind_metric_at_key"
    ON "detection"("target_id", "vantage_id", "variant", "kind", "metric", "at");

-- What the detector consumed since its checkpoint.
CREATE TABLE "detector_tick" (
    "seq" BIGINT NOT NULL,
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    "lines" JSONB NOT NULL,
    "samples" BYTEA NOT NULL,
    "count" INTEGER NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "late" BYTEA,

    CONSTRAINT "detector_tick_pkey" PRIMARY KEY ("seq")
);

-- Half hours (of 1,800 s since 1970) that got results after the detector had consumed them. `target_id` is the first of `target_ids`.
CREATE TABLE "detector_late" (
    "id" BIGSERIAL NOT NULL,
    "target_id" UUID NOT NULL,
    "target_ids" UUID[],
    "slot" INTEGER NOT NULL,

    CONSTRAINT "detector_late_pkey" PRIMARY KEY ("id","target_id")
);

CREATE TABLE "detector_checkpoint" (
    "seq" BIGINT NOT NULL,
    "part" INTEGER NOT NULL,
    "parts" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    "state" BYTEA NOT NULL,
    "late" BIGINT NOT NULL DEFAULT 0,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "detector_checkpoint_pkey" PRIMARY KEY ("seq","part")
);

CREATE TABLE "detector_status" (
    "id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "series" INTEGER NOT NULL,
    "samples" BIGINT NOT NULL,
    "late" BIGINT NOT NULL,
    "cpu_ms" DOUBLE PRECISION NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL,
    "late_half_hours" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "detector_status_pkey" PRIMARY KEY ("id")
);

-- --- Incidents -----------------------------------------------------------------------------------------------------

CREATE TABLE "alert_rule" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "kind" TEXT NOT NULL,
    "metric" TEXT,
    "params" JSONB NOT NULL,
    "target_ids" UUID[],
    "regions" TEXT[],
    "carriers" TEXT[],
    "min_cells" INTEGER NOT NULL DEFAULT 1,
    "severity" TEXT NOT NULL,
    "reminder_minutes" INTEGER,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_rule_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "incident" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "group_key" TEXT NOT NULL,
    "groups" TEXT[],
    "status" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "rule_id" UUID,
    "metric" TEXT,
    "target_id" UUID,
    "carrier" TEXT,
    "region" TEXT,
    "cause" TEXT,
    "candidates" JSONB NOT NULL DEFAULT '[]',
    "cells" JSONB NOT NULL DEFAULT '[]',
    "evidence" JSONB NOT NULL DEFAULT '{}',
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "onset_at" TIMESTAMPTZ(3) NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by" TEXT,
    "resolved_at" TIMESTAMPTZ(3),
    "reopened" INTEGER NOT NULL DEFAULT 0,
    "effect_ms" DOUBLE PRECISION,
    "effect_ratio" DOUBLE PRECISION,
    "quiet" BOOLEAN NOT NULL DEFAULT false,
    "heard" TEXT,
    "told_at" TIMESTAMPTZ(3),
    "silenced" BOOLEAN NOT NULL DEFAULT false,
    "flapping" BOOLEAN NOT NULL DEFAULT false,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "resolution" TEXT,
    "held_until" TIMESTAMPTZ(3),
    "merged_into" UUID,
    "explanation" JSONB,
    "resolved_by" TEXT,
    "split_from" UUID,
    "standing_since" TIMESTAMPTZ(3),
    "excess_ms" DOUBLE PRECISION,
    "user_share" DOUBLE PRECISION,
    "changed_at" TIMESTAMPTZ(3),
    "told_cause" TEXT,
    "told_series" INTEGER,
    "waiting_since" TIMESTAMPTZ(3),
    "reopened_at" TIMESTAMPTZ(3),
    "told_severity" TEXT,
    "counterfactual" JSONB,

    CONSTRAINT "incident_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "incident_opened_at_id_idx" ON "incident"("opened_at" DESC, "id" DESC);
CREATE INDEX "incident_status_rule_id_idx" ON "incident"("status", "rule_id");

CREATE TABLE "incident_event" (
    "id" UUID NOT NULL,
    "incident_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "params" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "incident_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "incident_event_incident_id_at_idx" ON "incident_event"("incident_id", "at");

CREATE TABLE "incident_detection" (
    "incident_id" UUID NOT NULL,
    "detection_id" UUID NOT NULL,

    CONSTRAINT "incident_detection_pkey" PRIMARY KEY ("incident_id","detection_id"),
    CONSTRAINT "incident_detection_detection_id_fkey"
        FOREIGN KEY ("detection_id") REFERENCES "detection"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "incident_detection_incident_id_fkey"
        FOREIGN KEY ("incident_id") REFERENCES "incident"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "incident_detection_detection_id_idx" ON "incident_detection"("detection_id");

CREATE TABLE "lowered_sensitivity" (
    "id" UUID NOT NULL,
    "rule_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "group_key" TEXT NOT NULL,
    "incident_id" UUID NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lowered_sensitivity_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "lowered_sensitivity_rule_id_kind_group_key_key" ON "lowered_sensitivity"("rule_id", "kind", "group_key");

CREATE TABLE "silence" (
    "id" UUID NOT NULL,
    "target_ids" UUID[],
    "regions" TEXT[],
    "carriers" TEXT[],
    "kinds" TEXT[],
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "cron" TEXT,
    "duration_minutes" INTEGER,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "comment" TEXT NOT NULL DEFAULT '',
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "silence_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "marker" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "target_id" UUID,
    "title" TEXT NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "url" TEXT,
    "created_by" TEXT NOT NULL,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "marker_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "marker_at_id_idx" ON "marker"("at", "id");

-- --- Webhooks ------------------------------------------------------------------------------------------------------

CREATE TABLE "webhook" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "url" TEXT,
    "secrets" TEXT NOT NULL,
    "language" TEXT NOT NULL,
    "events" TEXT[],
    "rule_ids" UUID[],
    "severities" TEXT[],
    "settings" JSONB NOT NULL,
    "template" TEXT,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "slow_until" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lease_id" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- The outbox.
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "incident_id" UUID,
    "event_type" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "sequence" BIGSERIAL NOT NULL,
    "group_id" UUID,
    "attempt_id" UUID,
    "first_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(3),
    "thread" TEXT,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "delivery_created_at_idx" ON "delivery"("created_at");
CREATE INDEX "delivery_group_id_idx" ON "delivery"("group_id");
CREATE INDEX "delivery_incident_id_idx" ON "delivery"("incident_id");
CREATE INDEX "delivery_status_next_at_idx" ON "delivery"("status", "next_at");
CREATE INDEX "delivery_webhook_id_first_attempt_at_idx" ON "delivery"("webhook_id", "first_attempt_at");
CREATE INDEX "delivery_webhook_id_status_sequence_idx" ON "delivery"("webhook_id", "status", "sequence");

CREATE TABLE "delivery_attempt" (
    "id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" INTEGER,
    "duration_ms" DOUBLE PRECISION,
    "request_headers" JSONB,
    "request_body" TEXT,
    "response_headers" JSONB,
    "response_body" TEXT,
    "error" TEXT,

    CONSTRAINT "delivery_attempt_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "delivery_attempt_delivery_id_fkey"
        FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "delivery_attempt_delivery_id_at_idx" ON "delivery_attempt"("delivery_id", "at");

-- --- Comparisons, and figures of targets ---------------------------------------------------------------------------

CREATE TABLE "comparison" (
    "id" UUID NOT NULL,
    "target_id" UUID NOT NULL,
    "marker_id" UUID,
    "incident_id" UUID,
    "title" TEXT NOT NULL,
    "before_from" TIMESTAMPTZ(3) NOT NULL,
    "before_to" TIMESTAMPTZ(3) NOT NULL,
    "after_from" TIMESTAMPTZ(3) NOT NULL,
    "after_to" TIMESTAMPTZ(3) NOT NULL,
    "milestone" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "claimed_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "computed_at" TIMESTAMPTZ(3),
    "outcome" JSONB,
    "share_hash" BYTEA,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "headline" JSONB,

    CONSTRAINT "comparison_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "comparison_computed_at_due_at_idx" ON "comparison"("computed_at", "due_at");
CREATE INDEX "comparison_incident_id_idx" ON "comparison"("incident_id");
CREATE INDEX "comparison_marker_id_idx" ON "comparison"("marker_id");
CREATE UNIQUE INDEX "comparison_share_hash_key" ON "comparison"("share_hash");
CREATE INDEX "comparison_target_id_id_idx" ON "comparison"("target_id", "id");

CREATE TABLE "target_advice" (
    "target_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "results" INTEGER NOT NULL,
    "waste" JSONB,
    "codes" JSONB NOT NULL,

    CONSTRAINT "target_advice_pkey" PRIMARY KEY ("target_id")
);

CREATE TABLE "target_usual" (
    "target_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "levels" JSONB NOT NULL,
    "overall" JSONB NOT NULL,

    CONSTRAINT "target_usual_pkey" PRIMARY KEY ("target_id")
);

-- --- What a new installation contains ------------------------------------------------------------------------------

-- It watches by itself: one rule of each kind that needs no number to be chosen.
INSERT INTO "alert_rule"
  ("id", "name", "kind", "metric", "params", "target_ids", "regions", "carriers", "min_cells", "severity", "updated_at")
VALUES
  ('01940000-0000-7000-8000-000000000001', 'Spikes, regressions and improvements', 'detector', NULL,
    '{"kinds": ["spike", "regression", "improvement"]}', '{}', '{}', '{}', 1, 'warning', now()),
  ('01940000-0000-7000-8000-000000000002', 'Target down', 'down', NULL,
    '{"windowMinutes": 5, "share": 0.5}', '{}', '{}', '{}', 2, 'critical', now()),
  ('01940000-0000-7000-8000-000000000003', 'Certificate expires', 'certificate', NULL,
    '{"days": 14}', '{}', '{}', '{}', 1, 'warning', now()),
  ('01940000-0000-7000-8000-000000000004', 'OCSP staple unhealthy', 'staple', NULL,
    '{"hitRatio": 0.5, "windowMinutes": 60, "minHandshakes": 20}', '{}', '{}', '{}', 1, 'warning', now()),
  ('01940000-0000-7000-8000-000000000005', 'Vantage silent', 'silent', NULL,
    '{"periods": 5}', '{}', '{}', '{}', 1, 'warning', now());
