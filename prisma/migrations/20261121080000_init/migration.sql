-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
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

    CONSTRAINT "target_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "vantage_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "prober" (
    "id" UUID NOT NULL,
    "credential_hash" BYTEA NOT NULL,
    "engine_version" INTEGER NOT NULL,
    "host" TEXT,
    "clock_skew_ms" DOUBLE PRECISION,
    "last_seen_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "prober_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "enrolment" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "vantage_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "enrolment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "check" (
    "id" UUID NOT NULL,
    "target_id" UUID NOT NULL,
    "vantage_id" UUID NOT NULL,
    "revision" BIGINT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "check_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "setting" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "target_deleted_at_created_at_id_idx" ON "target"("deleted_at", "created_at", "id");

-- CreateIndex
CREATE INDEX "vantage_prober_id_idx" ON "vantage"("prober_id");

-- CreateIndex
CREATE UNIQUE INDEX "prober_credential_hash_key" ON "prober"("credential_hash");

-- CreateIndex
CREATE INDEX "enrolment_token_hash_idx" ON "enrolment"("token_hash");

-- CreateIndex
CREATE INDEX "enrolment_vantage_id_idx" ON "enrolment"("vantage_id");

-- CreateIndex
CREATE INDEX "check_vantage_id_revision_idx" ON "check"("vantage_id", "revision");

-- CreateIndex
CREATE UNIQUE INDEX "check_target_id_vantage_id_key" ON "check"("target_id", "vantage_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_key_hash_key" ON "api_key"("key_hash");

-- AddForeignKey
ALTER TABLE "vantage" ADD CONSTRAINT "vantage_prober_id_fkey" FOREIGN KEY ("prober_id") REFERENCES "prober"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrolment" ADD CONSTRAINT "enrolment_vantage_id_fkey" FOREIGN KEY ("vantage_id") REFERENCES "vantage"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check" ADD CONSTRAINT "check_target_id_fkey" FOREIGN KEY ("target_id") REFERENCES "target"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "check" ADD CONSTRAINT "check_vantage_id_fkey" FOREIGN KEY ("vantage_id") REFERENCES "vantage"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Every change of a check takes the next number: a prober asks for what is above the last it saw.
CREATE SEQUENCE "check_revision" AS bigint;
