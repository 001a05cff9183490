-- CreateTable
CREATE TABLE "heartbeat" (
    "name" TEXT NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "heartbeat_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "dictionary" (
    "id" SERIAL NOT NULL,
    "hash" BYTEA NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "dictionary_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

-- CreateTable
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

    CONSTRAINT "result_pkey" PRIMARY KEY ("target_id","started_at","id")
) PARTITION BY RANGE ("started_at");

-- CreateTable
CREATE TABLE "result_evidence" (
    "target_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "id" UUID NOT NULL,
    "evidence" JSONB NOT NULL,

    CONSTRAINT "result_evidence_pkey" PRIMARY KEY ("target_id","started_at","id")
) PARTITION BY RANGE ("started_at");

-- CreateTable
CREATE TABLE "rollup_minute" (
    "target_id" UUID NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "vantage_id" UUID NOT NULL,
    "total" INTEGER NOT NULL,
    "ok" INTEGER NOT NULL,
    "failed_target" INTEGER NOT NULL,
    "failed_resolver" INTEGER NOT NULL,
    "failed_prober" INTEGER NOT NULL,
    "unclean" INTEGER NOT NULL,
    "dns" BYTEA,
    "tcp" BYTEA,
    "tls" BYTEA,
    "first_byte" BYTEA,
    "download" BYTEA,
    "total_time" BYTEA,
    "round_trips" BYTEA,

    CONSTRAINT "rollup_minute_pkey" PRIMARY KEY ("target_id","bucket","vantage_id")
) PARTITION BY RANGE ("bucket");

-- CreateTable
CREATE TABLE "rollup_ten" (
    "target_id" UUID NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "vantage_id" UUID NOT NULL,
    "total" INTEGER NOT NULL,
    "ok" INTEGER NOT NULL,
    "failed_target" INTEGER NOT NULL,
    "failed_resolver" INTEGER NOT NULL,
    "failed_prober" INTEGER NOT NULL,
    "unclean" INTEGER NOT NULL,
    "dns" BYTEA,
    "tcp" BYTEA,
    "tls" BYTEA,
    "first_byte" BYTEA,
    "download" BYTEA,
    "total_time" BYTEA,
    "round_trips" BYTEA,

    CONSTRAINT "rollup_ten_pkey" PRIMARY KEY ("target_id","bucket","vantage_id")
) PARTITION BY RANGE ("bucket");

-- CreateTable
CREATE TABLE "rollup_hour" (
    "target_id" UUID NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "vantage_id" UUID NOT NULL,
    "total" INTEGER NOT NULL,
    "ok" INTEGER NOT NULL,
    "failed_target" INTEGER NOT NULL,
    "failed_resolver" INTEGER NOT NULL,
    "failed_prober" INTEGER NOT NULL,
    "unclean" INTEGER NOT NULL,
    "dns" BYTEA,
    "tcp" BYTEA,
    "tls" BYTEA,
    "first_byte" BYTEA,
    "download" BYTEA,
    "total_time" BYTEA,
    "round_trips" BYTEA,

    CONSTRAINT "rollup_hour_pkey" PRIMARY KEY ("target_id","bucket","vantage_id")
) PARTITION BY RANGE ("bucket");

-- CreateTable
CREATE TABLE "rollup_dirty" (
    "target_id" UUID NOT NULL,
    "step" INTEGER NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "ready_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rollup_dirty_pkey" PRIMARY KEY ("target_id","step","bucket","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "dictionary_hash_key" ON "dictionary"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "certificate_sha256_key" ON "certificate"("sha256");

-- CreateIndex
CREATE INDEX "result_id_idx" ON "result"("id");

-- Makes the partition of `parent` that holds [lower_bound, upper_bound) unless it is there, and says whether it did.
-- Attaching a finished table asks for a weaker lock on the parent than CREATE TABLE ... PARTITION OF: ingest goes on.
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
